package import MarketData
package import StockbusInstruments

/// The data about symbols that movers need besides prices. By default there is none: days and weeks are in UTC, nothing is split, and the
/// only closes are those of the stream.
package struct MarketReference: Sendable {
  /// The calendars; a symbol has the index of one.
  package var calendars: [any PeriodCalendar]
  package var calendar: @Sendable (Symbol) -> Int
  /// The first split of a symbol after a time (nanoseconds since the epoch), not at it.
  package var split: @Sendable (Symbol, Int64) -> PriceSplit?
  /// The last price before a time, and when it was.
  package var close: @Sendable (Symbol, Int64) -> (price: Price, time: Int64)?

  package init(
    calendars: [any PeriodCalendar], calendar: @escaping @Sendable (Symbol) -> Int = { _ in 0 },
    split: @escaping @Sendable (Symbol, Int64) -> PriceSplit? = { _, _ in nil },
    close: @escaping @Sendable (Symbol, Int64) -> (price: Price, time: Int64)? = { _, _ in nil }
  ) {
    self.calendars = calendars
    self.calendar = calendar
    self.split = split
    self.close = close
  }
}
