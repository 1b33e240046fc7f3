import StockbusInstruments
import StockbusTestKit
import Testing

@testable import CombinedQuotes

/// The best of several venues, by hand.
@Suite(.timeLimit(.minutes(15))) struct BestTests {
  @Test func `the highest bid and the lowest ask, whoever has them`() async throws {
    let harness = PluginHarness()
    let one = [quote("A", 10, 12, sizes: (1, 2)), quote("A", 11, 13, sizes: (5, 5), at: 2), quote("B", 1, 2, at: 4)]
    // The second quote of the other venue is worse on both sides; the third adds to the bid.
    let other = [
      quote("A", 9, 11, sizes: (3, 4), at: 1), quote("A", 8, 14, at: 3), quote("A", 11, 14, sizes: (7, 1), at: 5),
    ]
    #expect(
      try await lines("best: true", [one, other], in: harness) == [
        "A 10x1/12x2 @+0", "A 10x1/11x4 @+1", "A 11x5/11x4 @+2", "A 11x5/13x5 @+3", "B 1x1/2x1 @+4", "A 11x12/13x5 @+5",
      ])
    #expect(harness.counters == [:])
  }

  @Test func `what is not better, or late, is left out; crossed markets pass and are counted`() async throws {
    let harness = PluginHarness()
    let one = [quote("A", 10, 12, at: 1), quote("A", 10, 12, at: 0, after: 3), quote("A", 10, 12, at: 4)]
    let other = [quote("A", 9, 13, at: 2), quote("A", 13, 14, at: 5)]
    #expect(try await lines("best: true", [one, other], in: harness) == ["A 10x1/12x1 @+1", "A 13x1/12x1 @+5"])
    #expect(harness.counters == ["late": 1, "unchanged": 2, "crossed": 1])
  }

  @Test func `a side without a quote is missing, also if all have left it`() async throws {
    let one = [quote("A", 10, 0, sizes: (1, 0)), quote("A", 0, 0, sizes: (0, 0), at: 1)]
    #expect(try await lines("best: true", [one]) == ["A 10x1/0x0 @+0", "A 0x0/0x0 @+1"])
  }

  @Test func `a quote that is stale is left out from the moment on at which it becomes so`() async throws {
    let harness = PluginHarness()
    // The other venue's quote of 1 s is out at 4 s; that of the first, renewed at 2 s, at 5 s.
    let one = [quote("A", 10, 12), quote("A", 10, 12, at: 2), quote("B", 1, 2, at: 20)]
    let other = [quote("A", 11, 13, at: 1)]
    let quotes: [Quote] = try await harness.output(of: Plugin.combine, options: "{ best: true, stale: 3s }", inputs: [one, other])
    #expect(
      quotes.map(line) == ["A 10x1/12x1 @+0", "A 11x1/12x1 @+1", "A 10x1/12x1 @+4", "A 0x0/0x0 @+5", "B 1x1/2x1 @+20"])
    #expect(quotes.map(\.time) == [at(0), at(1), at(2), at(2), at(20)])
    #expect(harness.counters == ["unchanged": 1, "stale": 2])
  }

  @Test func `time alone makes a quote stale, and a change of the options goes on`() async throws {
    let running: RunningPlugin<Quote> = try PluginHarness().start(
      Plugin.combine, options: "{ best: true, stale: 10s }", taking: Quote.self, inputs: 2, emitting: Quote.self)
    try await running.send([quote("A", 10, 12)])
    await running.advance(to: at(1), input: 1)
    _ = await running.output(count: 1)
    try await running.send([quote("A", 9, 11, at: 1)], toInput: 1)
    await running.advance(to: at(1), input: 0)
    #expect(await running.output(count: 2).last.map(line) == "A 10x1/11x1 @+1")
    #expect(await running.explain("A").map(\.reason).first?.hasPrefix("the best bid is 10 (") == true)
    await running.delivered()
    try await running.replace(options: "{ best: true, stale: 4s }")
    for input in 0...1 { await running.advance(to: at(4), input: input) }
    #expect(await running.output(count: 3).last.map(line) == "A 9x1/11x1 @+4")
    for input in 0...1 { await running.advance(to: at(5), input: input) }
    #expect(await running.output(count: 4).last.map(line) == "A 0x0/0x0 @+5")
    try await running.stop()
  }

  @Test func `a split converts the quotes of all venues`() async throws {
    var builder = InstrumentsBuilder()
    builder.add(csv: Array("symbol,splits\nA,2013-10-09 4:1\n".utf8), file: "instruments.csv")
    let harness = PluginHarness(services: Services(builder.finish()))
    let (one, other) = ([quote("A", 100, 104)], [quote("A", 100, 104), quote("A", 24, 26, at: 86_400)])
    #expect(
      try await lines("best: true", [one, other], in: harness) == [
        "A 100x1/104x1 @+0", "A 100x2/104x2 @+0", "A 25x4/26x5 @+86400",
      ])
  }
}
