import Generator
import NullSink
import SortingFeed
import StockbusTestKit
import Testing
import WatchlistFilter

@Suite(.timeLimit(.minutes(15))) struct HarnessTests {
  static let trades = (1...6).map { i in
    Trade(
      symbol: i % 2 == 0 ? "NVDA" : "AAPL", price: Price(raw: Int64(i) * 1_000_000_000), size: 1, time: Timestamp(ns: 0),
      received: Timestamp(ns: 0))
  }

  @Test func `a processor's output comes typed`() async throws {
    let harness = PluginHarness()
    let passed: [Trade] = try await harness.output(of: Plugin.watchlistFilter, options: "symbols: [AAPL]", inputs: [Self.trades])
    #expect(passed == [Self.trades[0], Self.trades[2], Self.trades[4]])
    let ranked = try await harness.output(of: Plugin.sortingFeed, inputs: [Self.trades], as: Ranked.self)
    #expect(ranked.map(\.rank) == [1, 1, 1, 1, 1, 1])
  }

  @Test func `a blueprint runs as a plugin does`() async throws {
    let blueprint = Blueprint.processor(SortingFeed<Trade>.self)
    let ranked: [Ranked] = try await PluginHarness().output(of: blueprint, options: "order: ascending", inputs: [Self.trades])
    #expect(ranked.map(\.previousRank) == [0, 0, 1, 1, 1, 1])
  }

  @Test func `more events than the output's ring holds`() async throws {
    let many = (0..<70_000).map { Self.trades[$0 % 6] }
    let passed: [Trade] = try await PluginHarness().output(of: Plugin.watchlistFilter, options: "symbols: [NVDA]", inputs: [many, many])
    #expect(passed.count == 70_000)
  }

  @Test func `a sink is fed and its counters are seen`() async throws {
    let harness = PluginHarness()
    try await harness.consume([Self.trades, Self.trades], by: Plugin.nullSink)
    #expect(harness.counter("events") == 12)
    #expect(harness.counter("runs") == 2)
    #expect(harness.counter("others") == nil)
  }

  @Test func `a source gives its first events and is stopped`() async throws {
    let trades: [Trade] = try await PluginHarness().first(60, of: Plugin.generator, options: "symbols: 25")
    #expect(trades.count == 60)
    // Two rounds and a part of the third, two seconds apart.
    #expect(Set(trades.map { $0.time.ns - ManualTimekeeper().epoch.ns }) == [0, 2_000_000_000, 4_000_000_000])
    let all: [Trade] = try await PluginHarness().first(60, of: Plugin.generator, options: "{ symbols: 25, count: 30 }")
    #expect(all.count == 30)
  }

  @Test func `what cannot be run says why`() async {
    let harness = PluginHarness()
    await #expect(throws: HarnessError.self) { try await harness.output(of: Plugin.nullSink, inputs: [Self.trades], as: Trade.self) }
    await #expect(throws: HarnessError.self) {
      try await harness.output(of: Plugin.watchlistFilter, options: "symbols: [A]", inputs: [Self.trades], as: Quote.self)
    }
    await #expect(throws: HarnessError.self) { try await harness.output(of: Plugin.generator, inputs: [Self.trades], as: Trade.self) }
    await #expect(throws: HarnessError.self) { try await harness.first(1, of: Plugin.nullSink, as: Trade.self) }
    do {
      _ = try await harness.first(1, of: Plugin.generator, options: "symbols: 3\ninterval: fast\nrat: 5/s", as: Trade.self)
      Issue.record("the options are wrong")
    } catch let problems as Problems {
      #expect(
        problems.description == """
          options.yaml:2:11: error: 'interval' must be a duration such as 250ms, got 'fast'
          options.yaml:3:1: error: unknown option 'rat'; did you mean 'rate'?
          """)
    } catch { Issue.record(error) }
  }

  @Test func `what a component throws is thrown to the test`() async throws {
    await #expect(throws: HarnessTestError.self) { try await PluginHarness().consume([Self.trades], by: Plugin.faller) }
  }

  @Test func `a pipeline runs from its text`() async throws {
    let harness = try PipelineHarness(
      """
      sources: { ticks: { plugin: generator, symbols: [AAPL, NVDA], count: 10 } }
      processors: { mine: { plugin: watchlist_filter, inputs: [ticks], symbols: [NVDA] } }
      sinks: { end: { plugin: null_sink, inputs: [mine] } }
      """, plugins: [.generator, .watchlistFilter, .nullSink])
    let report = await harness.runThroughTime()
    #expect(report.exitStatus == 0)
    #expect(report.ledger.edges.map(\.counts.published) == [10, 5])
    #expect(harness.clock.uptime >= .seconds(8))
  }

  @Test func `a pipeline with mistakes throws all of them`() {
    do {
      _ = try PipelineHarness("sources: { ticks: { plugin: generator, symbols: 0 } }", plugins: [.generator])
      Issue.record("there are mistakes")
    } catch {
      #expect(
        error.sorted.map(\.message) == [
          "source 'ticks': nothing reads it; name it in the 'inputs' of a processor or sink, or remove it",
          "source 'ticks': 'symbols' must be between 1 and 1000000, got 0",
        ])
    }
  }
}
