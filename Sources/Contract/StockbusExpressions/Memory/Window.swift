/// How much of the past a function takes.
enum Window: Hashable, Sendable {
  /// The last events.
  case events(Int)
  /// By event time, in nanoseconds: what is after now minus this, up to now.
  case time(Int64)
  case session
  /// The beginning of the session, in nanoseconds.
  case opening(Int64)

  /// The largest number of events.
  static let mostEvents = 10_000

  /// A window of time: what is after its edge, up to its last time.
  typealias Bounds = (edge: Int64, last: Int64)

  @inline(__always)
  func bounds(now: Int64, sessionBegin begin: Int64) -> Bounds {
    switch self {
    case .time(let span):
      let (edge, isOver) = now.subtractingReportingOverflow(span)
      return (isOver ? .min : edge, .max)
    case .session: return (begin > .min ? begin &- 1 : .min, .max)
    case .opening(let span):
      let (end, isOver) = begin.addingReportingOverflow(span)
      return (begin > .min ? begin &- 1 : .min, isOver ? .max : end &- 1)
    case .events: return (.max, .max)
    }
  }

  var isSession: Bool {
    switch self {
    case .session, .opening: true
    case .events, .time: false
    }
  }
}

/// What is computed over the values in a window.
enum Statistic: BitwiseCopyable {
  case sum, mean, count, vwap, deviation, score, highest, lowest, first
}
