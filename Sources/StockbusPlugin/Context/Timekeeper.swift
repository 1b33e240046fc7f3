public import MarketData

/// The clock of a run: the system's, or one that a test moves by hand.
public protocol Timekeeper: Sendable {
  /// The time of day.
  var now: Timestamp { get }
  /// Time since some beginning, never set back: what intervals are measured by.
  var uptime: Duration { get }
  /// Suspends until `uptime` reaches `deadline`; throws where the task is cancelled first.
  func sleep(until deadline: Duration) async throws(CancellationError)
}

extension Timekeeper {
  /// Suspends for `duration`.
  public nonisolated(nonsending) func sleep(for duration: Duration) async throws(CancellationError) {
    try await sleep(until: uptime + duration)
  }
}
