import MarketData
import TestSupport
import Testing

@testable import StockbusProgram

/// How two rehearsals differ.
@Suite struct RehearsalChangesTests {
  private func alert(_ second: Int64, _ rule: String = "high", _ symbol: Symbol = "AAPL") -> RehearsedAlert {
    RehearsedAlert(
      component: "desk", alert: Alert(symbol: symbol, rule: rule, message: "", price: 1, time: Timestamp(ns: second * 1_000_000_000)))
  }

  private func seconds(_ alerts: [RehearsedAlert]) -> [Int64] { alerts.map { $0.alert.time.ns / 1_000_000_000 } }

  @Test func `what both have at one time is the same, what is left belongs together in its order`() {
    let changes = RehearsalChanges(from: [1, 2, 5, 9].map { alert($0) }, to: [1, 3, 9, 12].map { alert($0) })
    #expect(changes.same == 2)
    #expect(changes.moved.map { [$0.before, $0.after] }.map(seconds) == [[2, 3], [5, 12]])
    #expect(changes.more.isEmpty && changes.less.isEmpty)
  }

  @Test func `rules and instruments are compared apart`() {
    let changes = RehearsalChanges(
      from: [alert(1, "high"), alert(2, "high", "MSFT")], to: [alert(1, "low"), alert(3, "high"), alert(4, "high")])
    #expect(seconds(changes.less) == [2] && seconds(changes.more) == [1, 4])
    #expect(changes.moved.map { [$0.before, $0.after] }.map(seconds) == [[1, 3]])
  }

  /// Removes one after the other what both sides have.
  private func model(_ before: [RehearsedAlert], _ after: [RehearsedAlert]) -> (same: Int, moved: Int, more: Int, less: Int) {
    var counts = (same: 0, moved: 0, more: 0, less: 0)
    for rule in ["high", "low"] {
      for symbol in ["AAPL", "MSFT"] as [Symbol] {
        var left = seconds(before.filter { $0.alert.rule == rule && $0.alert.symbol == symbol })
        var open = 0
        for second in seconds(after.filter { $0.alert.rule == rule && $0.alert.symbol == symbol }) {
          if let place = left.firstIndex(of: second) { left.remove(at: place) } else { open += 1 }
        }
        let all = after.count { $0.alert.rule == rule && $0.alert.symbol == symbol }
        counts.same += all - open
        counts.moved += min(open, left.count)
        counts.more += max(0, open - left.count)
        counts.less += max(0, left.count - open)
      }
    }
    return counts
  }

  @Test(arguments: 0..<50 as Range<UInt64>) func `is what a model finds`(seed: UInt64) {
    var random = SplitMix(seed)
    func some() -> [RehearsedAlert] {
      (0..<random.upTo(40)).map { _ in
        alert(Int64(random.upTo(20)), random.oneIn(2) ? "high" : "low", random.oneIn(2) ? "AAPL" : "MSFT")
      }.sorted { $0.isBefore($1) }
    }
    let (before, after) = (some(), some())
    let changes = RehearsalChanges(from: before, to: after)
    #expect(
      (changes.same, changes.moved.count, changes.more.count, changes.less.count) == model(before, after))
  }
}
