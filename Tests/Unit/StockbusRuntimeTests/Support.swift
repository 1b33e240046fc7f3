import EventBus
import StockbusPlugin
import StockbusRuntime
import StockbusTestKit

/// The components of these tests.
let plugins: [Plugin] =
  [.numbers, .venue, .tocks, .dice, .pass, .asyncPass, .multiples, .echo, .keep, .keepBoth, .letters, .port] + Plugin.sums

func pipeline(_ text: String) throws -> PipelineHarness { try PipelineHarness(text, plugins: plugins) }

extension RunReport {
  func fate(_ id: String) -> Fate? { fates.first { $0.id == id } }
  func counts(_ from: String, _ to: String) -> EdgeCounts? { ledger.edges.first { $0.from == from && $0.to == to }?.counts }
  func counter(_ component: String, _ name: String) -> Int? {
    ledger.counters.first { $0.component == component && $0.name == name }?.total
  }
}

/// Counts for comparison: everything that is not given is zero.
func counts(in published: Int, delivered: Int = 0, filtered: Int = 0, dropped: Int = 0, conflated: Int = 0, dead: Int = 0) -> EdgeCounts {
  var counts = EdgeCounts()
  counts.published = published
  counts.delivered = delivered
  counts.filtered = filtered
  counts.dropped = dropped
  counts.conflated = conflated
  counts.deadLettered = dead
  return counts
}

extension ManualTimekeeper {
  /// Waits until a task sleeps for a pause drawn from the upper half below `bound`; returns its end.
  @discardableResult
  func waitForPause(upTo bound: Duration) async -> Duration {
    while true {
      if let end = deadlines.first(where: { $0 >= uptime + bound / 2 && $0 <= uptime + bound }) { return end }
      await Task.yield()
    }
  }

  func passPause(upTo bound: Duration) async { advance(by: await waitForPause(upTo: bound) - uptime) }
}
