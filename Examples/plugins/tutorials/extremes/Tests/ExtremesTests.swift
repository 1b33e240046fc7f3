import ExtremesPlugin
import StockbusTestKit
import Testing

@Suite struct ExtremesTests {
  private func trade(_ price: Price, of symbol: Symbol = "ACME") -> Trade {
    Trade(symbol: symbol, price: price, size: 1, time: Timestamp(ns: 0), received: Timestamp(ns: 0))
  }

  @Test func `low and high of each symbol`() async throws {
    let folder = TemporaryFolder()
    try await PluginHarness().consume(
      [[trade(10), trade(12), trade(9), trade(5, of: "GLOBEX")]], by: Plugin.extremes, options: "path: \(folder.file("out.csv"))")
    #expect(folder.content("out.csv") == "symbol,low,high\nACME,9,12\nGLOBEX,5,5\n")
  }

  @Test func `the file is written meanwhile`() async throws {
    let folder = TemporaryFolder()
    let harness = PluginHarness()
    let running = try harness.start(Plugin.extremes, options: "{ path: \(folder.file("out.csv")), every: 10s }", taking: [Trade.self])
    try await running.send([trade(10)])
    await running.delivered()
    await harness.clock.waitForSleepers(1)
    #expect(folder.names == [])
    harness.clock.advance(by: .seconds(10))
    await harness.clock.waitForSleeper(until: .seconds(20))
    #expect(folder.content("out.csv") == "symbol,low,high\nACME,10,10\n")
    try await running.stop()
  }

  @Test func `a folder that is not there is told`() async throws {
    let folder = TemporaryFolder()
    let error = await #expect(throws: (any Error).self) {
      try await PluginHarness().consume([[trade(10)]], by: Plugin.extremes, options: "path: \(folder.file("none/out.csv"))")
    }
    #expect(error.map { "\($0)" } == "\(folder.file("none/out.csv")) cannot be written")
  }

  @Test func `extremes keeps the contract`() async {
    let folder = TemporaryFolder()
    #expect(await checkContract(.extremes, options: "path: \(folder.file("out.csv"))") == [])
  }
}
