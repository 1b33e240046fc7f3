import StockbusTestKit
import Testing

@testable import Movers

/// The plugin as a configuration uses it.
@Suite struct PluginTests {
  private let trades: [Trade] = [
    trade("A", 10_000, at: 0), trade("B", 10_000, at: 1), trade("A", 10_200, at: 90_000), trade("B", 9900, at: 90_001),
    trade("C", 100, size: 50, at: 90_002), trade("A", 10_300, at: 180_000),
  ]

  @Test(arguments: [
    "", "{ period: week, by: percent, top: 1 }", "{ period: 1h, buckets: 4, reference: first_price }", "{ period: session, by: turnover }",
  ])
  func `movers keeps the contract`(options: String) async {
    #expect(await checkContract(.movers, options: options, inputs: [Feed(trades)]) == [])
    #expect(await checkContract(.movers, options: options, inputs: [Feed(trades), Feed(trades)]) == [])
    #expect(await checkContract(.movers, options: options, inputs: [Feed([Quote.schema.example])]) == [])
    #expect(await checkContract(.movers, options: options, inputs: [Feed([Bar.schema.example])]) == [])
    #expect(await checkContract(.movers, options: options, inputs: [Feed([Ranked.schema.example])]) == [])
    #expect(await checkContract(.movers, options: options, inputs: [Feed([Mover.schema.example])]) == [])
  }

  @Test func `trades become movers`() async throws {
    let output: [Mover] = try await PluginHarness().output(of: Plugin.movers, options: "by: percent", inputs: [trades])
    #expect(
      output.map(move) == [
        "gainers A 0→1 2%", "losers B 0→1 -1%", "gainers A 1→0 2%", "losers B 1→0 -1%", "gainers A 0→1 0.980392156%",
      ])
  }

  @Test(.timeLimit(.minutes(15))) func `a day ends although no trade comes, and other options begin with empty lists`() async throws {
    let running: RunningPlugin<Mover> = try PluginHarness().start(
      Plugin.movers, options: "by: percent", taking: Trade.self, emitting: Mover.self)
    try await running.send(Array(trades[0..<3]))
    await running.advance(to: Timestamp(ns: monday.ns + 2 * day + second))
    #expect(await running.output(count: 2).map(move) == ["gainers A 0→1 2%", "gainers A 1→0 2%"])
    try await running.send([trades[5]])
    await running.delivered()
    try await running.replace(options: "{ by: percent, top: 3 }")
    #expect(await running.output(count: 4).map(move).suffix(2) == ["gainers A 0→1 0.980392156%", "gainers A 1→0 0.980392156%"])
    try await running.stop()
  }

  @Test(arguments: [
    ("by: [volume, turnover]", "one list of the most active"), ("by: [percent, percent]", "twice"), ("period: month", "'period'"),
    ("period: 1ms", "between 1s and 366d"), ("top: 0", "'top'"), ("jump_limit: 0%", "'jump_limit'"),
  ])
  func `options that make no sense are errors`(options: String, part: String) async throws {
    var message = ""
    do {
      let _: [Mover] = try await PluginHarness().output(of: Plugin.movers, options: options, inputs: [trades])
    } catch { message = "\(error)" }
    #expect(message.contains(part), "\(message)")
  }
}
