import StockbusInstruments
import StockbusTestKit
import Testing

@testable import CombinedQuotes

/// Spreads, baskets and indexes, by hand.
@Suite(.timeLimit(.minutes(15))) struct CombinationTests {
  private let spread = "{ symbol: KO-PEP, legs: { KO: 1, PEP: -0.4 } }"

  @Test func `trades give the sum of weight times price, once each leg has one`() async throws {
    let harness = PluginHarness()
    // 60 - 0.4 x 150 = 0; 62 - 60 = 2; 62 - 0.4 x 152.5 = 1. The same price again changes nothing.
    let trades = [
      trade("KO", 62), trade("PEP", 150, at: 1), trade("AAPL", 9, at: 2), trade("KO", 62, at: 3), trade("PEP", decimal("152.5"), at: 4),
    ]
    #expect(try await lines(spread, [trades], in: harness) == ["KO-PEP 2x0/2x0 @+1", "KO-PEP 1x0/1x0 @+4"])
    #expect(harness.counters == ["incomplete": 1, "other symbols": 1, "unchanged": 1])
  }

  @Test func `of quotes, the bid sells legs of positive weight at their bid and buys the others at their ask`() async throws {
    // Bid: 60 - 0.4 x 151 = -0.4; min(100, 50 / 0.4 = 125) = 100. Ask: 61 - 0.4 x 150 = 1; min(90, 20 / 0.4 = 50) = 50.
    let quotes = [quote("KO", 60, 61, sizes: (100, 90)), quote("PEP", 150, 151, sizes: (20, 50), at: 1)]
    #expect(try await lines(spread, [quotes]) == ["KO-PEP -0.4x100/1x50 @+1"])
  }

  @Test func `sizes are rounded down, are 0 where one is not known, and their change is one of the quote`() async throws {
    // 1 / 3 and 2 / 3 of a unit; then 5 / 3 at the bid.
    let quotes = [
      quote("A", 10, 11, sizes: (1, 2)), quote("A", 10, 11, sizes: (5, 0), at: 1), quote("A", 10, 11, sizes: (5, 0), at: 2),
    ]
    #expect(
      try await lines("{ symbol: X, legs: { A: 3 } }", [quotes]) == [
        "X 30x0.333333333/33x0.666666666 @+0", "X 30x1.666666666/33x0 @+1",
      ])
  }

  @Test func `a side that a leg does not have is missing where it is needed`() async throws {
    let harness = PluginHarness()
    let quotes = [
      quote("KO", 60, 61), quote("PEP", 150, 0, sizes: (1, 0), at: 1), quote("PEP", 150, 151, at: 2),
      quote("KO", 0, 0, sizes: (0, 0), at: 3),
      quote("PEP", 151, 152, at: 4),
    ]
    #expect(
      try await lines(spread, [quotes], in: harness) == [
        "KO-PEP 0x0/1x1 @+1", "KO-PEP -0.4x1/1x1 @+2", "KO-PEP 0x0/0x0 @+3",
      ])
    #expect(harness.counters == ["incomplete": 2])
  }

  @Test func `the value is rounded once, half to even`() async throws {
    // 0.5, 1.5 and 2.5 billionths.
    let trades = (0..<3).map { trade("A", Price(raw: 1 + 2 * $0), at: $0) }
    #expect(
      try await lines("{ symbol: X, legs: { A: 0.5, B: 1 } }", [[trade("B", 10)] + trades]) == [
        "X 10x0/10x0 @+0", "X 10.000000002x0/10.000000002x0 @+1",
      ])
  }

  @Test func `an index begins at its base`() async throws {
    let harness = PluginHarness()
    // First 2 x 30 + 60 = 120. Then 150 / 120 and 70 / 120, of 100. The first sum of all, 2 x -30 + 60 = 0, cannot be scaled.
    let trades = [trade("A", -30), trade("B", 60, at: 1), trade("A", 30, at: 2), trade("A", 45, at: 3), trade("A", 5, at: 4)]
    #expect(
      try await lines("{ symbol: X, legs: { A: 2, B: 1 }, base: 100 }", [trades], in: harness) == [
        "X 100x0/100x0 @+2", "X 125x0/125x0 @+3", "X 58.333333333x0/58.333333333x0 @+4",
      ])
    #expect(harness.counters == ["incomplete": 1, "unscaled": 1])
  }

  @Test func `an index of quotes has its base in the middle of the first bid and ask`() async throws {
    // The middle is 20: 100 x 19 / 20 and 100 x 21 / 20.
    let quotes = [quote("A", 19, 0, sizes: (1, 0)), quote("A", 19, 21, at: 1), quote("A", 19, 0, sizes: (1, 0), at: 2)]
    #expect(try await lines("{ symbol: X, legs: { A: 1 }, base: 100 }", [quotes]) == ["X 95x0/105x0 @+1", "X 95x0/0x0 @+2"])
  }

  @Test func `bars give their closes`() async throws {
    var bar = Bar.schema.example
    (bar.symbol, bar.close) = ("A", 7)
    let quotes: [Quote] = try await PluginHarness().output(of: Plugin.combine, options: "{ symbol: X, legs: { A: 2 } }", inputs: [[bar]])
    #expect(quotes.map(\.bid) == [14] && quotes.map(\.time) == [bar.time] && quotes.map(\.received) == [bar.received])
  }

  @Test func `late events replace nothing, equal times do, and the time is that of the newest leg`() async throws {
    let harness = PluginHarness()
    let trades = [trade("A", 1, at: 5), trade("B", 2, at: 2, after: 4), trade("A", 9, at: 4, after: 3), trade("A", 3, at: 5, after: 3)]
    let quotes: [Quote] = try await harness.output(of: Plugin.combine, options: "{ symbol: X, legs: { A: 1, B: 1 } }", inputs: [trades])
    #expect(quotes.map(line) == ["X 3x0/3x0 @+6", "X 5x0/5x0 @+8"])
    #expect(quotes.map(\.time) == [at(5), at(5)])
    #expect(harness.counters == ["incomplete": 1, "late": 1])
  }

  @Test func `a time far ahead of its receipt does not keep later events out`() async throws {
    let trades = [trade("A", 1, at: 3600, after: -3600), trade("A", 2, at: 1)]
    #expect(try await lines("{ symbol: X, legs: { A: 1 } }", [trades]) == ["X 1x0/1x0 @+0", "X 2x0/2x0 @+1"])
  }

  @Test func `trades that do not count for the last price are passed over`() async throws {
    let harness = PluginHarness()
    let trades = [trade("A", 1), trade("A", 2, at: 1, .oddLot)]
    #expect(try await lines("{ symbol: X, legs: { A: 1 } }", [trades], in: harness) == ["X 1x0/1x0 @+0"])
    #expect(harness.counters == ["unpriced": 1])
  }

  @Test func `a value that fits into no price is withheld`() async throws {
    let harness = PluginHarness()
    let trades = [trade("A", 9_000_000_000), trade("A", 1, at: 1)]
    #expect(try await lines("{ symbol: X, legs: { A: 1000000 } }", [trades], in: harness) == ["X 1000000x0/1000000x0 @+1"])
    #expect(harness.counters == ["beyond": 1])
  }

  @Test func `while a leg is stale nothing is sent, which is told once`() async throws {
    let harness = PluginHarness()
    let running: RunningPlugin<Quote> = try harness.start(
      Plugin.combine, options: "{ symbol: X, legs: { A: 1, B: 1 }, stale: 5s }", taking: Trade.self, emitting: Quote.self)
    // B was received at 1 s, and is stale behind 6 s, not at it; A is stale behind 5 s.
    try await running.send([trade("A", 1), trade("B", 1, at: 1), trade("A", 2, at: 6)])
    #expect(await running.output(count: 2).map(line) == ["X 2x0/2x0 @+1", "X 3x0/3x0 @+6"])
    #expect(harness.trouble == nil)
    try await running.send([trade("A", 3, at: 7), trade("A", 4, at: 8)])
    await running.delivered()
    #expect(harness.trouble == "B sent nothing for more than 5s, so nothing is sent")
    #expect(
      await running.explain("A").map(\.reason) == ["B sent nothing for more than 5s"])
    try await running.send([trade("B", 1, at: 9)])
    #expect(await running.output(count: 3).last.map(line) == "X 5x0/5x0 @+9")
    await running.delivered()
    #expect(harness.trouble == nil)
    #expect(harness.counter("withheld") == 2 && harness.counter("stale") == 2)
    #expect(await running.explain("A").map(\.reason) == ["X has it with weight 1, and is 5 bid, 5 asked"])
    // Nothing comes: time alone makes both stale.
    await running.advance(to: at(20))
    try await running.send([trade("A", 4, at: 21)])
    await running.delivered()
    #expect(harness.counter("stale") == 4)
    try await running.stop()
  }

  @Test func `other options go on with the prices, and with the first value if the legs are the same`() async throws {
    let running: RunningPlugin<Quote> = try PluginHarness().start(
      Plugin.combine, options: "{ symbol: X, legs: { A: 1, B: 1 }, base: 100 }", taking: Trade.self, emitting: Quote.self)
    try await running.send([trade("A", 10), trade("B", 10)])
    _ = await running.output(count: 1)
    await running.delivered()
    try await running.replace(options: "{ symbol: X, legs: { B: 1, A: 1 }, base: 1000, stale: 1h }")
    try await running.send([trade("A", 30, at: 1)])
    #expect(await running.output(count: 2).last.map(line) == "X 2000x0/2000x0 @+1")
    await running.delivered()
    // Another weight: the first value is 30 + 2 x 10.
    try await running.replace(options: "{ symbol: X, legs: { A: 1, B: 2 }, base: 1000 }")
    try await running.send([trade("A", 30, at: 2)])
    #expect(await running.output(count: 3).last.map(line) == "X 1000x0/1000x0 @+2")
    try await running.stop()
  }

  @Test func `a split moves neither the value nor the sizes`() async throws {
    var builder = InstrumentsBuilder()
    builder.add(csv: Array("symbol,splits\nA,2013-10-09 4:1\n".utf8), file: "instruments.csv")
    let harness = PluginHarness(services: Services(builder.finish()))
    // 100 a share, then 25 for each of four; 800 new shares are 200 old ones.
    let quotes = [
      quote("A", 100, 104, sizes: (200, 100)), quote("A", 25, 26, sizes: (800, 400), at: 86_400),
      quote("A", 26, 27, sizes: (800, 400), at: 86_401),
    ]
    #expect(
      try await lines("{ symbol: X, legs: { A: 0.5 } }", [quotes], in: harness) == [
        "X 50x400/52x200 @+0", "X 52x400/54x200 @+86401",
      ])
  }
}
