import TestSupport
import StockbusPlugin
import Testing

@testable import Bars

@Suite struct ComponentTests {
  private func component(
    _ prices: [Price], x volume: Quantity = 1, turnover: Amount = 0, at time: Int64, _ length: String = "1s", received: Int64? = nil,
    revision: UInt32 = 0
  ) -> Bar {
    Bar(
      symbol: "A", open: prices[0], high: prices[1], low: prices[2], close: prices[3], volume: volume, time: Timestamp(ns: morning + time),
      received: Timestamp(ns: morning + (received ?? time + second)), length: BarLength(length) ?? .unknown, turnover: turnover, count: 1,
      revision: revision)
  }

  private func longer(_ components: [Bar], late: Int64 = 60 * second) -> Outcome {
    var driver = Driver(BarRules(lengths: [.time(60 * second)], late: late, keepsComponents: true))
    driver.take(components)
    driver.drain()
    return driver.outcome
  }

  @Test func `a bar of bars has the first open, the last close and the exact average price`() {
    // 10 × 1 + 20 × 2 = 50, by 3 units: 16.666666667.
    let outcome = longer([
      component([10, 12, 9, 11], x: 1, turnover: 10, at: 0), component([20, 21, 8, 19], x: 2, turnover: 40, at: second),
    ])
    #expect(outcome.bars.map(line) == ["A 1m +0 10/21/8/19 x3 vwap 16.666666667 n2 partial @+2"])
  }

  @Test func `a component that is issued again replaces the one with its start`() {
    let outcome = longer([
      component([10, 30, 1, 11], x: 1, turnover: 10, at: 0), component([20, 21, 8, 19], x: 2, turnover: 40, at: second),
      component([10, 12, 9, 11], x: 4, turnover: 44, at: 0, received: 3 * second, revision: 1),
    ])
    #expect(outcome.bars.map(line) == ["A 1m +0 10/21/8/19 x6 vwap 14 n2 partial @+3"])
  }

  @Test func `the component that came last can be replaced for as long as its bar is open`() {
    let outcome = longer(
      [component([10, 10, 10, 10], at: 0), component([10, 15, 10, 15], at: 0, received: 50 * second)], late: second)
    #expect(outcome.bars.map(line) == ["A 1m +0 10/15/10/15 x1 vwap 15 n1 partial @+50"])
  }

  @Test func `a component that is issued again too late is refused`() {
    let outcome = longer(
      [
        component([10, 10, 10, 10], at: 0), component([11, 11, 11, 11], at: second), component([12, 12, 12, 12], at: 40 * second),
        component([10, 99, 10, 10], at: 0, received: 50 * second, revision: 1),
      ], late: second)
    #expect(outcome.refusals == ["3 late 1m"])
    #expect(outcome.bars.map(line) == ["A 1m +0 10/12/10/12 x3 vwap 11 n3 partial @+50"])
  }

  @Test func `an unknown turnover is taken as the close times the volume`() {
    // 10 × 2 + 13 × 1 = 33, by 3 units.
    let outcome = longer([component([9, 11, 9, 10], x: 2, at: 0), component([13, 13, 13, 13], x: 1, at: second)])
    #expect(outcome.bars.map(line) == ["A 1m +0 9/13/9/13 x3 vwap 11 n2 partial @+2"])
  }

  @Test func `bars that cannot be parts are refused`() {
    let outcome = longer([
      component([9, 9, 9, 9], at: 0, "2m"), component([9, 9, 9, 9], at: 57 * second, "7s"), component([9, 9, 9, 9], at: 0, "100t"),
    ])
    #expect(outcome == Outcome(refusals: ["0 straddles 1m", "1 straddles 1m", "2 notOfTime 1m"]))
  }

  @Test func `a part that is marked partial makes the whole partial, until it is replaced`() {
    var half = component([10, 10, 10, 10], at: 0)
    half.status = .partial
    let end = component([10, 10, 10, 10], at: 60 * second)
    let past = component([10, 10, 10, 10], at: 120 * second)
    #expect(longer([half, end, past]).bars.map(\.status) == [.partial, .complete, .partial])
    #expect(
      longer([half, component([10, 10, 10, 10], at: 0, received: 2 * second, revision: 1), end, past]).bars.map(\.status)
        == [.complete, .complete, .partial])
  }

  @Test(.timeLimit(.minutes(15))) func `bars of bars are the bars of the trades`() {
    var wrong: [Int] = []
    var seen = (bars: 0, revisions: 0)
    for seed in 0..<rounds(300, cost: 5) {
      var random = SplitMix(seed + 4_000_000)
      var rules = RandomTests.rules(&random)
      rules.fills = 0
      rules.lengths = [.time(second)]
      // Each symbol comes once before all else, because the order of symbols is that of their first events.
      let first = (["A", "B", "C"] as [Symbol]).map { trade($0, 10, at: -1000 * second) }
      var trades = first + RandomTests.trades(200, symbols: ["A", "B", "C"], &random)
      var seconds = bars(trades, rules)
      // A trade that came too late for its second is in no component.
      let refused = Set(seconds.refusals.compactMap { Int($0.prefix { $0 != " " }) })
      trades = trades.indices.filter { !refused.contains($0) }.map { trades[$0] }
      seconds = bars(trades, rules)
      #expect(seconds.refusals == [])
      rules.lengths = [.time(5 * second), .time(60 * second), .day]
      let direct = bars(trades, rules)
      rules.keepsComponents = true
      var driver = Driver(rules)
      var at = 0
      while at < seconds.bars.count {
        let end = min(seconds.bars.count, at + random.upTo(10))
        driver.take(seconds.bars[at..<end])
        if random.oneIn(5) { driver.handOver(to: rules) }
        at = end
      }
      driver.drain()
      if driver.outcome != direct { wrong.append(seed) }
      seen.bars += direct.bars.count
      seen.revisions += direct.bars.count { $0.revision > 0 }
    }
    #expect(wrong == [])
    #expect(seen.bars > 5000 && seen.revisions > 100, "\(seen)")
  }

  @Test func `the components that are kept are few`() {
    var driver = Driver(BarRules(lengths: [.day], late: 5 * second, keepsComponents: true))
    for i in 0..<10_000 { driver.take([component([10, 10, 10, 10], at: Int64(i) * second)]) }
    #expect(driver.cellCount < 16)
    driver.drain()
    #expect(driver.outcome.bars.map(\.count) == [10_000])
  }
}
