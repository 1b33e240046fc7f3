import StockbusTestKit
import Testing

@testable import Bars

/// The plugin as a configuration uses it.
@Suite struct PluginTests {
  private let trades = [
    trade("A", 10, 2, at: 0), trade("B", 7, 1, at: second), trade("A", 12, 1, at: 2 * second), trade("A", 11, 1, at: 61 * second),
    trade("A", 9, 1, at: 59 * second, after: 3 * second),
  ]

  @Test func `bars keeps the contract for trades`() async {
    #expect(await checkContract(.bars) == [])
    #expect(await checkContract(.bars, options: "{ lengths: [1s, 1m, 1d, 2t, 3v], fill: true }", inputs: [Feed(trades)]) == [])
    #expect(await checkContract(.bars, inputs: [Feed(trades), Feed(trades)]) == [])
  }

  @Test func `bars keeps the contract for quotes and bars`() async {
    #expect(await checkContract(.bars, options: "price: bid", inputs: [Feed([quote(10, 11), quote(12, 13)])]) == [])
    let seconds = bars(trades, BarRules(lengths: [.time(second)])).bars
    #expect(await checkContract(.bars, inputs: [Feed(seconds)]) == [])
  }

  @Test func `trades become bars of all lengths`() async throws {
    let harness = PluginHarness()
    let output: [Bar] = try await harness.output(of: Plugin.bars, options: "lengths: [1m, 1h]", inputs: [trades])
    #expect(
      output.map(line) == [
        "A 1m +0 10/12/10/12 x3 vwap 10.666666667 n2 @+60.2", "B 1m +0 7/7/7/7 x1 vwap 7 n1 @+60.2",
        "A 1m +0 10/12/9/9 x4 vwap 10.25 n3 r1 @+62", "A 1m +60 11/11/11/11 x1 vwap 11 n1 partial @+62",
        "A 1h -1800 10/12/9/11 x5 vwap 10.4 n4 partial @+62", "B 1h -1800 7/7/7/7 x1 vwap 7 n1 partial @+62",
      ])
    #expect(harness.counter("revisions") == 1)
    #expect(harness.deadLetters == [])
  }

  @Test(.timeLimit(.minutes(15))) func `a bar ends although no trade comes`() async throws {
    let running: RunningPlugin<Bar> = try PluginHarness().start(Plugin.bars, options: "lengths: 1m", taking: Trade.self, emitting: Bar.self)
    try await running.send([trades[0]])
    await running.advance(to: Timestamp(ns: morning + 61 * second))
    #expect(await running.output(count: 1).map(line) == ["A 1m +0 10/10/10/10 x2 vwap 10 n1 @+60.2"])
    try await running.stop()
  }

  @Test(.timeLimit(.minutes(15))) func `bars in progress outlive a change of the options`() async throws {
    let running: RunningPlugin<Bar> = try PluginHarness().start(Plugin.bars, options: "lengths: 1m", taking: Trade.self, emitting: Bar.self)
    try await running.send([trades[0]])
    await running.delivered()
    try await running.replace(options: "lengths: [1m, 30s]")
    try await running.send([trades[2]])
    await running.advance(to: Timestamp(ns: morning + 61 * second))
    #expect(
      await running.output(count: 2).map(line) == [
        "A 30s +0 12/12/12/12 x1 vwap 12 n1 @+30.2", "A 1m +0 10/12/10/12 x3 vwap 10.666666667 n2 @+60.2",
      ])
    try await running.stop()
  }

  @Test func `events that do not count are dead letters, with the bars that they missed`() async throws {
    let harness = PluginHarness()
    let late = [trade("A", 1, at: 0), trade("A", 2, at: second, after: 120 * second), trade("A", 3, at: 200 * second, after: -6 * second)]
    let _: [Bar] = try await harness.output(of: Plugin.bars, options: "{ lengths: [1s, 1m, 1d], late: 10s }", inputs: [late])
    #expect(harness.deadLetters.map(\.origin) == ["trade of A", "trade of A"])
    #expect(
      harness.deadLetters.map(\.reason) == [
        "it came too late for its bar of 1s, 1m; it is dated 2m before its receipt: it was delayed, or one of the two clocks is wrong",
        "it is dated 6s after its receipt, more than the 5s allowed: the clock of this machine or of the sender is wrong",
      ])
    #expect(harness.deadLetters.first?.payload == Trade.schema.json(late[1]))
    #expect(harness.counter("dated ahead") == 1)
  }

  @Test func `a row dated ahead is named as the reason of what comes too late after it, and is reported once`() async throws {
    let harness = PluginHarness()
    let day = 86_400 * second
    let rows = [
      trade("A", 10, at: 0), trade("B", 99, at: day), trade("A", 12, at: 2 * second), trade("A", 13, at: 303 * second),
      trade("A", 14, at: day + second),
    ]
    let _: [Bar] = try await harness.output(of: Plugin.bars, options: "lengths: 1m", inputs: [rows])
    let reason = "it came too late for its bar of 1m, because an event of B dated 2013-10-09T13:30:00Z came before it"
    #expect(harness.deadLetters.map(\.reason) == [reason, reason])
    #expect(harness.counter("dated ahead") == 1)
    #expect(
      harness.log.texts(.warning) == [
        "warning plugin: an event of B dated 2013-10-09T13:30:00Z has closed the bars up to then, and events 23h59m58s older, which came after it, are too late for their bars; correct its time, or sort the input by time"
      ])
  }

  private func quote(_ bid: Price, _ ask: Price, at time: Int64 = 0, sizes: (Quantity, Quantity) = (1, 1)) -> Quote {
    Quote(
      symbol: "A", bid: bid, ask: ask, bidSize: sizes.0, askSize: sizes.1, time: Timestamp(ns: morning + time),
      received: Timestamp(ns: morning + time))
  }

  @Test(arguments: [
    ("", "10.5/12.5/10.5/12.5"), ("price: mid", "10.5/12.5/10.5/12.5"), ("price: bid", "10/12/10/12"), ("price: ask", "11/13/11/13"),
  ])
  func `quotes become bars of the chosen price`(option: String, prices: String) async throws {
    let quotes = [quote(10, 11), quote(12, 13, at: 1)]
    let output: [Bar] = try await PluginHarness().output(of: Plugin.bars, options: option, inputs: [quotes])
    #expect(output.map { "\($0.open)/\($0.high)/\($0.low)/\($0.close)" } == [prices])
    #expect(output.map(\.volume) == [0] && output.map(\.count) == [2] && output.map(\.turnover) == [0])
  }

  @Test(arguments: [("mid", 1), ("bid", 2), ("ask", 1)] as [(String, UInt32)])
  func `a side that nobody quotes has no price`(choice: String, count: UInt32) async throws {
    let quotes = [quote(10, 11), quote(10, 0, at: 1, sizes: (1, 0))]
    let output: [Bar] = try await PluginHarness().output(of: Plugin.bars, options: "price: \(choice)", inputs: [quotes])
    #expect(output.map(\.count) == [count])
    #expect(output.map(\.low) == [choice == "mid" ? Price(raw: 10_500_000_000) : choice == "bid" ? 10 : 11])
  }

  private func problems<E: Event>(_ options: String, _ events: [E]) async -> String {
    do {
      let _: [Bar] = try await PluginHarness().output(of: Plugin.bars, options: options, inputs: [events])
      return ""
    } catch let problems as Problems { return problems.description } catch { return "\(error)" }
  }

  @Test func `wrong options are reported where they are`() async {
    #expect(
      await problems("lengths: [1m, 60s]", trades) == "options.yaml:1:15: error: 'lengths': 1m is given twice")
    #expect(
      await problems("lengths: [500ms]", trades) == "options.yaml:1:11: error: 'lengths': the shortest time is 1s, got 500ms")
    #expect(
      await problems("lengths: [2d]", trades)
        == "options.yaml:1:11: error: 'lengths': the only time longer than a day is a week, 1w, got 2d")
    for (word, length) in [("dayly", "1d"), ("Daily", "1d"), ("weekly", "1w"), ("hour", "1h"), ("minutes", "1m")] {
      let problem = await problems("lengths: \(word)", trades)
      #expect(problem.hasSuffix("must be a list of bar lengths, got '\(word)'; write \(length)"), "\(problem)")
    }
    #expect(await problems("lengths: always", trades).hasSuffix("got 'always'"))
    #expect(await problems("lengths: [1x]", trades).contains("a bar length such as 1m, 100t or 5000v"))
    #expect(
      await problems("lengths: [5v]", [quote(10, 11)])
        == "options.yaml:1:10: error: 'lengths': quotes have no volume, so a bar of 5v would never end")
    #expect(
      await problems("lengths: [5t]", [Bar.schema.example])
        == "options.yaml:1:10: error: 'lengths': bars can be made into bars of a time only, not of 5t")
    #expect(
      await problems("price: bid", trades) == "options.yaml:1:8: error: 'price' is for quotes, and trade has one price only")
  }
}
