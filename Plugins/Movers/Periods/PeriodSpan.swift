package import MarketData
internal import StockbusInstruments

/// One period of a calendar: a day, a session or a week. Times are nanoseconds since the epoch.
///
/// The periods of a calendar do not overlap. For the lists, a period lasts until the next one begins; `end` is when they are cleared.
package struct PeriodSpan: Hashable, Sendable, Codable {
  /// The first moment that belongs to it.
  package var start: Int64
  /// Prices count from `start` until before this moment.
  package var until: Int64
  /// The lists are cleared at this moment; not before `until`.
  package var end: Int64

  /// A period in which prices always count.
  package init(start: Int64, end: Int64) {
    self.init(start: start, until: end, end: end)
  }

  package init(start: Int64, until: Int64, end: Int64) {
    self.start = start
    self.until = until
    self.end = end
  }
}

/// The days, sessions or weeks of the exchanges that share a calendar.
package protocol PeriodCalendar: Sendable {
  /// The period that contains `time`, or that lasts until the next one begins; nil if a price at this time counts in no period.
  func span(at time: Int64) -> PeriodSpan?
  /// A moment of the trading date for the time of a bar of a day, or of an unknown length: midnight in UTC or at the exchange, or without a
  /// calendar, only for days, in the zone of the run. Other times stay as they are.
  func moment(ofBarAt time: Int64, isDay: Bool) -> Int64
  /// The moment at which the print of an auction at `time` counts; a print just beside the session that it opens or closes is in it.
  func moment(of auction: TradeCondition, at time: Int64) -> Int64
}

extension PeriodCalendar {
  package func moment(ofBarAt time: Int64, isDay: Bool) -> Int64 { time }
  package func moment(of auction: TradeCondition, at time: Int64) -> Int64 { time }
}

/// Days and weeks in UTC, for symbols without a known calendar.
package struct UTCPeriods: PeriodCalendar {
  private static var day: Int64 { 86_400_000_000_000 }
  private let length: Int64
  /// How long after the epoch a period begins.
  private let offset: Int64
  /// The zone in which the dates of bars may also begin.
  var zone: ExchangeClock?

  /// Days from midnight to midnight.
  package static let days = UTCPeriods(length: day, offset: 0)
  /// From Monday to Sunday, as in ISO 8601; the epoch was a Thursday.
  package static let weeks = UTCPeriods(length: 7 * day, offset: 4 * day)

  private init(length: Int64, offset: Int64) {
    self.length = length
    self.offset = offset
  }

  package func moment(ofBarAt time: Int64, isDay: Bool) -> Int64 {
    isDay ? zone?.date(ofMidnight: Timestamp(ns: time))?.midnight.ns ?? time : time
  }

  package func span(at time: Int64) -> PeriodSpan? {
    let (moved, isFar) = time.subtractingReportingOverflow(offset)
    if isFar { return nil }
    let rest = moved % length
    let (start, isEarly) = time.subtractingReportingOverflow(rest < 0 ? rest + length : rest)
    let (end, isLate) = start.addingReportingOverflow(length)
    return isEarly || isLate ? nil : PeriodSpan(start: start, end: end)
  }
}
