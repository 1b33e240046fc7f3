internal import StockbusInstruments
internal import StockbusPlugin

/// The calendar of an instrument, reduced to the sessions that count.
struct MarketCalendar: BarCalendar {
  let calendar: TradingCalendar
  let isRegularOnly: Bool

  var sessionOfDays: MarketSession { isRegularOnly ? .regular : .unknown }

  func session(at time: Int64) -> BarSession? {
    let span = calendar.span(at: Timestamp(ns: time))
    guard span.kind == .regular || span.kind != .closed && !isRegularOnly else { return nil }
    return BarSession(session: span.kind.session, date: span.date.days, start: span.start.ns, end: span.end.ns)
  }

  func moment(of auction: TradeCondition, at time: Int64) -> Int64 { calendar.moment(of: auction, at: Timestamp(ns: time)).ns }

  func date(ofDayFrom time: Int64) -> Int32 { calendar.tradingDate(ofDayFrom: Timestamp(ns: time)).days }

  func day(_ date: Int32) -> Range<Int64> { hours(TradingDate(days: date)) ?? 0..<0 }

  func week(of date: Int32) -> Range<Int64> {
    let date = TradingDate(days: date)
    guard let first = calendar.firstOfWeek(date).flatMap(hours), let last = calendar.lastOfWeek(date).flatMap(hours) else { return 0..<0 }
    return first.lowerBound..<max(first.lowerBound, last.upperBound)
  }

  private func hours(_ date: TradingDate) -> Range<Int64>? {
    let hours = isRegularOnly ? calendar.regularSession(of: date) : calendar.hours(of: date)
    return hours.map { $0.lowerBound.ns..<$0.upperBound.ns }
  }
}
