import MovingAverage
import StockbusTestKit
import Testing

@Suite struct MovingAverageTests {
  private func trades(_ prices: [Int64], of symbol: Symbol = "ACME") -> [Trade] {
    prices.map { price in
      Trade(symbol: symbol, price: Price(raw: price * 1_000_000_000), size: 1, time: Timestamp(ns: 0), received: Timestamp(ns: 0))
    }
  }

  private func run(_ trades: [Trade]) async throws -> [Average] {
    try await PluginHarness().output(of: Plugin.movingAverage, options: "{ short: 2, long: 4 }", inputs: [trades])
  }

  /// The prices 10, 12, 14, 16, 8, 6, 20, 13, worked out by hand.
  private static let table: [(short: String, long: String, signal: Signal)] = [
    ("15", "13", .none),  // of 14 and 16; of 10, 12, 14 and 16
    ("12", "12.5", .fall),
    ("7", "11", .none),
    ("13", "12.5", .rise),
    ("16.5", "11.75", .none),
  ]

  @Test func `the averages and where they cross`() async throws {
    let averages = try await run(trades([10, 12, 14, 16, 8, 6, 20, 13]))
    #expect(averages.map { "\($0.short) \($0.long) \($0.signal)" } == Self.table.map { "\($0.short) \($0.long) \($0.signal)" })
  }

  @Test func `each symbol has averages of its own`() async throws {
    let both = zip(trades([10, 12, 14, 16, 8, 6, 20, 13]), trades([1, 1, 1, 1, 1, 1, 1, 1], of: "GLOBEX")).flatMap { [$0, $1] }
    let averages = try await run(both)
    #expect(averages.filter { $0.symbol == "ACME" }.map(\.signal) == Self.table.map(\.signal))
    // Averages that are equal do not cross.
    #expect(averages.filter { $0.symbol == "GLOBEX" }.allSatisfy { $0.short == $0.long && $0.signal == .none })
  }

  @Test func `averages that touch have not crossed`() async throws {
    // 15 to 13, 13 to 13, 20 to 17.5.
    #expect(try await run(trades([10, 12, 14, 16, 10, 30])).map(\.signal) == [.none, .none, .none])
    // 15 to 13, 13 to 13, 13 to 14.
    #expect(try await run(trades([10, 12, 14, 16, 10, 16])).map(\.signal) == [.none, .none, .fall])
  }

  @Test func `moving_average keeps the contract`() async {
    #expect(await checkContract(.movingAverage, options: "{ short: 2, long: 4 }") == [])
  }

  @Test func `a long window that is not longer is told`() async {
    let error = await #expect(throws: Problems.self) {
      let _: [Average] = try await PluginHarness().output(
        of: Plugin.movingAverage, options: "{ short: 4, long: 4 }", inputs: [trades([10])])
    }
    #expect(error?.description == "options.yaml:1:13: error: 'long' must be more than 'short'")
  }
}
