import MarketData
import StockbusTestKit
import Testing

@testable import Movers

/// Prices below zero, worked out by hand.
@Suite struct NegativeTests {
  private let prices: [Int64] = [120, 0, -550, -3763, -1310, 1001]

  private func moves(_ change: (inout MoversSettings) throws -> Void) rethrows -> [String] {
    var settings = MoversSettings()
    settings.reference = .firstPrice
    settings.jumpLimit = 100_000
    try change(&settings)
    var feed = MoverFeed(MoverBoard(settings))
    let events = prices.enumerated().map { trade("CLK0", $1, size: 2, at: Int64($0)) }
    return feed.take(events).map { "\(move($0)) \($0.turnover)" }
  }

  @Test func `a symbol stays in the lists while its price is below zero`() {
    #expect(
      moves { $0.by = [.percent, .turnover] } == [
        "active CLK0 0→1 0% new 2.4", "losers CLK0 0→1 -100% new 2.4", "active CLK0 1→1 -100% new 2.4",
        "losers CLK0 1→1 -558.333333333% new 13.4", "active CLK0 1→1 -558.333333333% new 13.4",
        "losers CLK0 1→1 -3235.833333333% new 88.66", "active CLK0 1→1 -3235.833333333% new 88.66",
        "losers CLK0 1→1 -1191.666666666% new 114.86", "active CLK0 1→1 -1191.666666666% new 114.86",
        "gainers CLK0 0→1 734.166666666% new 134.88", "losers CLK0 1→0 734.166666666% new 134.88",
        "active CLK0 1→1 734.166666666% new 134.88",
      ])
  }

  @Test func `a least price leaves it out, and that is counted`() async throws {
    let harness = PluginHarness()
    let events = prices.enumerated().map { trade("CLK0", $1, size: 2, at: Int64($0)) }
    let output: [Mover] = try await harness.output(
      of: Plugin.movers, options: "{ by: volume, min_price: 0, min_volume: 3, jump_limit: 1000000% }", inputs: [events])
    #expect(output.map(move) == ["active CLK0 0→1 0% new", "active CLK0 1→0 0% new", "active CLK0 0→1 0% new"])
    #expect(harness.counter("below min_price") == 3 && harness.counter("below min_volume") == 1)
    #expect(harness.counter("without per cent") == nil)
  }

  @Test func `a reference that is not above zero gives no per cent, which is counted, and the symbol is active`() async throws {
    let harness = PluginHarness()
    let events = [trade("CLK0", -1000, at: 0), trade("CLK0", -900, at: 90_000), trade("CLK0", 100, at: 90_001)]
    let output: [Mover] = try await harness.output(of: Plugin.movers, options: "", inputs: [events])
    #expect(output.map(move) == ["active CLK0 0→1 0% new", "active CLK0 1→0 0% new", "active CLK0 0→1 0%", "active CLK0 1→1 0%"])
    #expect(harness.counter("without per cent") == 2)
  }
}
