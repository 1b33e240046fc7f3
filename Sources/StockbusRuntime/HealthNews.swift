internal import EventBus
internal import MarketData
internal import StockbusPlugin

/// Publishes the states of a run's components on its topic `health`, as they change.
///
/// Code that changes a state calls `look`. No code notices when a degraded component makes progress again, so while one is degraded, `run` looks
/// every second.
final class HealthNews: Sendable {
  /// What was told last of each component, by its number.
  private let told = Guarded([Int: Health.State]())
  private let parker = Parker()

  /// Tells what has changed since the last call. Any task may call, without a lock.
  func look(_ pipeline: Pipeline) {
    // Under the lock, so that the news of one component come in their order.
    let isWanted = told.withLock { told in
      let (isStopping, members) = (pipeline.isStopping, pipeline.presentAndFormer)
      var now: [Int: Health.State] = [:]
      for member in members {
        let vitals = member.vitals.reading
        let state = member.state(vitals, isStopping: isStopping)
        now[member.number] = state
        if state == .planned || told[member.number] == state { continue }
        pipeline.notices.post(
          Health(
            component: member.id, state: state, starts: Int64(vitals.attempts), reason: vitals.reason ?? "", time: pipeline.clock.now))
      }
      told = now
      return now.values.contains(.degraded)
    }
    if isWanted { parker.wake() }
  }

  /// Until the task is cancelled.
  func run(_ clock: any Timekeeper, _ look: @Sendable () -> Void) async {
    while !Task.isCancelled {
      if told.withLock({ $0.values.contains(.degraded) }) {
        try? await clock.sleep(for: .seconds(1))
        look()
      } else {
        await parker.sleepCancellably()
      }
    }
  }
}
