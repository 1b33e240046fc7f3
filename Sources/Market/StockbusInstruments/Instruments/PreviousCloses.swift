package import StockbusPlugin

/// The previous close of each symbol, to which a change since the previous close refers.
///
/// It is the last price of the previous trading date: the close in the history if that date is before the run, otherwise the last price
/// received. Splits since then are applied. Trading dates are those of the symbol's calendar, or UTC's days without a calendar.
///
/// Times never go back: an event of an earlier date than the symbol's newest date has no effect.
package struct PreviousCloses: Sendable {
  /// The start of a symbol's new trading date, with the previous close.
  package struct Opening: BitwiseCopyable, Hashable, Sendable {
    /// Nil if no close is known.
    package var close: Price?
  }

  private struct Day: BitwiseCopyable, Sendable, Codable {
    /// The end of the trading date; `Int64.min` before the first price.
    var end = Int64.min
    var date = TradingDate(days: 0)
    /// The last price of the date.
    var price: Price = 0
    var time = Int64.min

    mutating func note(_ price: Price, _ time: Int64) {
      self.price = price
      self.time = time
    }
  }

  private let past: PastPrices
  private let instruments: Instruments
  /// The present trading dates by symbol handle.
  private var days: ContiguousArray<Day> = []

  /// - Parameter earlier: those of an earlier instance, which go on.
  package init(_ past: PastPrices, _ instruments: Instruments, after earlier: PreviousCloses? = nil) {
    self.past = past
    self.instruments = instruments
    days = earlier?.days ?? []
  }

  /// The moment at which an event's price counts, for `take`.
  @inline(__always)
  package func moment<E: PricedEvent>(of event: E) -> Timestamp {
    let length = (event as? Bar)?.length
    let isElsewhere = length == .week || length == .day && instruments.zone != nil
    return event.condition.isAuction || isElsewhere ? instruments.moment(of: event) : EventClock.fair(event.time, received: event.received)
  }

  /// Takes a price; returns the previous close if this price is the first of a trading date.
  ///
  /// - Parameters:
  ///   - time: when the price counts, which is its receipt if it is dated ahead.
  ///   - isDated: whether the time may be a midnight that stands for a date, as that of a daily bar.
  @inline(__always)
  package mutating func take(_ symbol: Symbol, _ price: Price, at time: Timestamp, isDated: Bool = false) -> Opening? {
    let id = Int(symbol.id)
    if id < days.count, !isDated, time.ns < days[id].end {
      if time.ns >= days[id].time { days[id].note(price, time.ns) }
      return nil
    }
    return takeFar(symbol, price, time, isDated)
  }

  @inline(never)
  private mutating func takeFar(_ symbol: Symbol, _ price: Price, _ time: Timestamp, _ isDated: Bool) -> Opening? {
    let id = Int(symbol.id)
    days.grow(toHold: id, filling: Day())
    let calendar = instruments.calendar(for: symbol)
    let date = TradingDate(of: time, calendar, isDated: isDated)
    let last = days[id]
    if last.end != .min, date <= last.date {
      if date == last.date, time.ns >= last.time { days[id].note(price, time.ns) }
      return nil
    }
    let begin = calendar.map { $0.hours(of: date)?.lowerBound ?? time } ?? date.midnight
    var close = last.end == .min ? past.close(of: symbol, before: date, beginning: begin, calendar) : (last.price, last.date)
    if let known = close, let instrument = instruments[symbol], !instrument.splits.isEmpty {
      // If the ratio does not fit, no close is known.
      let adjusted = instrument.splitRatio(after: known.date, through: date).flatMap { $0.inverse.applied(to: known.price.raw) }
      close = adjusted.map { (Price(raw: $0), known.date) }
    }
    days[id] = Day(end: date.end(calendar), date: date, price: price, time: time.ns)
    return Opening(close: close?.price)
  }
}

/// Written without the instruments and their past: what was decoded is to be passed to `init(_:_:after:)`.
extension PreviousCloses: Codable {
  package init(from decoder: any Decoder) throws {
    self.init(PastPrices(), Instruments())
    for (symbol, day) in try [Symbol: Day](from: decoder) {
      days.grow(toHold: Int(symbol.id), filling: Day())
      days[Int(symbol.id)] = day
    }
  }

  package func encode(to encoder: any Encoder) throws {
    let begun = days.indices.lazy.filter { days[$0].end != .min }
    try Dictionary(uniqueKeysWithValues: begun.map { (Symbol(id: UInt32($0)), days[$0]) }).encode(to: encoder)
  }
}

extension PastPrices {
  /// The last price known before a trading date that begins at `begin`, with its date: the newest close, or a last price of a later date.
  package func close(
    of symbol: Symbol, before date: TradingDate, beginning begin: Timestamp, _ calendar: TradingCalendar?
  ) -> (price: Price, date: TradingDate)? {
    let close = close(of: symbol, before: Int(date.days)).map { (price: $0.price, date: TradingDate(days: Int32(clamping: $0.day))) }
    guard let last = last(of: symbol), last.time < begin else { return close }
    let lastDate = TradingDate(of: last.time, calendar, isDated: true)
    if lastDate >= date || close.map({ $0.date >= lastDate }) ?? false { return close }
    return (last.price, lastDate)
  }
}

extension Instruments {
  /// A bar of a day or more, with midnight UTC of its date as its time: so each date has one bar, wherever its feed lets dates begin. The
  /// date is that of the symbol's calendar, or else the one that begins in the run's zone; other bars stay unchanged.
  package func dated(_ bar: Bar) -> Bar {
    if bar.length < .day { return bar }
    var dated = bar
    dated.time = midnight(ofDayFrom: bar.time, bar.symbol)
    return dated
  }

  /// Midnight UTC of the date of a bar of a day or more that begins at `time`.
  package func midnight(ofDayFrom time: Timestamp, _ symbol: Symbol) -> Timestamp {
    let date = calendar(for: symbol)?.tradingDate(ofDayFrom: time) ?? zone?.date(ofMidnight: time)
    return date?.midnight ?? time
  }
}

extension TradingDate {
  /// The trading date of a moment, in UTC without a calendar.
  ///
  /// - Parameter isDated: whether a midnight, in UTC or at the exchange, stands for the date that it begins.
  package init(of time: Timestamp, _ calendar: TradingCalendar?, isDated: Bool = false) {
    guard let calendar else {
      self.init(days: Int32(clamping: Self.day(time.ns)))
      return
    }
    self = isDated ? calendar.tradingDate(ofDayFrom: time) : calendar.tradingDate(of: time)
  }

  /// The beginning of the date in UTC.
  package var midnight: Timestamp {
    let (ns, overflow) = Int64(days).multipliedReportingOverflow(by: Self.nanoseconds)
    return Timestamp(ns: overflow ? (days < 0 ? .min : .max) : ns)
  }

  /// When the first session of the next trading date begins.
  package func end(_ calendar: TradingCalendar?) -> Int64 {
    guard let calendar else { return advanced(by: 1).midnight.ns }
    return calendar.next(after: self).flatMap { calendar.hours(of: $0) }?.lowerBound.ns ?? .max
  }

  private static var nanoseconds: Int64 { 86_400_000_000_000 }
  private static func day(_ ns: Int64) -> Int { Int(ns).quotient(by: Int(nanoseconds)) }
}
