package import MarketData

/// A split of a symbol's shares, applied to all prices before it.
package struct PriceSplit: Hashable, Sendable {
  /// From this moment on, prices are after the split.
  package var time: Int64
  /// So many new shares for …
  package var new: Int64
  /// … so many old ones.
  package var old: Int64

  /// `new: 7, old: 1` for seven shares instead of one. Both are positive.
  package init(time: Int64, new: Int64, old: Int64) {
    self.time = time
    self.new = new
    self.old = old
  }

  /// A price from before the split as it would be after it: `price × old / new`, rounded once to a billionth, half to even; nil if it is out
  /// of range.
  func adjust(_ price: Int64) -> Int64? {
    let product = Int128(price) * Int128(old)
    let divisor = Int128(new)
    if divisor <= 0 { return nil }
    let (whole, rest) = product.quotientAndRemainder(dividingBy: divisor)
    var quotient = whole
    let twice = Int128(rest.magnitude) * 2
    if twice > divisor || (twice == divisor && quotient % 2 != 0) { quotient += product < 0 ? -1 : 1 }
    return Int64(exactly: quotient)
  }
}

/// What movers have to know about symbols besides their prices. By default nothing is known: days and weeks are in UTC, nothing is split, and
/// the only closes are those of the stream.
package struct MarketReference: Sendable {
  /// The calendars; a symbol's one is given by its index.
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
