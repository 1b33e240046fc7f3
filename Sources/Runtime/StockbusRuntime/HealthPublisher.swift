internal import StockbusPlugin

/// Publishes the states of a run's components on its topic `health`, as they change.
///
/// Code that changes a state calls `look`. No code notices when a component makes progress again after a failure, so as long as one has
/// not, `run` checks every second.
final class HealthPublisher: Sendable {
  private struct State {
    /// The state of each component that was published last, by the component's number.
    var published: [Int: Health.State] = [:]
    /// True while a component has made no progress after a failure.
    var isWatching = false
  }

  private let state = Guarded(State())
  private let parker = Parker()

  /// Publishes the changes since the last call. Any task may call it, without a lock.
  func look(_ pipeline: Pipeline) {
    // Under the lock, so that the changes of one component are published in order.
    let isWatching = state.withLock { last in
      let (isStopping, members) = (pipeline.isStopping, pipeline.presentAndFormer)
      var now = State()
      for member in members {
        let vitals = member.vitals.reading
        let state = member.state(vitals, isStopping: isStopping)
        now.published[member.number] = state
        if state == .degraded, vitals.trouble == nil, vitals.standstill == nil { now.isWatching = true }
        if state == .planned || last.published[member.number] == state { continue }
        pipeline.notices.post(
          Health(
            component: member.id, state: state, starts: Int64(vitals.attempts), reason: vitals.reason ?? "", time: pipeline.clock.now))
      }
      last = now
      return now.isWatching
    }
    if isWatching { parker.wake() }
  }

  /// Checks every second while necessary, until the task is cancelled.
  func run(_ clock: any Timekeeper, _ look: @Sendable () -> Void) async {
    while !Task.isCancelled {
      if state.withLock({ $0.isWatching }) {
        try? await clock.sleep(for: .seconds(1))
        look()
      } else {
        await parker.sleepCancellably()
      }
    }
  }
}
