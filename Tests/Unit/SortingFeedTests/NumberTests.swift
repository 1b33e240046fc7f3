import EventBus
import MarketData
import SortingFeed
import StockbusPlugin
import StockbusTestKit
import Testing

/// Feeds that are ordered by a number over the fields of their events.
@Suite(.timeLimit(.minutes(15))) struct NumberTests {
  private func trade(_ symbol: Symbol, _ price: Int64, at second: Int64, _ condition: TradeCondition = .regular) -> Trade {
    var trade = FeedTests.trade(symbol, price, size: 1, at: second)
    trade.condition = condition
    return trade
  }

  private func said(_ options: String, _ trades: [Trade], harness: PluginHarness = PluginHarness()) async throws -> [String] {
    let ranked: [Ranked] = try await harness.output(of: Plugin.sortingFeed, options: options, inputs: [trades])
    return ranked.map { "\($0.symbol) \($0.previousRank)→\($0.rank) \($0.price)" }
  }

  /// The changes since the second last price: A 5, B 1, A 1, B 4.
  private var trades: [Trade] {
    [
      trade("A", 10, at: 0), trade("B", 100, at: 1), trade("A", 15, at: 2), trade("B", 101, at: 3), trade("A", 99, at: 4, .oddLot),
      trade("A", 16, at: 5), trade("B", 105, at: 6),
    ]
  }

  @Test func `symbols are ordered by the number, and have no rank before it has a value`() async throws {
    let harness = PluginHarness()
    // A moves to 1 below 1 of B with equal keys: A was first. Then B has 4.
    #expect(
      try await said("by: change(price)", trades, harness: harness) == ["A 0→1 15", "B 0→2 101", "A 1→1 16", "B 2→1 105"])
    #expect(harness.counter("not ready") == 2)
    #expect(
      try await said("{ by: change(price), order: ascending }", trades) == ["A 0→1 15", "B 0→1 101", "A 2→1 16", "B 2→2 105"])
  }

  @Test func `change and volume count from the first price that counts, also while the number is not ready`() async throws {
    let ranked: [Ranked] = try await PluginHarness().output(
      of: Plugin.sortingFeed, options: "by: change(price)",
      inputs: [[trade("A", 50, at: 0, .oddLot), trade("A", 10, at: 1), trade("A", 1, at: 2, .oddLot), trade("A", 15, at: 3)]])
    // The first odd lot has no symbol yet to which its size could be added.
    #expect(ranked.map { "\($0.change) \($0.volume)" } == ["5 3"])
  }

  @Test func `with the first ranks only, what is displaced is sent too`() async throws {
    #expect(
      try await said("{ by: change(price), top: 1 }", trades) == ["A 0→1 15", "A 1→1 16", "B 0→1 105", "A 1→0 16"])
  }

  @Test func `a field that is no figure of the feed is a number too, of other events as well`() async throws {
    let quotes = [(1, 5), (2, 3), (1, 9)].enumerated().map { place, quote in
      var event = Quote.schema.example
      (event.symbol, event.bidSize, event.askSize) = (
        quote.0 == 1 ? "A" : "B", Quantity(raw: Int64(quote.1) * 1_000_000_000), 1_000_000_000 as Quantity
      )
      event.time = Timestamp(ns: Int64(place))
      return event
    }
    let ranked: [Ranked] = try await PluginHarness().output(of: Plugin.sortingFeed, options: "by: bid_size / ask_size", inputs: [quotes])
    #expect(ranked.map { "\($0.symbol) \($0.previousRank)→\($0.rank)" } == ["A 0→1", "B 0→2", "A 1→1"])
  }

  @Test func `a change of other options leaves the order and what is remembered`() async throws {
    let running: RunningPlugin<Ranked> = try PluginHarness().start(
      Plugin.sortingFeed, options: "by: change(price)", taking: Trade.self, emitting: Ranked.self)
    try await running.send(Array(trades.prefix(4)))
    await running.delivered()
    let before = await running.output(count: 2).count
    try await running.replace(options: "{ by: 'change( price )', order: ascending }")
    try await running.send([trade("A", 16, at: 5)])
    // First the list anew: B with 1 and A with 5; then A has 1 as well, and was first.
    let all = await running.output(count: before + 3)
    #expect(all.dropFirst(before).map { "\($0.symbol) \($0.previousRank)→\($0.rank)" } == ["B 2→1", "A 2→2", "A 2→1"])
    try await running.stop()
  }

  @Test(arguments: [
    ("by: chnge", "1:5: error: 'by': there is no 'chnge'; did you mean 'change'?"),
    ("by: price > 1", "1:5: error: 'by': expected a value, found a condition"),
    ("by: zscore(prise, 1h)", "1:12: error: 'by': trade has no field 'prise'; did you mean 'price'?"),
    (
      "{ by: change(price), merge_lists: true, top: 3 }",
      "1:3: error: lists that are merged are ordered by price, change, per cent or volume: their events do not have other numbers"
    ),
  ])
  func `what is no number is an error at its character`(options: String, message: String) async throws {
    do {
      _ = try await said(options, trades)
      Issue.record("nothing was wrong")
    } catch let problems as Problems { #expect(problems.description.hasPrefix("options.yaml:" + message), "\(problems.description)") }
  }

  @Test func `keeps the contract`() async {
    #expect(
      await checkContract(
        .sortingFeed, options: "{ by: 'zscore(price, 2)', top: 2, ties: name }", inputs: [Feed(trades), Feed([trade("C", 3, at: 9)])]) == []
    )
  }
}
