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

  @Test func `what both have at one time is the same, what is left belongs to the nearest`() {
    let changes = RehearsalChanges(from: [1, 2, 5, 9].map { alert($0) }, to: [1, 3, 9, 12].map { alert($0) })
    #expect(changes.same == 2)
    #expect(changes.moved.map { [$0.before, $0.after] }.map(seconds) == [[2, 3], [5, 12]])
    #expect(changes.more.isEmpty && changes.less.isEmpty)
    // One that is lost does not shift the others.
    let lost = RehearsalChanges(from: [10, 100, 200, 300].map { alert($0) }, to: [101, 201, 301].map { alert($0) })
    #expect(seconds(lost.less) == [10] && lost.more.isEmpty)
    #expect(lost.moved.map { [$0.before, $0.after] }.map(seconds) == [[100, 101], [200, 201], [300, 301]])
    let new = RehearsalChanges(from: [100, 200].map { alert($0) }, to: [10, 99, 198].map { alert($0) })
    #expect(seconds(new.more) == [10] && new.less.isEmpty && new.moved.count == 2)
  }

  @Test func `rules and instruments are compared apart`() {
    let changes = RehearsalChanges(
      from: [alert(1, "high"), alert(2, "high", "MSFT")], to: [alert(1, "low"), alert(3, "high"), alert(4, "high")])
    #expect(seconds(changes.less) == [2] && seconds(changes.more) == [1, 4])
    #expect(changes.moved.map { [$0.before, $0.after] }.map(seconds) == [[1, 3]])
  }

  /// How many are the same, and how many are left on each side: removes one after the other what both have.
  private func model(_ before: [RehearsedAlert], _ after: [RehearsedAlert]) -> (same: Int, left: Int, open: Int) {
    var counts = (same: 0, left: 0, open: 0)
    for rule in ["high", "low"] {
      for symbol in ["AAPL", "MSFT"] as [Symbol] {
        var left = seconds(before.filter { $0.alert.rule == rule && $0.alert.symbol == symbol })
        var open = 0
        for second in seconds(after.filter { $0.alert.rule == rule && $0.alert.symbol == symbol }) {
          if let place = left.firstIndex(of: second) { left.remove(at: place) } else { open += 1 }
        }
        let all = after.count { $0.alert.rule == rule && $0.alert.symbol == symbol }
        counts.same += all - open
        counts.left += left.count
        counts.open += open
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
    let moved = changes.moved.count
    #expect((changes.same, changes.less.count + moved, changes.more.count + moved) == model(before, after))
    #expect(changes.moved.allSatisfy { $0.before.alert.rule == $0.after.alert.rule && $0.before.alert.symbol == $0.after.alert.symbol })
  }
}
