internal import MarketData

extension Syntax: CustomStringConvertible {
  /// The expression with one blank between words and only the necessary parentheses; parsing it gives the same tree.
  var description: String { text(.or) }

  /// Precedence, in ascending order.
  private enum Binding: Int, Comparable {
    case or, and, not, comparison, sum, product, sign, word

    static func < (a: Binding, b: Binding) -> Bool { a.rawValue < b.rawValue }
  }

  private var binding: Binding {
    switch kind {
    case .any: .or
    case .all: .and
    case .not: .not
    case .comparison, .membership, .match: .comparison
    case .arithmetic(let operation, _, _): operation == .plus || operation == .minus ? .sum : .product
    case .negate: .sign
    case .number(let value), .percent(let value), .duration(let value): value < 0 ? .sign : .word
    case .word, .string, .time, .opening, .bool, .call: .word
    }
  }

  private func text(_ least: Binding) -> String { binding < least ? "(\(bare))" : bare }

  private var bare: String {
    switch kind {
    case .word(let word): word
    case .string(let text): Self.quote(text)
    case .number(let value): Self.decimal(value)
    case .percent(let value): Self.decimal(value) + "%"
    case .duration(let value): Self.duration(value)
    case .time(let ns): Timestamp(ns: ns).description
    case .opening(let value): "first " + Self.duration(value)
    case .bool(let value): value ? "true" : "false"
    case .negate(let inner): "-" + inner.text(.sign)
    case .not(let inner): "not " + inner.text(.not)
    case .arithmetic(let operation, let left, let right):
      left.text(binding) + " \(operation.rawValue) " + right.text(binding == .sum ? .product : .sign)
    case .call(let function, let parts):
      "\(function.rawValue)(" + parts.map { $0.text(function.takesCondition ? .or : .sum) }.joined(separator: ", ") + ")"
    case .comparison(let operands, let operators):
      operands[0].text(.sum) + zip(operators, operands.dropFirst()).map { " \($0.rawValue) " + $1.text(.sum) }.joined()
    case .membership(let item, let list, let isNegated):
      item.text(.sum) + (isNegated ? " not in [" : " in [") + list.map { $0.text(.sum) }.joined(separator: ", ") + "]"
    case .match(let item, let pattern, let isNegated): item.text(.sum) + (isNegated ? " not matches " : " matches ") + pattern.text(.sum)
    case .all(let parts): parts.map { $0.text(.not) }.joined(separator: " and ")
    case .any(let parts): parts.map { $0.text(.and) }.joined(separator: " or ")
    }
  }

  /// Billionths as a decimal number.
  static func decimal(_ value: Int128, per unit: Int128 = 1_000_000_000) -> String {
    let (whole, rest) = value.magnitude.quotientAndRemainder(dividingBy: unit.magnitude)
    var text = (value < 0 ? "-" : "") + String(whole)
    if rest == 0 { return text }
    var digits = String(rest)
    digits = String(repeating: "0", count: String(unit).count - 1 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    text += "." + digits
    return text
  }

  /// Nanoseconds in customary units: `1d12h`, `1m30s`, `1.5s`, `250ms`.
  static func duration(_ value: Int128) -> String {
    if value == 0 { return "0s" }
    var rest = Int128(value.magnitude)
    var text = value < 0 ? "-" : ""
    if rest < 1_000_000_000 {
      let units: [(Int128, String)] = [(1_000_000, "ms"), (1000, "us"), (1, "ns")]
      let (unit, name) = units.first { $0.0 <= rest } ?? (1, "ns")
      return text + decimal(rest, per: unit) + name
    }
    let units: [(Int128, String)] = [(86_400_000_000_000, "d"), (3_600_000_000_000, "h"), (60_000_000_000, "m")]
    for (unit, name) in units where rest >= unit {
      text += "\(rest / unit)\(name)"
      rest %= unit
    }
    return rest == 0 ? text : text + decimal(rest) + "s"
  }

  static func quote(_ text: String) -> String {
    quoted(text) { scalar in
      switch scalar {
      case "\0"..<" ", "\u{7f}"..."\u{9f}", "\u{2028}"..."\u{202e}", "\u{2066}"..."\u{2069}", "\u{feff}":
        "\\u{\(String(scalar.value, radix: 16))}"
      default: nil
      }
    }
  }
}
