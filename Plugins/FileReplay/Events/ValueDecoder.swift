internal import MarketData
internal import StockbusDecoding

/// Decodes the values of a row into symbols, prices, amounts and times.
struct ValueDecoder: ~Copyable {
  /// The values of the current row.
  var row: RowValues
  let symbols = SymbolCache()
  var times: TimeDecoder
  private let fallback: Symbol?
  let barLength: BarLength
  private let intake: SymbolIntake
  let scale: UInt64
  private var conditions: ConditionReader
  /// The first eight digits of the last time and their value, because consecutive times begin with the same digits.
  var front = TimeFront()
  private let kinds: [ReplayField.Kind]
  /// The fields in the order in which they are read.
  private let order: [Int]

  /// `symbol` is used for rows that have none; prices are divided by `scale`. Names become symbols through `intake`.
  /// `length` is that of bars that say none.
  init(
    _ fields: [ReplayField], symbol: Symbol?, times: consuming TimeDecoder, scale: Int64, intake: SymbolIntake = .open,
    length: BarLength = .unknown, conditions: ConditionTable? = nil
  ) {
    self.conditions = ConditionReader(conditions)
    self.intake = intake
    fallback = symbol
    barLength = length
    row = RowValues(symbol: symbol, length: fields.contains { $0.kind == .length } ? length : nil)
    self.times = times
    self.scale = UInt64(max(1, scale))
    kinds = fields.map(\.kind)
    order = fields.indices.sorted { (fields[$0].kind, $0) < (fields[$1].kind, $1) }
  }

  /// Reads all fields of a row.
  mutating func read(_ slots: borrowing Slots) throws(FieldProblem) {
    for field in order { try read(slots[field], field, kinds[field]) }
  }

  /// Reads one field in any form.
  mutating func read(_ slot: FieldSlot, _ field: Int, _ kind: ReplayField.Kind) throws(FieldProblem) {
    switch kind {
    case .symbol: row.set(field, Int64(try symbol(slot, field).id))
    case .time: row.set(field, try times.time(slot, field).ns)
    case .price:
      let (raw, places) = try price(slot, field)
      row.set(field, raw, places: places)
    case .quantity:
      let (raw, places) = try quantity(slot, field)
      row.set(field, raw, places: places)
    case .received:
      if slot.count == 0 || slot.trimmed.isEmpty { row.set(field, 0) } else { row.set(field, try times.time(slot, field).ns, places: 1) }
    case .side: row.set(field, Int64(try side(slot, field).rawValue))
    case .condition: row.set(field, Int64(try conditions.condition(slot, field).rawValue))
    case .average, .amount, .count, .length, .session, .status: try readOfBar(slot, field, kind)
    }
  }

  private mutating func symbol(_ slot: FieldSlot, _ field: Int) throws(FieldProblem) -> Symbol {
    if slot.kind == .text, slot.count <= 8 {
      let known = symbols.find(ByteWords.load(slot.start) & ByteWords.mask(slot.count), slot.count)
      if known != 0 { return Symbol(id: known) }
    }
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
      let symbol = try intake.symbol(utf8: text)
      if text.count == slot.count { symbols.add(slot.start, slot.count, symbol) }
      return symbol
    } catch {
      // Rows that are only checked create no symbols; any valid name is accepted.
      if error.code == .tooManySymbols, intake.limit == 0 { return Symbol(id: 0) }
      throw FieldProblem(field: field, reason: .symbol(error.reason))
    }
  }

  /// A price divided by the scale, and the decimals it was written with.
  mutating func price(_ slot: FieldSlot, _ field: Int) throws(FieldProblem) -> (raw: Int64, places: UInt8) {
    let number = try Self.number(slot, field)
    if !number.isLong, number.places <= 9, let raw = number.billionths(scale: scale) { return (raw, number.places) }
    return try Self.slowFixedPoint(slot, field, number, scale)
  }

  /// An amount, 0 if it is missing; never negative.
  mutating func quantity(_ slot: FieldSlot, _ field: Int) throws(FieldProblem) -> (raw: Int64, places: UInt8) {
    if slot.count == 0 { return (0, 0) }
    let number = try Self.number(slot, field, isRequired: false)
    if !number.isLong, number.places <= 9, !number.isNegative, let raw = number.billionths(scale: 1) { return (raw, number.places) }
    let (raw, places) = try Self.slowFixedPoint(slot, field, number, 1)
    if raw < 0 { throw FieldProblem(field: field, reason: .negative) }
    return (raw, places)
  }

  /// Which side took the liquidity: `buy`, `sell`, `b`, `s` in upper or lower case; unknown if it is missing.
  private func side(_ slot: FieldSlot, _ field: Int) throws(FieldProblem) -> Side {
    if slot.count == 0 { return .unknown }
    // The usual two as words.
    if slot.kind == .text, slot.count <= 4 {
      switch ByteWords.load(slot.start) & ByteWords.mask(slot.count) {
      case 0x0079_7562: return .buy
      case 0x6c6c_6573: return .sell
      default: break
      }
    }
    return try Self.sideText(slot, field)
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
    // The text of a JSON string or a quoted field may be followed by any bytes, so a copy is made that ends where the text ends.
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
    _ slot: FieldSlot, _ field: Int, _ number: Decimal, _ scale: UInt64
  ) throws(FieldProblem) -> (raw: Int64, places: UInt8) {
    if !number.isLong, scale != 1 {
      guard let raw = number.billionths(scale: scale) else { throw FieldProblem(field: field, reason: .notExact) }
      return (raw, min(9, number.places))
    }
    do throws(TextError) {
      let (raw, written) = try Decimal.longBillionths(slot.trimmed)
      guard raw.magnitude % scale == 0 else { throw TextError(.tooManyDecimals, at: 0) }
      return (raw / Int64(scale), written)
    } catch {
      switch error.code {
      case .tooManyDecimals: throw FieldProblem(field: field, reason: scale == 1 ? .tooManyDecimals : .notExact)
      case .outOfRange: throw FieldProblem(field: field, reason: .outOfRange)
      default: throw FieldProblem(field: field, reason: .notANumber)
      }
    }
  }
}
