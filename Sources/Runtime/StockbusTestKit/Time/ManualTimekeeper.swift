public import StockbusPlugin

/// A clock that a test controls; it never waits for real time.
///
/// ```swift
/// let clock = ManualTimekeeper()
/// await clock.waitForSleepers(1)      // the source has sent its first round and sleeps
/// clock.advance(by: .seconds(2))      // and now it is due again
/// ```
///
/// Sleepers are resumed in the order of their deadlines, and for equal deadlines in the order in which they fell asleep. What they do
/// afterwards runs concurrently, so the test must wait for it.
public final class ManualTimekeeper: Timekeeper {
  private struct Sleeper: Sendable {
    let deadline: Duration
    let isDue = Latch()
  }

  private struct State: Sendable {
    var uptime: Duration
    /// The total amount by which the time of day was set.
    var step = Duration.zero
    /// Ordered by deadline, then by arrival.
    var sleepers: [Sleeper] = []
  }

  /// The time of day when `uptime` was zero, by a clock that was never set.
  public let epoch: Timestamp
  private let state: Watched<State>

  /// - Parameter start: the time of day now, by default 2013-10-08T13:30:00Z; `uptime` begins at zero.
  public init(start: Timestamp = Timestamp(ns: 1_381_239_000_000_000_000)) {
    epoch = start
    state = Watched(State(uptime: .zero))
  }

  public var uptime: Duration { state.value.uptime }

  public var now: Timestamp {
    let state = state.value
    return Timestamp(ns: epoch.ns + (state.uptime + state.step).wholeNanoseconds)
  }

  public func sleep(until deadline: Duration) async throws(CancellationError) {
    let sleeper = Sleeper(deadline: deadline)
    await withTaskCancellationHandler {
      let isOver = state.update { state in
        if state.uptime >= deadline || Task.isCancelled { return true }
        let at = state.sleepers.firstIndex { $0.deadline > deadline } ?? state.sleepers.count
        state.sleepers.insert(sleeper, at: at)
        return false
      }
      if !isOver { await sleeper.isDue.wait() }
    } onCancel: {
      state.update { state in state.sleepers.removeAll { $0.isDue === sleeper.isDue } }
    }
    if Task.isCancelled { throw CancellationError() }
  }

  /// Advances the clock and resumes all sleepers whose deadline is reached. They see the new time.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "time cannot go back")
    let due = state.update { state in
      state.uptime += duration
      let count = state.sleepers.prefix { $0.deadline <= state.uptime }.count
      defer { state.sleepers.removeFirst(count) }
      return Array(state.sleepers.prefix(count))
    }
    for sleeper in due { sleeper.isDue.fire() }
  }

  /// Sets the time of day forward or back, as a time service does; `uptime` and sleepers are not affected.
  public func step(by duration: Duration) { state.update { $0.step += duration } }

  /// Advances the clock to the earliest deadline; returns by how much, or nil if no task sleeps.
  @discardableResult
  public func advanceToNextDeadline() -> Duration? {
    guard let deadline = nextDeadline else { return nil }
    let step = deadline - uptime
    advance(by: max(step, .zero))
    return step
  }

  /// Advances the clock to the earliest deadline, and resumes only the first of its sleepers: the others at the next call. So what they do
  /// does not run at the same time, if each call waits for the end of it.
  package func resumeNext() {
    let first = state.update { state -> Sleeper? in
      if state.sleepers.isEmpty { return nil }
      let first = state.sleepers.removeFirst()
      state.uptime = max(state.uptime, first.deadline)
      return first
    }
    first?.isDue.fire()
  }

  /// The deadlines of all sleepers in terms of `uptime`, the earliest first.
  public var deadlines: [Duration] { state.value.sleepers.map(\.deadline) }

  /// The earliest of `deadlines`.
  package var nextDeadline: Duration? { state.value.sleepers.first?.deadline }

  /// Returns when at least `count` tasks sleep, or the task is cancelled.
  public func waitForSleepers(_ count: Int) async { await state.wait { $0.sleepers.count >= count } }

  /// Returns when a task sleeps until exactly `deadline`, or the task is cancelled.
  public func waitForSleeper(until deadline: Duration) async { await state.wait { $0.sleepers.contains { $0.deadline == deadline } } }

  /// Advances the clock by itself until the task is cancelled: whenever a task sleeps, the clock jumps to the earliest deadline.
  ///
  /// For work with one sleeper, such as a source with an interval; with several sleepers the order is not deterministic.
  ///
  /// - Parameter limit: the longest jump. Deadlines that are farther away do not pass, such as those for a peer's answer, which arrives
  ///   over a socket and not by this clock.
  public func run(within limit: Duration = .seconds(Int64.max)) async {
    while !Task.isCancelled {
      await state.wait { state in state.sleepers.first.map { $0.deadline - state.uptime <= limit } ?? false }
      // Other tasks may be about to sleep until an earlier deadline.
      await Task.yield()
      if !Task.isCancelled { advanceToNextDeadline() }
    }
  }

  /// Runs `body` while the clock advances by itself, as `run(within:)` does it.
  public nonisolated(nonsending) func running<Result>(
    within limit: Duration = .seconds(Int64.max), _ body: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    // Unstructured only in form: the task ends before this function returns, or at its next check.
    let hand = Task { await run(within: limit) }
    defer { hand.cancel() }
    return try await body()
  }
}
