/// The sessions of one trading date, by the clock of the exchange.
struct DayPlan: Hashable, Sendable {
  /// A session in seconds from the midnight at which the date begins; negative on the day before.
  struct Session: Hashable, Sendable {
    var kind: SessionKind
    var start: Int
    var end: Int
  }

  /// The sessions in order, without overlaps; none on a day without trading.
  var sessions: [Session] = []

  /// Sessions begin on the day before at the earliest, and end at the midnight after the date.
  static let bounds = -86_400...86_400

  /// The beginning and end of the regular sessions; nil without one.
  var regular: Range<Int>? {
    let regular = sessions.filter { $0.kind == .regular }
    guard let first = regular.first, let last = regular.last else { return nil }
    return first.start..<last.end
  }

  /// The plan with a late open, an early close, or both, in seconds from midnight; nil if no regular session would be left, or if the times
  /// are not inside the usual ones.
  ///
  /// An early close ends the regular session; sessions after the usual close keep their length and begin earlier by the same time. A late
  /// open shortens only the regular session.
  func changed(opening: Int? = nil, closing: Int? = nil) -> DayPlan? {
    guard let usual = regular else { return nil }
    let open = opening ?? usual.lowerBound
    let close = closing ?? usual.upperBound
    guard usual.lowerBound <= open, open < close, close <= usual.upperBound else { return nil }
    let shift = usual.upperBound - close
    var plan = DayPlan()
    for var session in sessions {
      if session.start >= usual.upperBound {
        session.start -= shift
        session.end -= shift
      } else {
        if session.kind == .regular { session.start = max(session.start, open) }
        session.end = min(session.end, close)
      }
      if session.start < session.end { plan.sessions.append(session) }
    }
    return plan.regular == nil ? nil : plan
  }
}
