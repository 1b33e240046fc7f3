internal import Dispatch
internal import StockbusPlugin

/// Measures the latency of events over the edges of a run, one event of each edge at a time, while its figures are requested.
///
/// A run without such requests measures nothing. Figures are kept by the names of the edges' ends, so they grow with the number of names,
/// not with the changes of the run.
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
    /// The latency from when an event is published until its reader has finished it.
    package var edges: [Ends: LatencyCounts] = [:]
    /// The latency from when a component takes a batch until it has finished each event of it.
    package var components: [String: LatencyCounts] = [:]
  }

  private struct State {
    var reading = Reading()
    /// Measures until then, by the run's clock.
    var until = Duration.zero
  }

  /// Between two measurements of an edge, at least.
  static let period = Duration.milliseconds(20)
  /// How long measuring continues after the last request: longer than the usual interval of monitoring.
  static let patience = Duration.seconds(150)

  private let state = Guarded(State())
  private let parker = Parker()
  private let now: @Sendable () -> Int64

  /// - Parameter now: in nanoseconds, monotonic.
  init(now: @escaping @Sendable () -> Int64 = { Int64(DispatchTime.now().uptimeNanoseconds) }) { self.now = now }

  /// Returns the figures measured so far, and starts or continues measuring.
  func ask(_ clock: any Timekeeper) -> Reading {
    let (reading, wasAsleep) = state.withLock { state in
      let wasAsleep = state.until <= clock.uptime
      state.until = clock.uptime + Self.patience
      return (state.reading, wasAsleep)
    }
    if wasAsleep { parker.wake() }
    return reading
  }

  /// Measures as long as figures are requested, until the task is cancelled.
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
