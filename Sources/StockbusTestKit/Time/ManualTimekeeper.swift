internal import EventBus
public import MarketData
public import StockbusPlugin

/// A clock that a test moves by hand; nothing ever waits for the wall.
///
/// ```swift
/// let clock = ManualTimekeeper()
/// await clock.waitForSleepers(1)      // the source has sent its first round and sleeps
/// clock.advance(by: .seconds(2))      // and now it is due again
/// ```
///
/// Sleepers are resumed in the order of their deadlines, those of one deadline in the order in which they fell asleep; what they
/// do after that runs concurrently, so wait for it.
public final class ManualTimekeeper: Timekeeper {
  private struct Sleeper: Sendable {
    let deadline: Duration
    let isDue = Latch()
  }

  private struct State: Sendable {
    var uptime: Duration
    /// By deadline, then by arrival.
    var sleepers: [Sleeper] = []
  }

  /// The time of day when `uptime` was zero.
  public let epoch: Timestamp
  private let state: Watched<State>

  /// - Parameter start: the time of day now, 2013-10-08T13:30:00Z unless told; `uptime` begins at zero.
  public init(start: Timestamp = Timestamp(ns: 1_381_239_000_000_000_000)) {
    epoch = start
    state = Watched(State(uptime: .zero))
  }

  public var uptime: Duration { state.value.uptime }

  public var now: Timestamp { Timestamp(ns: epoch.ns + uptime.wholeNanoseconds) }

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

  /// Moves the clock forward and resumes everybody whose deadline is reached. They find the clock at its new time.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "time does not go back")
    let due = state.update { state in
      state.uptime += duration
      let count = state.sleepers.prefix { $0.deadline <= state.uptime }.count
      defer { state.sleepers.removeFirst(count) }
      return Array(state.sleepers.prefix(count))
    }
    for sleeper in due { sleeper.isDue.fire() }
  }

  /// Moves the clock to the earliest deadline of those who sleep; answers by how much, nil where nobody sleeps.
  @discardableResult
  public func advanceToNextDeadline() -> Duration? {
    guard let deadline = deadlines.first else { return nil }
    let step = deadline - uptime
    advance(by: max(step, .zero))
    return step
  }

  /// The deadlines of those who sleep now, the earliest first, measured as `uptime` is.
  public var deadlines: [Duration] { state.value.sleepers.map(\.deadline) }

  /// Returns when at least `count` sleep, or the task is cancelled.
  public func waitForSleepers(_ count: Int) async { await state.wait { $0.sleepers.count >= count } }

  /// Returns when somebody sleeps until exactly `deadline`, or the task is cancelled.
  public func waitForSleeper(until deadline: Duration) async { await state.wait { $0.sleepers.contains { $0.deadline == deadline } } }

  /// Lets time go by itself until the task is cancelled: whenever somebody sleeps, the clock jumps to the earliest deadline.
  ///
  /// For work with one sleeper, such as a source that paces itself; with several, who sleeps when is a matter of luck.
  public func run() async {
    while !Task.isCancelled {
      await waitForSleepers(1)
      // Others may be on their way to an earlier deadline.
      await Task.yield()
      if !Task.isCancelled { advanceToNextDeadline() }
    }
  }

  /// Does something while time goes by itself.
  public nonisolated(nonsending) func running<Result>(
    _ body: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    // Unstructured only in form: it ends before this function returns, or at its next look.
    let hand = Task { await run() }
    defer { hand.cancel() }
    return try await body()
  }
}
