import EventBus
import MarketData

@testable import StockbusExpressions

/// A slow and obvious model: evaluates an expression for one event at a time, directly from the tree.
struct Model {
  let event: Reading

  enum Value {
    case number(Int128)
    case percent(Int128)
    case duration(Int128)
    case time(Int128)
    case name(String)
    case fault

    var raw: Int128? {
      switch self {
      case .number(let v), .percent(let v), .duration(let v), .time(let v): v
      case .name, .fault: nil
      }
    }
  }

  /// nil is undecided.
  func truth(_ tree: Syntax) -> Bool? {
    switch tree.kind {
    case .bool(let value): return value
    case .not(let inner): return truth(inner).map { !$0 }
    case .all(let parts):
      let truths = parts.map(truth)
      return truths.contains(false) ? false : truths.contains(nil) ? nil : true
    case .any(let parts):
      let truths = parts.map(truth)
      return truths.contains(true) ? true : truths.contains(nil) ? nil : false
    case .comparison(let operands, let operators):
      let truths = operators.indices.map { compare(operands[$0], operators[$0], operands[$0 + 1]) }
      return truths.contains(false) ? false : truths.contains(nil) ? nil : true
    case .membership(let item, let list, let isNegated):
      let truths = list.map { compare(item, .equal, $0) }
      let isIn: Bool? = truths.contains(true) ? true : truths.contains(nil) ? nil : false
      return isIn.map { $0 != isNegated }
    case .match(let item, let pattern, let isNegated):
      guard case .name(let name) = value(item), case .string(let glob) = pattern.kind else { return nil }
      return fits(Array(name.unicodeScalars)[...], Array(glob.unicodeScalars)[...]) != isNegated
    default: return nil
    }
  }

  private func fits(_ name: ArraySlice<Unicode.Scalar>, _ glob: ArraySlice<Unicode.Scalar>) -> Bool {
    guard let first = glob.first else { return name.isEmpty }
    if first == "*" { return fits(name, glob.dropFirst()) || (!name.isEmpty && fits(name.dropFirst(), glob)) }
    guard let letter = name.first, first == "?" || first == letter else { return false }
    return fits(name.dropFirst(), glob.dropFirst())
  }

  private func compare(_ left: Syntax, _ comparison: Comparison, _ right: Syntax) -> Bool? {
    switch (value(left), value(right)) {
    case (.name(let a), .name(let b)): return comparison.holds(a, b)
    case (.fault, _), (_, .fault): return nil
    case (.number(let a), .percent(let b)):
      // A plain number is taken as per cent; a percentage literal is a fraction.
      return hasField(right) ? comparison.holds(a, b) : comparison.holds(a, b / 100)
    case (.percent(let a), .number(let b)):
      return hasField(left) ? comparison.holds(a, b) : comparison.holds(a / 100, b)
    case (let a, let b):
      guard let a = a.raw, let b = b.raw else { return nil }
      return comparison.holds(a, b)
    }
  }

  private func hasField(_ tree: Syntax) -> Bool {
    switch tree.kind {
    case .word: true
    case .negate(let inner): hasField(inner)
    case .arithmetic(_, let a, let b): hasField(a) || hasField(b)
    case .call(_, let parts): parts.contains(where: hasField)
    default: false
    }
  }

  private func value(_ tree: Syntax) -> Value {
    switch tree.kind {
    case .number(let v): return .number(v)
    case .percent(let v): return .percent(v)
    case .duration(let v): return .duration(v)
    case .time(let ns): return .time(Int128(ns))
    case .string(let text): return .name(text)
    case .word(let word): return field(word) ?? .name(word)
    case .negate(let inner): return same(value(inner)) { 0 - $0 }
    case .call(.abs, let parts): return same(value(parts[0])) { $0 < 0 ? 0 - $0 : $0 }
    case .call(let function, let parts):
      let values = parts.map(value)
      guard values.allSatisfy({ $0.raw != nil }), let least = values.min(by: { $0.raw! < $1.raw! }),
        let most = values.max(by: { $0.raw! < $1.raw! })
      else { return .fault }
      return function == .min ? least : most
    case .arithmetic(let operation, let left, let right): return reckon(operation, left, right)
    default: return .fault
    }
  }

  private func same(_ value: Value, _ body: (Int128) -> Int128?) -> Value {
    guard let raw = value.raw, let result = body(raw) else { return .fault }
    switch value {
    case .number: return .number(result)
    case .percent: return .percent(result)
    case .duration: return .duration(result)
    case .time: return .time(result)
    case .name, .fault: return .fault
    }
  }

  private func reckon(_ operation: Arithmetic, _ left: Syntax, _ right: Syntax) -> Value {
    let (x, y) = (value(left), value(right))
    guard let a = x.raw, let b = y.raw else { return .fault }
    switch operation {
    case .plus:
      let (sum, overflow) = a.addingReportingOverflow(b)
      if overflow { return .fault }
      if case .time = y { return .time(sum) }
      return same(x) { _ in sum }
    case .minus:
      let (difference, overflow) = a.subtractingReportingOverflow(b)
      if overflow { return .fault }
      if case .time = x, case .time = y { return .duration(difference) }
      return same(x) { _ in difference }
    case .times:
      let (product, overflow) = a.multipliedReportingOverflow(by: b)
      if overflow { return .fault }
      switch (x, y) {
      case (.number, .percent):
        return hasField(left) ? .number(divided(product, 100_000_000_000)) : .percent(divided(product, 1_000_000_000))
      case (.percent, .number):
        return hasField(right) ? .number(divided(product, 100_000_000_000)) : .percent(divided(product, 1_000_000_000))
      case (.percent, .percent): return .percent(divided(product, 100_000_000_000))
      case (.percent, .duration), (.duration, .percent): return .duration(divided(product, 100_000_000_000))
      case (.number, .duration): return .duration(divided(product, 1_000_000_000))
      default: return same(x) { _ in divided(product, 1_000_000_000) }
      }
    case .divided:
      if b == 0 { return .fault }
      var scale: Int128 = 1_000_000_000
      if case .percent = y {
        if case .percent = x {} else { scale *= 100 }
      }
      let (scaled, overflow) = a.multipliedReportingOverflow(by: scale)
      if overflow { return .fault }
      let result = divided(scaled, b)
      switch (x, y) {
      case (.percent, .number): return .percent(result)
      case (.duration, .number), (.duration, .percent): return .duration(result)
      default: return .number(result)
      }
    }
  }

  /// Rounded half away from zero.
  private func divided(_ a: Int128, _ b: Int128) -> Int128 {
    let (quotient, rest) = a.quotientAndRemainder(dividingBy: b)
    let isHalf = rest.magnitude >= b.magnitude - rest.magnitude
    return isHalf && rest != 0 ? quotient + ((a < 0) == (b < 0) ? 1 : -1) : quotient
  }

  private func field(_ name: String) -> Value? {
    switch name {
    case "symbol": .name(event.symbol.description)
    case "other": .name(event.other.description)
    case "price": .number(Int128(event.price.raw))
    case "size": .number(Int128(event.size.raw))
    case "percent": .percent(Int128(event.percent.raw))
    case "rank": .number(Int128(event.rank) * 1_000_000_000)
    case "count": .number(Int128(event.count) * 1_000_000_000)
    case "time": .time(Int128(event.time.ns))
    case "received": .time(Int128(event.received.ns))
    case "side": .name(event.side.fieldName)
    case "mood": .name(event.mood.fieldName)
    case "previous": .name(event.previous.fieldName)
    case "sole": .name(event.sole.fieldName)
    case "note": .name(event.note)
    default: nil
    }
  }
}
