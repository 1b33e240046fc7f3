internal import EventBus
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
  let sizeScale: UInt64
  let numbers: NumberForm
  let finerPrices: FinerPrices
  let priceFactor: Int64
  let sizeFactor: Int64
  /// Prices and sizes with fewer decimals than these are read directly: only whole numbers if points separate thousands, or may do so, and
  /// none if they are multiplied.
  private var pricePlaces: UInt8
  private var sizePlaces: UInt8
  /// True after a number with a decimal comma that was refused.
  var hasCommas = false { didSet { if hasCommas { (pricePlaces, sizePlaces) = (min(1, pricePlaces), min(1, sizePlaces)) } } }
  private var conditions: ConditionReader
  /// True if the column of the sizes is that of the sides too: then their sign is the side.
  private let isSigned: Bool
  private let ownSides: [(word: [UInt8], side: Side)]
  /// The remarks about the last row.
  var remarks: [(kind: RowRemark, field: Int, text: String)] = []
  /// The sides of the last quote without a price, as a bit for each field.
  var emptySides = 0
  /// The first eight digits of the last time and their value, because consecutive times begin with the same digits.
  var front = TimeFront()
  let kinds: [ReplayField.Kind]
  /// The kinds of the columns beside the event, whose fields begin at `firstColumn`.
  let columnKinds: [ColumnKind]
  let firstColumn: Int
  /// The columns of the current row.
  var columns: [Int64]
  /// The fields in the order in which they are read.
  private let order: [Int]

  /// `symbol` is used for rows that have none.
  init(_ fields: [ReplayField], symbol: Symbol?, times: consuming TimeDecoder, _ options: ReplayOptions) {
    conditions = ConditionReader(options.conditions)
    intake = options.intake
    fallback = symbol
    barLength = options.length
    row = RowValues(symbol: symbol, length: fields.contains { $0.kind == .length } ? options.length : nil)
    self.times = times
    scale = UInt64(max(1, options.priceScale))
    sizeScale = UInt64(max(1, options.sizeScale))
    numbers = options.numbers
    (priceFactor, sizeFactor) = (options.priceFactor, options.sizeFactor)
    let places: UInt8 = options.numbers == .comma ? 1 : 10
    (pricePlaces, sizePlaces) = (priceFactor == 1 ? places : 0, sizeFactor == 1 ? places : 0)
    finerPrices = options.finerPrices
    isSigned = options.columns["side"] != nil && options.columns["side"] == options.columns["size"]
    ownSides = (options.sides?.pairs ?? []).map { (Array($0.word.utf8), $0.side) }
    kinds = fields.map(\.kind)
    columnKinds = options.extraColumns.columns.map(\.kind)
    firstColumn = fields.count - columnKinds.count
    columns = columnKinds.map { _ in ColumnLayout.missing }
    order = fields.indices.sorted { (fields[$0].kind, $0) < (fields[$1].kind, $1) }
  }

  /// Resets all values, as for a row without fields.
  @inline(__always)
  mutating func clear() {
    row.clear()
    if firstColumn < kinds.count { clearColumns() }
  }

  @inline(never)
  private mutating func clearColumns() { for i in columns.indices { columns[i] = ColumnLayout.missing } }

  /// Reads all fields of a row. Values that do not fit are left out where the rest of the event can be kept: see `amend`.
  mutating func read(_ slots: borrowing Slots) throws(FieldProblem) {
    emptySides = 0
    for field in order {
      do throws(FieldProblem) { try read(slots[field], field, kinds[field]) } catch { try amend(error, slots[field]) }
    }
    if emptySides != 0 { try clearSides(slots) }
  }

  /// Reads one field in any form.
  mutating func read(_ slot: RowSlot, _ field: Int, _ kind: ReplayField.Kind) throws(FieldProblem) {
    switch kind {
    case .symbol: row.set(field, Int64(try symbol(slot, field).id))
    case .time: row.set(field, try times.time(slot, field).ns)
    case .price, .quoted:
      let (raw, places) = try price(slot, field)
      row.set(field, raw, places: places)
    case .quantity:
      let (raw, places) = try quantity(slot, field, scale: sizeScale)
      row.set(field, raw, places: places)
    case .received:
      if slot.count == 0 || slot.trimmed.isEmpty { row.set(field, 0) } else { row.set(field, try times.time(slot, field).ns, places: 1) }
    case .side: row.set(field, Int64(try side(slot, field).rawValue))
    case .ownSide: row.set(field, Int64(try ownSide(slot, field).rawValue))
    case .condition: row.set(field, Int64(try conditions.condition(slot, field).rawValue))
    case .average, .amount, .count, .length, .session, .status: try readOfBar(slot, field, kind)
    case .column: try readColumn(slot, field)
    }
  }

  private mutating func symbol(_ slot: RowSlot, _ field: Int) throws(FieldProblem) -> Symbol {
    if slot.kind == .text, slot.count <= 8 {
      let known = symbols.find(ByteWords.load(slot.start) & ByteWords.mask(slot.count), slot.count)
      if known != 0 { return Symbol(id: known) }
    }
    return try newSymbol(slot, field)
  }

  @inline(never)
  private mutating func newSymbol(_ slot: RowSlot, _ field: Int) throws(FieldProblem) -> Symbol {
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
  mutating func price(_ slot: RowSlot, _ field: Int) throws(FieldProblem) -> (raw: Int64, places: UInt8) {
    let number = try number(slot, field)
    if !number.isLong, number.places < pricePlaces, let raw = number.billionths(scale: scale) { return (raw, number.places) }
    return try general(slot, field, scale)
  }

  /// An amount, 0 if it is missing; never negative.
  mutating func quantity(_ slot: RowSlot, _ field: Int, scale: UInt64) throws(FieldProblem) -> (raw: Int64, places: UInt8) {
    if slot.count == 0 { return (0, 0) }
    let number = try number(slot, field, isRequired: false)
    if !number.isLong, number.places < sizePlaces, !number.isNegative, number.mantissa != UInt64(UInt32.max),
      let raw = number.billionths(scale: scale)
    {
      return (raw, number.places)
    }
    let (raw, places) = try general(slot, field, scale)
    if raw < 0, !isSigned || raw == .min { throw FieldProblem(field: field, reason: .negative) }
    return (abs(raw), places)
  }

  /// The side that took the liquidity: `buy`, `sell`, `b`, `s`, `a`, `n` in upper or lower case; unknown if it is missing.
  private func side(_ slot: RowSlot, _ field: Int) throws(FieldProblem) -> Side {
    if slot.count == 0 { return .unknown }
    // The usual two as words.
    if slot.kind == .text, slot.count <= 4 {
      switch ByteWords.load(slot.start) & ByteWords.mask(slot.count) {
      case 0x0079_7562: return .buy
      case 0x6c6c_6573: return .sell
      default: break
      }
    }
    if isSigned { return slot.trimmed.isEmpty ? .unknown : slot.trimmed.first == 45 || slot.trimmed.first == 40 ? .sell : .buy }
    return try Self.sideText(slot, field)
  }

  @inline(never)
  private static func sideText(_ slot: RowSlot, _ field: Int) throws(FieldProblem) -> Side {
    if slot.kind == .text {
      switch String(decoding: slot.trimmed.prefix(16), as: UTF8.self).lowercased() {
      // Databento writes A for a seller's trade, at the bid, and N for none; Interactive Brokers BOT and SLD.
      case "b", "buy", "bot", "bought", "buyer": return .buy
      case "s", "sell", "a", "sld", "sold", "seller": return .sell
      case "", "unknown", "n": return .unknown
      default: break
      }
    }
    throw FieldProblem(field: field, reason: slot.kind == .container ? .notAValue : .notASide)
  }
}

extension ValueDecoder {
  private func number(_ slot: RowSlot, _ field: Int, isRequired: Bool = true) throws(FieldProblem) -> Decimal {
    if slot.kind == .number { return slot.number }
    if slot.kind == .text {
      var p = slot.start
      if let number = Decimal.scan(&p, .loose), p == slot.start + slot.count { return number }
    }
    if !isRequired, slot.trimmed.isEmpty { return Decimal() }
    // Numbers of another form are left to the general function.
    if numbers != .plain, slot.kind == .text, !slot.trimmed.isEmpty { return Decimal(isLong: true) }
    return try Self.slowNumber(slot, field)
  }

  @inline(never)
  static func slowNumber(_ slot: RowSlot, _ field: Int) throws(FieldProblem) -> Decimal {
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

  /// A number in any form and of any length, divided by `scale`.
  @inline(never)
  func general(
    _ slot: RowSlot, _ field: Int, _ scale: UInt64, finer: FinerNumbers = .reject
  ) throws(FieldProblem) -> (raw: Int64, places: UInt8) {
    let text = slot.trimmed
    if hasCommas, slot.kind == .text, NumberForm.isAmbiguous(text) { throw FieldProblem(field: field, reason: .ambiguous) }
    let isSize = kinds[field] == .quantity
    if NoNumber.isLimit(text, isSize: isSize) { throw FieldProblem(field: field, reason: .undefined) }
    do throws(TextError) {
      if slot.kind == .number || numbers == .plain {
        return try multiplied(try Decimal.general(text, scale: scale, finer: finer), kinds[field])
      }
      guard let plain = numbers.plain(text) else { throw TextError(.unexpected, at: 0) }
      return try multiplied(
        try plain.withUnsafeBufferPointer { plain in
          Result { () throws(TextError) in try Decimal.general(plain, scale: scale, finer: finer) }
        }.get(), kinds[field])
    } catch {
      switch error.code {
      case .tooManyDecimals: throw FieldProblem(field: field, reason: scale == 1 || isSize ? .tooManyDecimals : .notExact)
      case .outOfRange: throw FieldProblem(field: field, reason: scale == 1 || isSize ? .outOfRange : .notExact)
      default: throw FieldProblem(field: field, reason: .notANumber)
      }
    }
  }

  /// The number times the factor of its kind.
  private func multiplied(_ number: (raw: Int64, places: UInt8), _ kind: ReplayField.Kind) throws(TextError) -> (raw: Int64, places: UInt8)
  {
    var factor: Int64 =
      switch kind {
      case .price, .quoted, .average: priceFactor
      case .quantity: sizeFactor
      default: 1
      }
    let (raw, isOver) = number.raw.multipliedReportingOverflow(by: factor)
    if isOver { throw TextError(.outOfRange, at: 0) }
    var places = number.places
    while places > 0, factor > 1, factor % 10 == 0 { (places, factor) = (places - 1, factor / 10) }
    return (raw, places)
  }

  /// The side in the words of the options; unknown if it is missing.
  private func ownSide(_ slot: RowSlot, _ field: Int) throws(FieldProblem) -> Side {
    if slot.kind == .container { throw FieldProblem(field: field, reason: .notAValue) }
    let text = slot.trimmed
    if let own = ownSides.first(where: { text.elementsEqual($0.word) }) { return own.side }
    if text.isEmpty { return .unknown }
    throw FieldProblem(field: field, reason: .notASide)
  }
}
