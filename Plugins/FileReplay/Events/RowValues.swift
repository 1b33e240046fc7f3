internal import MarketData

/// What the fields of a row say, read and checked, by the event's fields: what an event is made of.
struct RowValues: ~Copyable {
  /// One field's value as a number: a symbol's handle, billionths, nanoseconds, a side.
  struct Value {
    var raw: Int64 = 0
    /// Decimals it was written with; 1 for a receive time that is given.
    var places: UInt8 = 0
  }
  /// No event has more fields.
  static let limit = 8

  private var values = InlineArray<8, Value>(repeating: Value())
  /// The symbol of rows that have none.
  private let fallback: Symbol?

  init(symbol: Symbol?) {
    fallback = symbol
    clear()
  }

  /// The values of a row without any field.
  mutating func clear() {
    for i in 0..<Self.limit { values[i] = Value() }
    if let fallback { values[0].raw = Int64(fallback.id) }
  }

  @inline(always)
  mutating func set(_ field: Int, _ raw: Int64, places: UInt8 = 0) { values[field] = Value(raw: raw, places: places) }

  @inline(always) var symbol: Symbol { Symbol(id: UInt32(truncatingIfNeeded: values[0].raw)) }
  @inline(always) var time: Timestamp { Timestamp(ns: values[1].raw) }
  /// The event's own time where the row does not say.
  @inline(always) var received: Timestamp { Timestamp(ns: values[2].places == 0 ? values[1].raw : values[2].raw) }
  @inline(always) func price(_ field: Int) -> Price { Price(raw: values[field].raw) }
  @inline(always) func quantity(_ field: Int) -> Quantity { Quantity(raw: values[field].raw) }
  @inline(always) func side(_ field: Int) -> Side { Side(rawValue: UInt8(truncatingIfNeeded: values[field].raw)) ?? .unknown }
  @inline(always) func decimals(_ field: Int) -> UInt8 { values[field].places }
}
