/// Which period of a calendar is open.
struct PeriodClock: Codable, Sendable {
  var span: PeriodSpan?
  /// Everything before this time belongs to periods that are closed.
  var closedUpTo = Int64.min
  /// When the open period is closed if no event does so before.
  var due = Int64.max
}
