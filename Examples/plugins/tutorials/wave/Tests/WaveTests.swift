import StockbusTestKit
import Testing
import WavePlugin

@Suite struct WaveTests {
  @Test func `the price goes up and down between the bounds`() async throws {
    let trades: [Trade] = try await PluginHarness().first(
      100, of: Plugin.wave, options: "{ symbol: ACME, low: 10, high: 12.5, step: 1, count: 8 }")
    #expect(trades.map { "\($0.price)" } == ["10", "11", "12", "12.5", "11.5", "10.5", "10", "11"])
  }

  @Test func `a trade at each interval`() async throws {
    let harness = PluginHarness()
    let wave = try harness.start(Plugin.wave, options: "{ symbol: ACME, interval: 250ms }", emitting: Trade.self)
    #expect(await wave.output(count: 1).map(\.time) == [harness.clock.epoch])
    await harness.clock.waitForSleepers(1)
    harness.clock.advance(by: .milliseconds(250))
    #expect(await wave.output(count: 2).last?.time == Timestamp(ns: harness.clock.epoch.ns + 250_000_000))
    try await wave.stop()
  }

  @Test func `bounds that are the wrong way round are told`() async {
    let error = await #expect(throws: Problems.self) {
      let _: [Trade] = try await PluginHarness().first(1, of: Plugin.wave, options: "{ symbol: ACME, low: 10, high: 9 }")
    }
    #expect(error?.description == "options.yaml:1:26: error: 'high' must be above 'low'")
  }

  @Test func `wave keeps the contract`() async {
    #expect(await checkContract(.wave, options: "{ symbol: ACME }") == [])
  }
}
