import StockbusTestKit
import Testing

@testable import SpreadPlugin

@Suite struct SpreadTests {
  private func quote(_ bid: Price, _ ask: Price) -> Quote {
    Quote(symbol: "ACME", bid: bid, ask: ask, bidSize: 1, askSize: 1, time: Timestamp(ns: 0), received: Timestamp(ns: 0))
  }

  @Test func `spreads of at least the width, and none of crossed quotes`() async throws {
    let spreads: [Spread] = try await PluginHarness().output(
      of: Plugin.spread, options: "least: 2", inputs: [[quote(10, 13), quote(10, 11), quote(12, 10), quote(10, 12)]])
    #expect(spreads.map(\.width) == [3, 2] && spreads.map(\.number) == [1, 2])
  }

  @Test func `spread keeps the contract`() async {
    #expect(await checkContract(.spread) == [])
  }
}
