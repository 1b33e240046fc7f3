import StockbusInstruments
import StockbusTestKit
import Testing

@testable import SortingFeed

/// Changes since the first price across a split that the instruments know, worked out by hand.
@Suite struct SplitTests {
  private static let day: Int64 = 86_400_000_000_000

  /// A trade in hundredths on a day after 1970-01-01.
  private func trade(_ symbol: Symbol, _ hundredths: Int64, day: Int64) -> Trade {
    let time = Timestamp(ns: day * Self.day + 1)
    return Trade(symbol: symbol, price: Price(raw: hundredths * 10_000_000), size: 2, time: time, received: time, priceDecimals: 2)
  }

  private func services(_ split: String) throws -> Services {
    var instrument = Instrument("SPLIT-A")
    instrument.splits = [try Split(option: split)]
    return Services(Instruments([instrument]))
  }

  private func rows(_ options: String, _ trades: [Trade], _ split: String) async throws -> [String] {
    let harness = PluginHarness(services: try services(split))
    let ranked: [Ranked] = try await harness.output(of: Plugin.sortingFeed, options: options, inputs: [trades])
    return ranked.map { "\($0.symbol) \($0.previousRank)→\($0.rank) \($0.change) \($0.percent)% \($0.volume)" }
  }

  @Test func `a change since the first price counts from that price as it is after the split`() async throws {
    let trades = [
      trade("SPLIT-A", 111_000, day: 10), trade("SPLIT-B", 10_000, day: 10), trade("SPLIT-A", 111_200, day: 10),
      trade("SPLIT-A", 11_150, day: 11), trade("SPLIT-B", 10_100, day: 11), trade("SPLIT-A", 11_190, day: 12),
    ]
    let expected = [
      "SPLIT-A 0→1 0 0% 2", "SPLIT-B 0→2 0 0% 2", "SPLIT-A 1→1 2 0.18018018% 4",
      // 111.50 and 111.90 against 111.00; volumes are not adjusted.
      "SPLIT-A 1→1 0.5 0.45045045% 6", "SPLIT-B 2→1 1 1% 4", "SPLIT-A 2→2 0.9 0.81081081% 8",
    ]
    #expect(try await rows("by: percent", trades, "1970-01-12 10:1") == expected)
    // In batches of one it is the same.
    let running: RunningPlugin<Ranked> = try PluginHarness(services: try services("1970-01-12 10:1")).start(
      Plugin.sortingFeed, options: "by: percent", taking: Trade.self, emitting: Ranked.self)
    for trade in trades { try await running.send([trade]) }
    await running.delivered()
    let single = await running.output(count: expected.count)
    #expect(single.map { "\($0.symbol) \($0.previousRank)→\($0.rank) \($0.change) \($0.percent)% \($0.volume)" } == expected)
    try await running.stop()
  }

  @Test func `a reverse split is no rise`() async throws {
    let trades = [trade("SPLIT-A", 100, day: 10), trade("SPLIT-A", 2100, day: 11)]
    #expect(try await rows("by: change", trades, "1970-01-12 1:20") == ["SPLIT-A 0→1 0 0% 2", "SPLIT-A 1→1 1 5% 4"])
  }

  @Test func `a reference that is out of range after the split is the price itself`() async throws {
    let trades = [trade("SPLIT-A", 500_000_000_000, day: 10), trade("SPLIT-A", 2100, day: 11)]
    #expect(try await rows("by: change", trades, "1970-01-12 1:20").last == "SPLIT-A 1→1 0 0% 4")
  }
}
