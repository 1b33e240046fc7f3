import StockbusInstruments
import StockbusTestKit
import Testing

@testable import Guard

/// Odd prices, by hand.
@Suite(.timeLimit(.minutes(15))) struct OddTests {
  private func prices(_ options: String, _ prices: [Price], odd: Bool = false) async throws -> [Price] {
    try await output(options, trades(prices), odd: odd).map(\.price)
  }

  @Test func `a price far from the median of the last ones is set aside`() async throws {
    // 120 is 20% above 100, and 80 is 20% below it. The median is still 100 then.
    let all: [Price] = [100, 100, 100, 100, 100, 100, 121, 120, 79, 80, 100]
    let harness = PluginHarness()
    let kept = try await output("odd: 20%", trades(all), in: harness)
    #expect(kept.map(\.price) == [100, 100, 100, 100, 100, 100, 120, 80, 100])
    #expect(kept.allSatisfy { $0.time == $0.received })
    #expect(harness.counters == ["odd": 2])
    #expect(try await prices("odd: 20%", all, odd: true) == [121, 79])
  }

  @Test func `before half of the prices are known every price passes`() async throws {
    // Of 11 five are fewer than half; of 4 two are not.
    #expect(try await prices("odd: 20%", [1, 50, 1, 50, 1, 50, 99], odd: true) == [99])
    #expect(try await prices("{ odd: 20%, of: 4 }", [10, 50, 99], odd: true) == [99])
    // The median of 10 and 50 is 30.
    #expect(try await prices("{ odd: 20%, of: 4 }", [10, 50, 36], odd: true) == [])
    #expect(try await prices("{ odd: 20%, of: 4 }", [10, 50, 24], odd: true) == [])
    #expect(try await prices("{ odd: 20%, of: 4 }", [10, 50, 23], odd: true) == [23])
  }

  @Test func `three odd prices that agree are a new level, and the third passes`() async throws {
    let all: [Price] = [10, 10, 10, 20, 21, 22, 22, 10]
    let harness = PluginHarness()
    let kept = try await output("{ odd: 20%, of: 5 }", trades(all), in: harness)
    #expect(kept.map(\.price) == [10, 10, 10, 22, 22])
    #expect(harness.counters == ["odd": 3, "new levels": 1])
    #expect(try await prices("{ odd: 20%, of: 5 }", all, odd: true) == [20, 21, 10])
  }

  @Test func `they have to be consecutive, and any three in a row will do`() async throws {
    #expect(try await prices("{ odd: 20%, of: 5 }", [10, 10, 10, 20, 20, 10, 20], odd: true) == [20, 20, 20])
    // 20, 90 and 21 do not agree, nor do 90, 21 and 22; but 21, 22 and 23 do.
    #expect(try await prices("{ odd: 20%, of: 5 }", [10, 10, 10, 20, 90, 21, 22, 23, 24], odd: true) == [20, 90, 21, 22])
    // Of other symbols there may be any between.
    var mixed = trades([10, 10, 10, 20, 20, 20])
    mixed.insert(trade("B", at: 3500, 1), at: 4)
    #expect(try await output("{ odd: 20%, of: 5 }", mixed).map(\.price) == [10, 10, 10, 1, 20])
  }

  @Test func `prices are compared in the order of their times`() async throws {
    // By arrival 20, 21 and 22 come in a row; by time 10 is between them.
    let trades =
      trades([10, 10, 10]) + [
        trade("A", at: 3000, 20), trade("A", at: 3010, 21), trade("A", at: 3030, 22), trade("A", at: 3020, after: 20, 10),
      ]
    #expect(try await output("{ late: 50ms, odd: 20%, of: 5 }", trades, odd: true).map(\.price) == [20, 21, 22])
    #expect(try await output("{ odd: 20%, of: 5 }", trades, odd: true).map(\.price) == [20, 21, 10])
  }

  @Test func `quotes are compared by their middle, and what has no price of the market passes`() async throws {
    func quote(_ bid: Price, _ ask: Price, sizes: (Quantity, Quantity) = (1, 1)) -> Quote {
      Quote(symbol: "A", bid: bid, ask: ask, bidSize: sizes.0, askSize: sizes.1, time: at(0), received: at(0))
    }
    let quotes = [quote(9, 11), quote(9, 11), quote(9, 11), quote(9, 0, sizes: (1, 0)), quote(9, 20), quote(10, 14)]
    #expect(try await output("{ odd: 20%, of: 5 }", quotes, odd: true) == [quotes[4]])
    let trades = trades([10, 10, 10]) + [trade("A", at: 3000, 90, .oddLot), trade("A", at: 3001, 90)]
    #expect(try await output("{ odd: 20%, of: 5 }", trades, odd: true) == [trades[4]])
  }

  @Test func `bars are compared by their close`() async throws {
    let bars = ([10, 10, 10, 13, 10] as [Int64]).enumerated().map { place, close in
      var bar = Bar.schema.example
      (bar.close, bar.time, bar.received) = (Price(raw: close * 1_000_000_000), at(Int64(place)), at(Int64(place)))
      return bar
    }
    #expect(try await output("{ odd: 20%, of: 5 }", bars, odd: true) == [bars[3]])
  }

  @Test func `negative prices and zero are compared too`() async throws {
    #expect(try await prices("{ odd: 10%, of: 3 }", [-10, -10, -11, -12, -10], odd: true) == [-12])
    #expect(try await prices("{ odd: 10%, of: 3 }", [0, 0, 0, 1, 0], odd: true) == [1])
  }

  @Test func `the ends of the range do not trap`() async throws {
    let (most, least) = (Price(raw: .max), Price(raw: .min))
    #expect(try await prices("{ odd: 1000%, of: 3 }", [most, most, most, least, most], odd: true) == [])
    #expect(try await prices("{ odd: 1%, of: 3 }", [most, least, most, least, most, least], odd: true) == [most, least, most, least])
  }

  @Test func `after a split the new shares are compared with the old ones converted`() async throws {
    var builder = InstrumentsBuilder()
    builder.add(csv: Array("symbol,splits\nA,2013-10-09 4:1\n".utf8), file: "instruments.csv")
    let harness = PluginHarness(services: Services(builder.finish()))
    let trades = trades([100, 100, 100]) + [trade("A", at: 86_400_000, 25), trade("A", at: 86_401_000, 100)]
    #expect(try await output("{ odd: 20%, of: 5 }", trades, odd: true, in: harness).map(\.price) == [100])
  }

  @Test func `says of a symbol's last price what it is compared with`() async throws {
    let running: RunningPlugin<Trade> = try PluginHarness().start(
      Plugin.guard, options: "{ odd: 20%, of: 5 }", taking: Trade.self, emitting: Trade.self)
    let sent = trades([10, 10, 10, 13])
    try await running.send(Array(sent.prefix(1)))
    await running.delivered()
    #expect(await running.explain("A", last: sent[0]).map(\.reason) == ["there are fewer than half of the prices to compare with"])
    try await running.send(Array(sent.suffix(3)))
    await running.delivered()
    #expect(
      await running.explain("A", last: sent[3]).map { "\($0.verdict) \($0.reason)" } == [
        "filters 13 is more than 20% from 10, the median of the last prices"
      ])
    try await running.stop()
  }
}
