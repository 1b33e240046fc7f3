internal import MarketData

/// The parsed and checked values of a row, by the event's fields.
struct RowValues: ~Copyable {
  /// One field's value as a number: a symbol's handle, units of 1e-9, nanoseconds, a side.
  struct Value {
    var raw: Int64 = 0
    /// The number of decimals it was written with; 1 for a given receive time.
    var places: UInt8 = 0
  }
  /// The largest number of fields of an event.
  static let limit = 8

  private var values = InlineArray<8, Value>(repeating: Value())
  /// The symbol of rows that have none.
  private let fallback: Symbol?

  init(symbol: Symbol?) {
    fallback = symbol
    clear()
  }

  /// Resets all values, as for a row without fields.
  mutating func clear() {
    for i in 0..<Self.limit { values[i] = Value() }
    if let fallback { values[0].raw = Int64(fallback.id) }
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
  @inline(always) func decimals(_ field: Int) -> UInt8 { values[field].places }
}
