internal import Dispatch
internal import EventBus
internal import StockbusPlugin

/// Measures how long events take over the edges of a run, one event of each edge at a time, while its figures are asked for.
///
/// A run whose latencies nobody has asked for measures nothing. What is known is kept by the names of the edges' ends, so it grows with the
/// number of names, not with the changes of the run.
package final class LatencyWatch: Sendable {
  /// The ends of an edge.
  package struct Ends: Sendable, Hashable {
    package let from: String
    package let to: String

    package init(from: String, to: String) {
      self.from = from
      self.to = to
    }
  }

  package struct Reading: Sendable {
    /// From when an event is published until its reader has finished it.
    package var edges: [Ends: LatencyCounts] = [:]
    /// From when a component takes an event in hand, with the batch that it is in, until it has finished it.
    package var components: [String: LatencyCounts] = [:]
  }

  private struct State {
    var reading = Reading()
    /// Measures until then, by the run's clock.
    var until = Duration.zero
  }

  /// Between two measurements of an edge, at least.
  static let period = Duration.milliseconds(20)
  /// How long measuring goes on when nobody asks any more: longer than the usual interval of monitoring.
  static let patience = Duration.seconds(150)

  private let state = Guarded(State())
  private let parker = Parker()
  private let now: @Sendable () -> Int64

  /// - Parameter now: in nanoseconds, monotonic.
  init(now: @escaping @Sendable () -> Int64 = { Int64(DispatchTime.now().uptimeNanoseconds) }) { self.now = now }

  /// What was measured so far. Measuring begins, or goes on.
  func ask(_ clock: any Timekeeper) -> Reading {
    let (reading, wasAsleep) = state.withLock { state in
      let wasAsleep = state.until <= clock.uptime
      state.until = clock.uptime + Self.patience
      return (state.reading, wasAsleep)
    }
    if wasAsleep { parker.wake() }
    return reading
  }

  /// Measures while it is asked for, until the task is cancelled.
  func run(_ clock: any Timekeeper, _ slots: @Sendable () -> [Slot]) async {
    while !Task.isCancelled {
      if clock.uptime < state.withLock({ $0.until }) {
        for slot in slots() { time(slot) }
        try? await clock.sleep(for: Self.period)
      } else {
        await parker.sleepCancellably()
      }
    }
  }

  private func time(_ slot: Slot) {
    for inlet in slot.ports.map(\.inlet) {
      let ends = Ends(from: inlet.name, to: slot.id)
      inlet.time(by: now) { [weak self] timing in self?.add(timing, ends) }
    }
  }

  private func add(_ timing: EdgeTiming, _ ends: Ends) {
    state.withLock { state in
      state.reading.edges[ends, default: LatencyCounts()].add(Int(timing.finished - timing.published))
      state.reading.components[ends.to, default: LatencyCounts()].add(Int(timing.finished - timing.taken))
    }
  }
}
