import StockbusInstruments
import StockbusTestKit
import Testing

@testable import SortingFeed

/// `since: previous_close`, with numbers worked out by hand.
@Suite struct SinceTests {
  private static let second: Int64 = 1_000_000_000
  private static let day = 86_400 * second

  /// A trade in hundredths on a day after 1970-01-01, in its first seconds.
  private static func trade(_ symbol: Symbol, _ hundredths: Int64, size: Int64 = 1, day: Int64, at seconds: Int64 = 0) -> Trade {
    let time = Timestamp(ns: day * Self.day + seconds * second)
    return Trade(
      symbol: symbol, price: Price(raw: hundredths * 10_000_000), size: Quantity(raw: size * second), time: time, received: time,
      priceDecimals: 2)
  }

  private static let past = PastPrices(
    closes: [
      "SINCE-A": .init(day: 9, price: 100), "SINCE-B": .init(day: 9, price: 50),
    ])

  private func rows(
    _ options: String, _ trades: [Trade], past: PastPrices = past, _ harness: PluginHarness? = nil
  ) async throws -> [String] {
    let harness = harness ?? PluginHarness(services: Services(past))
    let ranked: [Ranked] = try await harness.output(of: Plugin.sortingFeed, options: options, inputs: [trades])
    return ranked.map { "\($0.symbol) \($0.previousRank)→\($0.rank) \($0.change) \($0.percent)% \($0.volume)" }
  }

  @Test func `change, per cent and volume count from the close before, and begin anew with a date`() async throws {
    let trades = [
      Self.trade("SINCE-A", 10_200, size: 5, day: 10), Self.trade("SINCE-B", 5150, size: 7, day: 10),
      Self.trade("SINCE-A", 10_400, size: 5, day: 10, at: 1),
      Self.trade("SINCE-B", 5100, size: 2, day: 11), Self.trade("SINCE-A", 10_296, size: 3, day: 11, at: 1),
    ]
    #expect(
      try await rows("{ by: percent, since: previous_close }", trades) == [
        "SINCE-A 0→1 2 2% 5", "SINCE-B 0→1 1.5 3% 7", "SINCE-A 2→1 4 4% 10",
        // 51.00 against 51.50; 102.96 against 104.00.
        "SINCE-B 2→2 -0.5 -0.970873786% 2", "SINCE-A 1→2 -1.04 -1% 3",
      ])
    // Without it the first price counts.
    #expect(try await rows("by: percent", trades).last == "SINCE-A 1→1 0.96 0.94117647% 13")
  }

  @Test func `without a known close the first price counts, and that is said`() async throws {
    let harness = PluginHarness(services: Services(Self.past))
    let trades = [
      Self.trade("SINCE-C", 1000, day: 10), Self.trade("SINCE-C", 1100, day: 10, at: 1), Self.trade("SINCE-A", 10_100, day: 10, at: 2),
    ]
    #expect(
      try await rows("{ by: percent, since: previous_close }", trades, harness) == [
        "SINCE-C 0→1 0 0% 1", "SINCE-C 1→1 1 10% 2", "SINCE-A 0→2 1 1% 1",
      ])
    #expect(harness.counter("without a close") == 1)
  }

  @Test func `behind another feed the change is the feed's own, and the volume that of the other`() async throws {
    let time = Timestamp(ns: 10 * Self.day)
    let ranked = Ranked(
      symbol: "SINCE-A", rank: 1, previousRank: 0, price: 110, change: 1, percent: 1, volume: 7, time: time, received: time)
    let output: [Ranked] = try await PluginHarness(services: Services(Self.past)).output(
      of: Plugin.sortingFeed, options: "{ by: change, since: previous_close }", inputs: [[ranked]])
    #expect(output.map(\.change) == [10] && output.map(\.percent) == [10] && output.map(\.volume) == [7])
  }

  @Test(arguments: ["percent", "change", "volume", "price"], [nil, 3] as [Int?])
  func `any split into batches gives the same as one`(by: String, top: Int?) async throws {
    let trades = try FeedTests.randomTrades(600, symbols: 8, prices: 50...150, seed: 5).enumerated().map { i, trade in
      var trade = trade
      // A date has some 60 trades; every seventh is late by a date.
      trade.time = Timestamp(ns: Int64(i) * Self.day / 60 - (i % 7 == 0 ? Self.day : 0))
      trade.received = trade.time
      return trade
    }
    let options = "{ by: \(by), since: previous_close\(top.map { ", top: \($0)" } ?? "") }"
    let whole = try await rows(options, trades)
    let running: RunningPlugin<Ranked> = try PluginHarness(services: Services(Self.past)).start(
      Plugin.sortingFeed, options: options, taking: Trade.self, emitting: Ranked.self)
    for trade in trades { try await running.send([trade]) }
    await running.delivered()
    let single = await running.output(count: whole.count)
    #expect(single.map { "\($0.symbol) \($0.previousRank)→\($0.rank) \($0.change) \($0.percent)% \($0.volume)" } == whole)
    try await running.stop()
  }
}
