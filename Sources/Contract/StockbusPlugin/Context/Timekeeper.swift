package import EventBus
public import MarketData

/// The clock of a run: the system's, or one that a test moves by hand.
public protocol Timekeeper: Sendable {
  /// The time of day. A run's time never goes back: if the machine's clock is set back, the run's time continues from its last value.
  var now: Timestamp { get }
  /// The time of day of the machine's clock, which may be set back: for times that other programs compare with their own clocks.
  var wall: Timestamp { get }
  /// Time since some fixed moment, never set back; for measuring intervals.
  var uptime: Duration { get }
  /// Suspends until `uptime` reaches `deadline`; throws if the task is cancelled first.
  func sleep(until deadline: Duration) async throws(CancellationError)
}

extension Timekeeper {
  public var wall: Timestamp { now }

  /// Suspends for `duration`.
  public nonisolated(nonsending) func sleep(for duration: Duration) async throws(CancellationError) {
    try await sleep(until: uptime + duration)
  }
}

extension Parker {
  /// Suspends until `wake`, until `deadline` if there is one, or until the task is cancelled. May return without a reason, so the caller
  /// must check again.
  package nonisolated(nonsending) func sleep(until deadline: Duration?, _ clock: any Timekeeper) async {
    guard let deadline else { return await sleepCancellably() }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { if (try? await clock.sleep(until: deadline)) != nil { self.wake() } }
      await sleepCancellably()
      group.cancelAll()
    }
  }
}
