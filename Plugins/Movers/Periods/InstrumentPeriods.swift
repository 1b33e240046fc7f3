internal import StockbusInstruments
internal import StockbusPlugin

/// The days, sessions or weeks of an exchange.
///
/// A day begins with the first session of a trading date and lasts until the first session of the next one begins; so a Friday's lists stay over
/// the weekend. A week begins with its first trading date, and a session is the regular one.
struct InstrumentPeriods: PeriodCalendar {
  let calendar: TradingCalendar
  let period: MoverPeriod

  func span(at time: Int64) -> PeriodSpan? {
    let date = calendar.tradingDate(of: Timestamp(ns: time))
    switch period {
    case .week:
      guard let first = calendar.firstOfWeek(date), let start = calendar.hours(of: first)?.lowerBound else { return nil }
      return PeriodSpan(start: start.ns, end: begin(after: date.monday.advanced(by: 6)))
    case .session: return session(at: time, date)
    default:
      guard let start = calendar.hours(of: date)?.lowerBound else { return nil }
      return PeriodSpan(start: start.ns, end: begin(after: date))
    }
  }

  /// When the first trading date after `date` begins.
  private func begin(after date: TradingDate) -> Int64 {
    calendar.next(after: date).flatMap { calendar.hours(of: $0) }?.lowerBound.ns ?? .max
  }

  /// The number of dates without a regular session that are checked before the search ends.
  private static var patience: Int { 400 }

  private func session(at time: Int64, _ date: TradingDate) -> PeriodSpan? {
    var date = date
    for _ in 0..<Self.patience {
      if let regular = calendar.regularSession(of: date), regular.lowerBound.ns <= time {
        return PeriodSpan(start: regular.lowerBound.ns, until: regular.upperBound.ns, end: nextSession(after: date))
      }
      guard let earlier = calendar.previous(before: date) else { return nil }
      date = earlier
    }
    return nil
  }

  private func nextSession(after date: TradingDate) -> Int64 {
    var date = date
    for _ in 0..<Self.patience {
      guard let later = calendar.next(after: date) else { return .max }
      if let regular = calendar.regularSession(of: later) { return regular.lowerBound.ns }
      date = later
    }
    return .max
  }

  func moment(of auction: TradeCondition, at time: Int64) -> Int64 { calendar.moment(of: auction, at: Timestamp(ns: time)).ns }

  func moment(ofBarAt time: Int64, isDay: Bool) -> Int64 {
    guard let trading = calendar.date(ofMidnight: Timestamp(ns: time)) else { return time }
    let begin = period == .session ? calendar.regularSession(of: trading) : calendar.hours(of: trading)
    return begin?.lowerBound.ns ?? time
  }
}

extension MarketReference {
  /// The calendars and splits of instruments, and the closes from before the run; symbols without a calendar have the periods of UTC.
  init(_ instruments: Instruments, _ period: MoverPeriod, _ past: PastPrices = PastPrices()) {
    let own: [any PeriodCalendar] = instruments.calendars.map { InstrumentPeriods(calendar: $0, period: period) }
    var utc = period == .week ? UTCPeriods.weeks : .days
    utc.zone = instruments.zone
    let splits = SplitTimes(instruments)
    self.init(
      calendars: own + [utc],
      calendar: { symbol in
        guard let terms = instruments.terms(of: symbol), terms.calendar >= 0 else { return own.count }
        return Int(terms.calendar)
      }, split: { splits.first(of: $0, after: $1) },
      close: { symbol, begin in
        // For rolling hours there is no earlier trading date whose close could be the last price.
        if period == .rolling || past.isEmpty { return nil }
        let calendar = instruments.calendar(for: symbol)
        let date = TradingDate(of: Timestamp(ns: begin), calendar)
        guard let known = past.close(of: symbol, before: date, beginning: Timestamp(ns: begin), calendar) else { return nil }
        // The time of this close is the last moment of its date, so that no later price of that date replaces it.
        let end = calendar?.hours(of: known.date)?.upperBound ?? known.date.advanced(by: 1).midnight
        return (known.price, min(end.ns, begin) - 1)
      })
  }
}
