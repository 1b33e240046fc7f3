import TestSupport
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import Bars

/// What trades count for in bars, by their sale conditions.
@Suite struct ConditionTests {
  private let minute = BarRules(lengths: [.time(60 * second)])

  private func marked(
    _ condition: TradeCondition, _ price: Price, _ size: Quantity = 1, at time: Int64, after delay: Int64 = 0, decimals: UInt8 = 0
  ) -> Trade {
    var result = trade("A", price, size, at: time, after: delay, decimals: decimals)
    result.condition = condition
    return result
  }

  @Test func `each condition does to a bar what the table says`() {
    // Between two regular trades at 10, one of each kind at 20.
    let expected: [TradeCondition: String] = [
      .regular: "10/20/10/10 x4 vwap 15 n3", .sweep: "10/20/10/10 x4 vwap 15 n3", .opening: "10/20/10/10 x4 vwap 15 n3",
      .closing: "10/20/10/10 x4 vwap 15 n3", .correctedClose: "10/20/10/10 x2 vwap 10 n2",
      .derivativelyPriced: "10/20/10/10 x4 vwap 15 n3", .priorReferencePrice: "10/20/10/10 x4 vwap 15 n3",
      .outOfSequence: "10/20/10/10 x4 vwap 15 n3", .extendedHours: "10/10/10/10 x4 vwap 15 n3", .oddLot: "10/10/10/10 x4 vwap 15 n3",
      .averagePrice: "10/10/10/10 x4 vwap 15 n3", .priceVariation: "10/10/10/10 x4 vwap 15 n3",
      .specialSettlement: "10/10/10/10 x4 vwap 15 n3", .contingent: "10/10/10/10 x4 vwap 15 n3",
      .officialPrice: "10/10/10/10 x2 vwap 10 n2", .cancelled: "10/10/10/10 x2 vwap 10 n2",
    ]
    for condition in TradeCondition.allCases {
      let outcome = bars([marked(.regular, 10, at: 0), marked(condition, 20, 2, at: 1), marked(.regular, 10, at: 2)], minute)
      #expect(outcome.bars.map(line) == ["A 1m +0 \(expected[condition] ?? "") partial @+0.000000002"], "\(condition)")
    }
  }

  @Test func `open and close are those of trades that count for them, wherever they stand`() {
    let outcome = bars(
      [
        marked(.oddLot, 5, at: 0, decimals: 3), marked(.outOfSequence, 30, at: 1, decimals: 1), marked(.sweep, 11, at: 2),
        marked(.correctedClose, 12, at: 3), marked(.averagePrice, 7, at: 4),
      ], minute)
    // (5 + 30 + 11 + 7) / 4 = 13.25. Prices that do not count decide no decimals.
    #expect(outcome.bars.map(line) == ["A 1m +0 11/30/11/12 x4 vwap 13.25 n4 partial @+0.000000004"])
    #expect(outcome.bars.map(\.priceDecimals) == [1])
  }

  @Test func `a bar without a trade that counts for open and close is not sent, but comes with a late one`() {
    var driver = Driver(minute)
    driver.take([marked(.oddLot, 5, 3, at: 0), marked(.outOfSequence, 30, at: 1)])
    driver.advance(to: morning + 61 * second)
    #expect(driver.outcome.bars == [])
    #expect(driver.unpriced == 1)
    driver.take([marked(.oddLot, 6, 1, at: 2, after: 62 * second)])
    #expect(driver.outcome.bars == [])
    driver.take([marked(.regular, 10, 1, at: 3, after: 63 * second), marked(.regular, 11, 1, at: 4, after: 64 * second)])
    // (3 × 5 + 30 + 6 + 10) / 6 = 10.1666…
    #expect(
      driver.outcome.bars.map(line) == [
        "A 1m +0 10/30/10/10 x6 vwap 10.166666667 n4 @+63.000000003", "A 1m +0 10/30/10/11 x7 vwap 10.285714286 n5 r1 @+64.000000004",
      ])
    driver.drain()
    #expect(driver.unpriced == 1 && driver.outcome.refusals == [])
  }

  @Test func `a filled bar repeats the close, and has the volume of what does not count for it`() {
    var rules = minute
    rules.fills = 3
    let outcome = bars(
      [
        marked(.regular, 10, at: 0), marked(.oddLot, 50, 2, at: 61 * second), marked(.outOfSequence, 9, at: 121 * second),
        marked(.regular, 12, at: 185 * second), marked(.regular, 13, at: 300 * second),
      ], rules)
    #expect(
      outcome.bars.prefix(4).map(line) == [
        "A 1m +0 10/10/10/10 x1 vwap 10 n1 @+60.2", "A 1m +60 10/10/10/10 x2 vwap 50 n1 @+120.2",
        "A 1m +120 10/10/9/10 x1 vwap 9 n1 @+180.2", "A 1m +180 12/12/12/12 x1 vwap 12 n1 @+240.2",
      ])
  }

  @Test func `bars of trades end with a trade that counts for the close`() {
    let outcome = bars(
      [
        marked(.oddLot, 5, at: 0), marked(.oddLot, 6, at: 1), marked(.oddLot, 7, at: 2), marked(.regular, 10, at: 3),
        marked(.oddLot, 8, at: 4),
      ],
      BarRules(lengths: [BarLength("2t")!]))
    #expect(outcome.bars.map(line) == ["A 2t +0.000000003 10/10/10/10 x4 vwap 7 n4 @+0.000000003"])
  }

  private struct Sessions: BarCalendar {
    var sessionOfDays: MarketSession { .unknown }
    /// An hour before `morning` is the session before the regular one.
    func session(at time: Int64) -> BarSession? {
      time < morning
        ? BarSession(session: .pre, date: 15_986, start: morning - 3600 * second, end: morning)
        : BarSession(session: .regular, date: 15_986, start: morning, end: morning + 3600 * second)
    }
    func date(ofDayFrom time: Int64) -> Int32 { 15_986 }
    func day(_ date: Int32) -> Range<Int64> { morning - 3600 * second..<morning + 3600 * second }
    func week(of date: Int32) -> Range<Int64> { day(date) }
  }

  @Test func `outside the regular hours the trades of these hours make the prices, but never a day's`() {
    var driver = Driver(BarRules(lengths: [.time(60 * second), .day]), calendar: { _ in Sessions() })
    driver.take([
      marked(.extendedHours, 8, at: -30 * second), marked(.extendedHours, 9, at: -20 * second), marked(.oddLot, 1, at: -10 * second),
      marked(.regular, 10, at: second), marked(.extendedHours, 20, at: 2 * second),
    ])
    driver.drain()
    #expect(
      driver.outcome.bars.map(line) == [
        "A 1m -60 8/9/8/9 x3 vwap 6 n3 @+0.2", "A 1m +0 10/10/10/10 x2 vwap 15 n2 partial @+2",
        "A 1d -48600 10/10/10/10 x5 vwap 9.6 n5 partial @+2",
      ])
  }

  @Test func `bars with sale conditions are those of the model`() {
    var wrong: [Int] = []
    var seen = (bars: 0, revisions: 0, repeated: 0)
    for seed in 0..<rounds(300, cost: 5) {
      var random = SplitMix(seed + 7_000_000)
      let rules = RandomTests.rules(&random)
      let share = random.upTo(3)
      let trades = RandomTests.trades(120, symbols: ["A", "B", "C"], &random).map { trade in
        var trade = trade
        if random.upTo(3) <= share { trade.condition = TradeCondition.allCases.randomElement(using: &random)! }
        return trade
      }
      var model = BarModel(rules)
      model.run(trades)
      model.drain()
      var whole = Driver(rules)
      whole.take(trades)
      whole.drain()
      var split = Driver(rules)
      RandomTests.pass(trades, &split, &random, handingOver: random.oneIn(2) ? rules : nil)
      split.drain()
      if whole.outcome != model.outcome || split.outcome != model.outcome { wrong.append(seed) }
      seen.bars += model.outcome.bars.count
      seen.revisions += model.outcome.bars.count { $0.revision > 0 }
      seen.repeated += model.outcome.bars.count { $0.volume > 0 && $0.open == $0.close && ($0.vwap < $0.low || $0.vwap > $0.high) }
    }
    #expect(wrong == [])
    #expect(seen.bars > 4000 && seen.revisions > 300 && seen.repeated > 50, "\(seen)")
  }

  @Test func `what was not sent is counted`() async throws {
    let harness = PluginHarness()
    let output: [Bar] = try await harness.output(of: Plugin.bars, options: "lengths: 1m", inputs: [[marked(.oddLot, 10, at: 0)]])
    #expect(output == [])
    #expect(harness.counter("unpriced") == 1)
  }
}
