internal import MarketData

/// The parsed and checked values of a row, by the event's fields.
struct RowValues: ~Copyable {
  /// One field's value as a number: a symbol's handle, units of 1e-9, nanoseconds, a side, a condition, a bar's length.
  struct Value {
    var raw: Int64 = 0
    /// The number of decimals in the row; 1 for a given receipt time.
    var places: UInt8 = 0
  }
  /// The largest number of fields of an event.
  static let limit = 15
  /// The number of fields of events that are not bars.
  private static let usual = 8
  /// The place of the time.
  static let timePlace = 1
  /// The places of a bar's length and of the upper half of its amount.
  static let lengthPlace = 8
  static let upperPlace = 15

  private var values = InlineArray<16, Value>(repeating: Value())
  /// The symbol of rows that have none.
  private let fallback: Symbol?
  /// The length of rows that have none; nil if the event has no length.
  private let length: BarLength?

  init(symbol: Symbol?, length: BarLength? = nil) {
    fallback = symbol
    self.length = length
    clear()
  }

  /// Resets all values, as for a row without fields.
  mutating func clear() {
    for i in 0..<Self.usual { values[i] = Value() }
    if let fallback { values[0].raw = Int64(fallback.id) }
    guard let length else { return }
    for i in Self.usual...Self.limit { values[i] = Value() }
    values[Self.lengthPlace].raw = length.raw
  }

  @inline(always)
  mutating func set(_ field: Int, _ raw: Int64, places: UInt8 = 0) { values[field] = Value(raw: raw, places: places) }

  @inline(always) var symbol: Symbol { Symbol(id: UInt32(truncatingIfNeeded: values[0].raw)) }
  @inline(always) var time: Timestamp { Timestamp(ns: values[1].raw) }
  /// The time of receipt; the event's own time if the row has none.
  @inline(always) var received: Timestamp { Timestamp(ns: values[2].places == 0 ? values[1].raw : values[2].raw) }
  @inline(always) func price(_ field: Int) -> Price { Price(raw: values[field].raw) }
  @inline(always) func quantity(_ field: Int) -> Quantity { Quantity(raw: values[field].raw) }
  @inline(always) func side(_ field: Int) -> Side { Side(rawValue: UInt8(truncatingIfNeeded: values[field].raw)) ?? .unknown }
  @inline(always) func condition(_ field: Int) -> TradeCondition { TradeCondition(code: UInt8(truncatingIfNeeded: values[field].raw)) }
  @inline(always) func decimals(_ field: Int) -> UInt8 { values[field].places }
  /// Nil if the row has none.
  func average(_ field: Int) -> Price? { values[field].places == 0 ? nil : price(field) }
  func amount(_ field: Int) -> Amount {
    Amount(raw: Int128(values[Self.upperPlace].raw) << 64 | Int128(UInt64(bitPattern: values[field].raw)))
  }
  func count(_ field: Int) -> UInt32 { UInt32(truncatingIfNeeded: values[field].raw) }
  func length(_ field: Int) -> BarLength { BarLength(raw: values[field].raw) }
  func session(_ field: Int) -> MarketSession { MarketSession(rawValue: UInt8(truncatingIfNeeded: values[field].raw)) ?? .unknown }
  func status(_ field: Int) -> BarStatus { BarStatus(rawValue: UInt8(truncatingIfNeeded: values[field].raw)) ?? .complete }
}
