internal import MarketData

/// The period of a bar: from `start` to before `end`, in nanoseconds since the epoch.
struct Period: BitwiseCopyable, Hashable {
  var start: Int64
  var end: Int64
  var session = MarketSession.unknown
}

/// How time is divided into the periods of bars. Everything that depends on calendars is asked here, once for each bar that begins.
///
/// Without calendars days are those of UTC, weeks begin on Monday, and periods below a day are counted from the epoch.
struct Periods: Sendable {
  /// Monday 1969-12-29, from which weeks are counted.
  private static let monday: Int64 = -3 * 86_400_000_000_000

  /// The period of `symbol` that contains `time`, for a length of `nanoseconds`; nil if it would leave the range of times.
  func period(of time: Int64, _ nanoseconds: Int64, _ symbol: Symbol) -> Period? {
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
