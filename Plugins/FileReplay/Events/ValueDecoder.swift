internal import MarketData

/// Turns the values of a row into symbols, prices, amounts and times.
struct ValueDecoder: ~Copyable {
  private var symbols = SymbolCache()
  private var times: TimeDecoder
  private let fallback: Symbol?
  private let scale: UInt64

  /// `symbol` stands in where a row has none; prices are divided by `scale`.
  init(symbol: Symbol?, times: consuming TimeDecoder, scale: Int64) {
    fallback = symbol
    self.times = times
    self.scale = UInt64(max(1, scale))
  }

  @inline(always)
  mutating func symbol(_ row: borrowing Slots, _ field: Int) throws(FieldProblem) -> Symbol {
    let slot = row[field]
    if slot.kind == .text, let known = symbols.find(slot.start, slot.count) { return known }
    return try newSymbol(slot, field)
  }

  @inline(never)
  private mutating func newSymbol(_ slot: FieldSlot, _ field: Int) throws(FieldProblem) -> Symbol {
    let text = slot.trimmed
    switch slot.kind {
    case _ where text.isEmpty:
      guard let fallback else { throw FieldProblem(field: field, reason: .missing) }
      return fallback
    case .literal, .container: throw FieldProblem(field: field, reason: .notAValue)
    case .absent, .text, .number: break
    }
    do throws(TextError) {
      let symbol = try Symbol(utf8: text)
      if text.count == slot.count { symbols.add(slot.start, slot.count, symbol) }
      return symbol
    } catch { throw FieldProblem(field: field, reason: .symbol(error.reason)) }
  }

  /// A price divided by the scale; `decimals` becomes at least the count it was written with.
  @inline(always)
  mutating func price(_ row: borrowing Slots, _ field: Int, _ decimals: inout UInt8) throws(FieldProblem) -> Price {
    let number = try Self.number(row[field], field)
    if !number.isLong, number.places <= 9, let raw = number.billionths(scale: scale) {
      decimals = max(decimals, number.places)
      return Price(raw: raw)
    }
    return Price(raw: try Self.slowFixedPoint(row[field], field, number, scale, &decimals))
  }

  /// An amount, 0 where there is none; never negative.
  @inline(always)
  mutating func quantity(_ row: borrowing Slots, _ field: Int, _ decimals: inout UInt8) throws(FieldProblem) -> Quantity {
    if row[field].count == 0 { return Quantity(raw: 0) }
    let number = try Self.number(row[field], field, isRequired: false)
    if !number.isLong, number.places <= 9, !number.isNegative, let raw = number.billionths(scale: 1) {
      decimals = max(decimals, number.places)
      return Quantity(raw: raw)
    }
    let raw = try Self.slowFixedPoint(row[field], field, number, 1, &decimals)
    if raw < 0 { throw FieldProblem(field: field, reason: .negative) }
    return Quantity(raw: raw)
  }

  @inline(always)
  mutating func time(_ row: borrowing Slots, _ field: Int) throws(FieldProblem) -> Timestamp {
    try times.time(row[field], field)
  }

  /// When the event reached its recorder; the event's own time where the row does not say.
  @inline(always)
  mutating func received(_ row: borrowing Slots, _ field: Int, _ time: Timestamp) throws(FieldProblem) -> Timestamp {
    if row[field].count == 0 || row[field].trimmed.isEmpty { return time }
    return try times.time(row[field], field)
  }

  /// Which side took the liquidity: `buy`, `sell`, `b`, `s` in any case; unknown where the row does not say.
  @inline(always)
  mutating func side(_ row: borrowing Slots, _ field: Int) throws(FieldProblem) -> Side {
    if row[field].count == 0 { return .unknown }
    return try Self.sideText(row[field], field)
  }

  @inline(never)
  private static func sideText(_ slot: FieldSlot, _ field: Int) throws(FieldProblem) -> Side {
    if slot.kind == .text {
      switch String(decoding: slot.trimmed.prefix(16), as: UTF8.self).lowercased() {
      case "b", "buy": return .buy
      case "s", "sell": return .sell
      case "", "unknown": return .unknown
      default: break
      }
    }
    throw FieldProblem(field: field, reason: slot.kind == .container ? .notAValue : .notASide)
  }
}

extension ValueDecoder {
  @inline(always)
  private static func number(_ slot: FieldSlot, _ field: Int, isRequired: Bool = true) throws(FieldProblem) -> Decimal {
    if slot.kind == .number { return slot.number }
    if slot.kind == .text {
      var p = slot.start
      if let number = Decimal.scan(&p, .loose), p == slot.start + slot.count { return number }
    }
    if !isRequired, slot.trimmed.isEmpty { return Decimal() }
    return try slowNumber(slot, field)
  }

  @inline(never)
  static func slowNumber(_ slot: FieldSlot, _ field: Int) throws(FieldProblem) -> Decimal {
    let text = slot.trimmed
    switch slot.kind {
    case _ where text.isEmpty: throw FieldProblem(field: field, reason: .missing)
    case .literal: throw FieldProblem(field: field, reason: .notANumber)
    case .container: throw FieldProblem(field: field, reason: .notAValue)
    case .absent, .text, .number: break
    }
    // Text that a JSON string or a quoted field gives may be followed by anything: a copy ends where the text ends.
    var copy = Array(text.prefix(1024))
    let count = copy.count
    copy += [UInt8](repeating: 10, count: 16)
    let number: Decimal? = copy.withUnsafeBufferPointer { bytes in
      var p = bytes.baseAddress.unsafelyUnwrapped
      let number = Decimal.scan(&p, .loose)
      return p == bytes.baseAddress.unsafelyUnwrapped + count && text.count <= 1024 ? number : nil
    }
    guard let number else { throw FieldProblem(field: field, reason: .notANumber) }
    return number
  }

  @inline(never)
  private static func slowFixedPoint(
    _ slot: FieldSlot, _ field: Int, _ number: Decimal, _ scale: UInt64, _ decimals: inout UInt8
  ) throws(FieldProblem) -> Int64 {
    if !number.isLong, scale != 1 {
      guard let raw = number.billionths(scale: scale) else { throw FieldProblem(field: field, reason: .notExact) }
      decimals = max(decimals, min(9, number.places))
      return raw
    }
    do throws(TextError) {
      let (raw, written) = try Decimal.longBillionths(slot.trimmed)
      guard raw.magnitude % scale == 0 else { throw TextError(.tooManyDecimals, at: 0) }
      decimals = max(decimals, written)
      return raw / Int64(scale)
    } catch {
      switch error.code {
      case .tooManyDecimals: throw FieldProblem(field: field, reason: scale == 1 ? .tooManyDecimals : .notExact)
      case .outOfRange: throw FieldProblem(field: field, reason: .outOfRange)
      default: throw FieldProblem(field: field, reason: .notANumber)
      }
    }
  }
}
