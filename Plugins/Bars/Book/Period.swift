internal import MarketData

/// The period of a bar: from `start` to before `end`, in nanoseconds since the epoch.
struct Period: BitwiseCopyable, Hashable {
  var start: Int64
  var end: Int64
  var session = MarketSession.unknown

  @inline(__always)
  func contains(_ time: Int64) -> Bool { start <= time && time < end }
}

/// Divides time into the periods of one symbol's bars. Called once for each bar that begins.
struct Periods: Sendable {
  /// The calendar of the symbol's instrument; without one, days are those of UTC, weeks begin on Monday, and periods below a day are
  /// counted from the epoch.
  let calendar: (any BarCalendar)?

  /// Monday 1969-12-29, from which weeks are counted.
  private static let monday: Int64 = -3 * 86_400_000_000_000

  /// The period that contains `time`, for a length of `nanoseconds`; nil beyond the range of times, and if no trade counts at that time.
  ///
  /// With a calendar, periods below a day are counted from the beginning of the session and end with it at the latest. The period of a day
  /// or a week lasts from its first session to its last.
  func period(of time: Int64, _ nanoseconds: Int64) -> Period? {
    guard let calendar else { return Self.utc(time, nanoseconds) }
    guard let session = calendar.session(at: time) else { return nil }
    if nanoseconds >= BarLength.day.raw {
      let hours = nanoseconds == BarLength.week.raw ? calendar.week(of: session.date) : calendar.day(session.date)
      return Period(start: hours.lowerBound, end: hours.upperBound, session: calendar.sessionOfDays)
    }
    let start = session.start &+ Int64((UInt64(bitPattern: time &- session.start) / UInt64(nanoseconds)) * UInt64(nanoseconds))
    return Period(start: start, end: min(start.addingSaturating(nanoseconds), session.end), session: session.session)
  }

  /// The period to which a bar of a day or more belongs as a part, by its date.
  func period(ofDayAt stamp: Int64, _ nanoseconds: Int64) -> Period? {
    guard let calendar else { return Self.utc(stamp, nanoseconds) }
    let date = calendar.date(ofDayFrom: stamp)
    let hours = nanoseconds == BarLength.week.raw ? calendar.week(of: date) : calendar.day(date)
    return hours.isEmpty ? nil : Period(start: hours.lowerBound, end: hours.upperBound, session: calendar.sessionOfDays)
  }

  /// The stamp of the bar of a period: its start, but for days midnight UTC of the trading date, and for weeks that of Monday.
  func stamp(_ start: Int64, _ nanoseconds: Int64) -> Int64 {
    guard nanoseconds >= BarLength.day.raw, let calendar, let date = calendar.session(at: start)?.date else { return start }
    // 1970-01-05 was a Monday.
    let days = Int64(date) - (nanoseconds == BarLength.week.raw ? Self.modulo(Int64(date) - 4, 7) : 0)
    let (stamp, overflow) = days.multipliedReportingOverflow(by: BarLength.day.raw)
    return overflow ? start : stamp
  }

  /// The period without a calendar.
  static func utc(_ time: Int64, _ nanoseconds: Int64) -> Period? {
    var rest = Self.modulo(time, nanoseconds)
    // Not subtracted from the time, which may overflow.
    if nanoseconds == BarLength.week.raw { rest = Self.modulo(rest &- Self.monday, nanoseconds) }
    let (start, isBefore) = time.subtractingReportingOverflow(rest)
    let (end, isBehind) = start.addingReportingOverflow(nanoseconds)
    return isBefore || isBehind ? nil : Period(start: start, end: end)
  }

  /// The remainder of the floored division, which is never negative.
  private static func modulo(_ a: Int64, _ b: Int64) -> Int64 {
    let rest = a % b
    return rest < 0 ? rest &+ b : rest
  }
}

/// The sessions of a market that count for bars. Dates are days since 1970-01-01.
protocol BarCalendar: Sendable {
  /// The session at `time`; nil if the market is closed, or if its trades then do not count.
  func session(at time: Int64) -> BarSession?
  /// The trading date of a bar of a day or more that begins at `time`.
  func date(ofDayFrom time: Int64) -> Int32
  /// From the begin of the first session of a trading date that counts to the end of the last one; empty if there is none.
  func day(_ date: Int32) -> Range<Int64>
  /// The same for the week of a trading date.
  func week(of date: Int32) -> Range<Int64>
  /// The moment at which the print of an auction at `time` counts; a print just beside the session that it opens or closes is in it.
  func moment(of auction: TradeCondition, at time: Int64) -> Int64
  /// The session of bars of a day or a week; unknown if they may have several.
  var sessionOfDays: MarketSession { get }
}

extension BarCalendar {
  func moment(of auction: TradeCondition, at time: Int64) -> Int64 { time }
}

/// A session of a trading date: from `start` to before `end`.
struct BarSession: BitwiseCopyable, Hashable {
  var session: MarketSession
  var date: Int32
  var start: Int64
  var end: Int64
}
