public import MarketData

/// Says to which session a time belongs, for windows such as `session` and `first 15m`.
public protocol SessionSource: Sendable {
  /// The session at this time, from its begin to its end. Between two sessions it is the next one, whose values then begin with it, or the
  /// last one, whose values then stay. It is asked for once for each
  /// session of a key, and after its end with every event.
  func session(of symbol: Symbol, at time: Timestamp) -> Range<Timestamp>
}

/// Sessions of 24 hours that begin at a time of day in UTC.
public struct DaySessions: SessionSource {
  private let begin: Int64

  /// - Parameter begin: nanoseconds after midnight.
  public init(beginning begin: Int64 = 0) { self.begin = begin }

  public func session(of _: Symbol, at time: Timestamp) -> Range<Timestamp> {
    let day: Int64 = 86_400_000_000_000
    let (shifted, isOver) = time.ns.subtractingReportingOverflow(begin)
    if isOver { return Timestamp(ns: .min)..<Timestamp(ns: .max) }
    let offset = (shifted % day + day) % day
    let (start, isEarly) = time.ns.subtractingReportingOverflow(offset)
    let (end, isLate) = start.addingReportingOverflow(day)
    return Timestamp(ns: isEarly ? .min : start)..<Timestamp(ns: isLate ? .max : end)
  }
}
