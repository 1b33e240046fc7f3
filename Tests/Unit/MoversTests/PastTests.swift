import MarketData
import StockbusInstruments
import StockbusTestKit
import Testing

@testable import Movers

/// Closes from before the run, by hand: the run begins on Wednesday, 2013-10-09.
@Suite struct PastTests {
  private static let wednesday: Int64 = 2 * 86_400 + 15 * 3600

  private func date(_ text: String) throws -> Int { Int(try TradingDate(option: text).days) }

  private func past() throws -> PastPrices {
    let friday = try date("2013-10-04")
    let days: [Symbol: [(Int, Price)]] = [
      "A": [(friday, 100), (friday + 3, 101), (friday + 4, 102)], "B": [(friday, 50), (friday + 4, Price(raw: 49_500_000_000))],
    ]
    let closes = days.mapValues { $0.map { PastPrices.Close(day: $0.0, price: $0.1) } }
    return PastPrices(closes: closes.compactMapValues(\.last)) { symbol, day in closes[symbol]?.last { $0.day < day } }
  }

  private let trades = [
    trade("A", 10_300, at: wednesday), trade("B", 4900, at: wednesday + 1), trade("C", 700, at: wednesday + 2),
    trade("C", 770, at: wednesday + 3),
  ]

  private func moves(_ options: String, _ instruments: Instruments = Instruments(), _ trades: [Trade]? = nil) async throws -> [String] {
    let harness = PluginHarness(services: Services(try past(), instruments))
    let output: [Mover] = try await harness.output(of: Plugin.movers, options: options, inputs: [trades ?? self.trades])
    return output.map { "\(move($0)) of \($0.reference)" }
  }

  private func equities(_ splits: [String] = []) throws -> Instruments {
    var instruments = ["A", "B", "C"].map { Instrument(Symbol(stringLiteral: $0)) }
    for i in instruments.indices { instruments[i].calendar = "us_equities" }
    instruments[0].splits = try splits.map { try Split(option: $0) }
    return Instruments(instruments, calendars: try [TradingCalendar.builtIn("us_equities")].compactMap { $0 })
  }

  @Test func `a week that begins on Wednesday compares with Friday's close`() async throws {
    let expected = ["gainers A 0→1 3% of 100", "losers B 0→1 -2% of 50"]
    #expect(try await moves("{ period: week, by: percent }") == expected)
    #expect(try await moves("{ period: week, by: percent }", equities()) == expected)
  }

  @Test(arguments: ["day", "session"])
  func `a day and a session compare with Tuesday's close`(period: String) async throws {
    // 1 / 102 and 0.5 / 49.5.
    let expected = ["gainers A 0→1 0.980392156% of 102", "losers B 0→1 -1.01010101% of 49.5"]
    #expect(try await moves("{ period: \(period), by: percent }") == expected)
    #expect(try await moves("{ period: \(period), by: percent }", equities()) == expected)
  }

  @Test func `the last hours take nothing from the past`() async throws {
    #expect(try await moves("{ period: 24h, by: percent }") == [])
  }

  @Test func `a split since the close is applied, and a jump is marked`() async throws {
    #expect(
      try await moves("{ period: week, by: percent }", equities(["2013-10-08 2:1"]), [trade("A", 5100, at: Self.wednesday)])
        == ["gainers A 0→1 2% split of 50"])
    // The split of Monday is in Tuesday's close already.
    #expect(
      try await moves("{ period: day, by: percent }", equities(["2013-10-08 2:1"]), [trade("A", 10_300, at: Self.wednesday)])
        == ["gainers A 0→1 0.980392156% of 102"])
    #expect(
      try await moves("{ period: week, by: percent }", equities(), [trade("A", 20_000, at: Self.wednesday)])
        == ["gainers A 0→0 100% jump of 100"])
  }

  @Test func `a daily bar counts in the week of its date`() async throws {
    // Monday's bar, which is named by midnight in UTC, when it was still Sunday in New York.
    let bar = Bar(
      symbol: "A", open: 101, high: 101, low: 101, close: 101, volume: 1, time: monday, received: monday, priceDecimals: 2)
    let harness = PluginHarness(services: Services(try past(), try equities()))
    let output: [Mover] = try await harness.output(
      of: Plugin.movers, options: "{ period: week, by: percent }", inputs: [[bar]])
    #expect(output.map(move) == ["gainers A 0→1 1%"])
  }
}
