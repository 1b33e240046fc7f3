import DeadbandPlugin
import StockbusTestKit
import Testing

@Suite struct DeadbandTests {
  private func trades(_ prices: [Price], of symbol: Symbol = "ACME") -> [Trade] {
    prices.map { Trade(symbol: symbol, price: $0, size: 1, time: Timestamp(ns: 0), received: Timestamp(ns: 0)) }
  }

  @Test func `prices that have moved far enough, and the last one`() async throws {
    let passed: [Trade] = try await PluginHarness().output(
      of: Plugin.deadband, options: "least: 2", inputs: [trades([10, 11, 12, 13, 11, 9, 10])])
    #expect(passed.map(\.price) == [10, 12, 9, 10])
  }

  @Test func `each symbol by itself`() async throws {
    let passed: [Trade] = try await PluginHarness().output(
      of: Plugin.deadband, options: "least: 2", inputs: [trades([10]) + trades([11], of: "GLOBEX") + trades([11])])
    #expect(passed.map(\.price) == [10, 11, 11])
  }

  @Test func `another instance goes on`() async throws {
    let running = try PluginHarness().start(Plugin.deadband, options: "least: 2", taking: Trade.self, emitting: Trade.self)
    try await running.send(trades([10, 11]))
    await running.delivered()
    try await running.replace(options: "least: 3")
    try await running.send(trades([12, 13]))
    try await running.stop()
    #expect(running.output.map(\.price) == [10, 13])
  }

  @Test func `a command changes it`() async throws {
    let running = try PluginHarness().start(Plugin.deadband, options: "least: 2", taking: Trade.self, emitting: Trade.self)
    try await running.send(trades([10, 11]))
    await running.delivered()
    #expect(try await running.perform("least 1") == "passes moves of 1 and more")
    try await running.send(trades([11, 12]))
    try await running.stop()
    #expect(running.output.map(\.price) == [10, 11, 12])
  }

  @Test func `deadband keeps the contract`() async {
    #expect(await checkContract(.deadband) == [])
  }
}
