package import EventBus
internal import MarketData
internal import Synchronization

/// Lets the watermarks of live sources that wait for input follow the clock, as far as readers need it.
///
/// A reader that waits for a time calls `want`, and nothing happens before that time. So a run in which no reader waits for a time has no
/// timer.
package final class WatermarkClock: Sendable {
  private struct State {
    /// The times that readers wait for, in nanoseconds since the epoch, by the readers' names.
    var wants: [String: Int64] = [:]
    /// The outputs of the sources.
    var sources: [any AnyTopic] = []
    /// True if some component of the run works with time.
    var isUsed: Bool
    /// True after a source that was busy when asked has begun to wait.
    var hasRung = false
  }

  private let state: Mutex<State>
  private let parker = Parker()

  package init(isUsed: Bool) { state = Mutex(State(isUsed: isUsed)) }

  /// True if some component of the run works with time.
  var isUsed: Bool { state.withLock { $0.isUsed } }

  /// Called when a component that works with time joins the run.
  package func use() { state.withLock { $0.isUsed = true } }

  /// Adds the output of a source.
  package func add(_ source: any AnyTopic) {
    source.idle.whenAskedFor { [weak self] in self?.ring() }
    state.withLock { $0.sources.append(source) }
  }

  /// Removes the output of a source that has left the run.
  package func remove(_ source: any AnyTopic) { state.withLock { $0.sources.removeAll { $0 === source } } }

  /// Sets the time for which a reader waits; `Int64.max` if for none.
  package func want(_ time: Int64, by reader: String) {
    let isNews = state.withLock { state in
      let before = state.wants.updateValue(time, forKey: reader)
      return before != time && time != .max
    }
    if isNews { parker.wake() }
  }

  private func ring() {
    state.withLock { $0.hasRung = true }
    parker.wake()
  }

  /// Advances the watermarks of the sources' outputs when their time is due, until the task is cancelled.
  package func run(_ clock: any Timekeeper) async {
    while !Task.isCancelled {
      // The clock is read before the sources are asked; see `IdleMark`.
      let now = clock.now.ns
      guard let next = pass(now), next != .max else {
        await parker.sleepCancellably()
        continue
      }
      await parker.sleep(until: clock.uptime + .nanoseconds(max(0, next.addingSaturating(1) - now)), clock)
    }
  }

  /// Advances the watermarks if it is time; returns the next time for which a reader waits. Not part of `run`, which would keep the topics
  /// while it sleeps, including those of sources that leave.
  private func pass(_ now: Int64) -> Int64? {
    let (isDue, next, sources) = state.withLock { state -> (Bool, Int64?, [any AnyTopic]) in
      var isDue = state.hasRung
      state.hasRung = false
      // A time that is due is removed; the reader sets it again if it still waits.
      for (reader, time) in state.wants where time < now {
        state.wants[reader] = nil
        isDue = true
      }
      return (isDue, state.wants.values.min(), state.sources)
    }
    if isDue { for topic in sources where topic.isFollowed && topic.idle.ask() { topic.advance(to: Timestamp(ns: now - 1)) } }
    return next
  }
}
