import MarketData
import StockbusTrading
import Testing

@Suite struct SplitTests {
  /// AAPL's split of 2014: seven for one.
  @Test func `a forward split multiplies positions and orders, and keeps what was paid`() throws {
    var desk = try Desk()
    desk.trade("645.57", "100")
    desk.submit("have", .buy, "10")
    desk.trade("645.57", "100")
    desk.submit("limit", .buy, "10", .limit, limit: "640.00")
    desk.submit("target", .sell, "10", .limit, limit: "700.00")
    desk.submit("stop", .sell, "10", .stop, stop: "600.00")
    desk.submit("trail", .sell, "3", .trailingStop, trail: "10.00")
    desk.submit("share", .sell, "3", .trailingStop, percent: "7")
    let reserved = desk.state.reserved
    desk.out.clear()
    try desk.broker.split("X", new: 7, old: 1, at: desk.tick(), into: &desk.out)
    #expect(desk.position.quantity == 70)
    #expect(desk.position.cost == amount("6455.7"))
    // 645.57 / 7 = 92.224285714285…
    #expect(desk.position.mark == price("92.224285714"))
    #expect(desk.out.orders.map(\.quantity) == [70, 70, 70, 21, 21])
    // 640 / 7 = 91.428…, down for a buy; 700 / 7 = 100; 600 / 7 = 85.714…, down for a sell's stop.
    #expect(desk.out.orders.map(\.limit) == [price("91.42"), 100, 0, 0, 0])
    #expect(desk.out.orders.map(\.stop) == [0, 0, price("85.71"), price("90.795714285"), price("85.768585714")])
    #expect(desk.out.orders[3].trail == price("1.428571429"))
    #expect(desk.out.orders[4].best == price("92.224285714"))
    #expect(desk.out.orders.allSatisfy { $0.state == .working && $0.reason == .split })
    #expect(desk.state.reserved == reserved)
    #expect(desk.out.fills.isEmpty)
    #expect(desk.isConserved())
    desk.out.clear()
    desk.trade("91.41", "50", .sell)
    #expect(desk.happened() == ["fill 2: buy 50 at 91.41 limitTrade", "order 2: partiallyFilled"])
  }

  /// AIG's reverse split of 2009: one for twenty.
  @Test func `a reverse split pays fractions out at the last price`() throws {
    var desk = try Desk()
    desk.trade("1.16", "1000")
    desk.submit("have", .buy, "110")
    desk.trade("1.16", "1000")
    desk.submit("small", .buy, "19", .limit, limit: "1.00")
    desk.submit("large", .buy, "50", .limit, limit: "1.01")
    desk.submit("sell", .sell, "30", .limit, limit: "1.30")
    let cash = desk.state.cash
    desk.out.clear()
    try desk.broker.split("X", new: 1, old: 20, at: desk.tick(), into: &desk.out)
    // 5.5 shares: half a share at 23.20.
    #expect(
      desk.happened() == [
        "fill 0: sell 0.5 at 23.2 cashInLieu", "order 2: cancelled split", "order 3: working split", "order 4: working split",
      ])
    #expect(desk.position.quantity == 5)
    #expect(desk.state.cash == cash.adding(amount("11.6")))
    #expect(desk.position.cost == 116)
    #expect(desk.state.realised == .zero)
    #expect(desk.isConserved())
    desk.trade("20.20", "100", .sell)
    #expect(desk.happened() == ["fill 3: buy 2 at 20.2 limitTrade", "order 3: filled"])
  }

  @Test func `a short position pays`() throws {
    var desk = try Desk()
    desk.trade("2", "1000")
    desk.submit("have", .sell, "5")
    desk.trade("2", "1000")
    desk.out.clear()
    try desk.broker.split("X", new: 1, old: 2, at: desk.tick(), into: &desk.out)
    #expect(desk.happened() == ["fill 0: buy 0.5 at 4 cashInLieu"])
    #expect(desk.position.quantity == -2)
    #expect(desk.position.cost == -8)
    #expect(desk.isConserved())
  }

  @Test func `what was filled is split too, so that the rest is right`() throws {
    var desk = try Desk()
    desk.submit("one", .buy, "100", .limit, limit: "10.00")
    desk.trade("10.00", "40", .sell)
    desk.out.clear()
    try desk.broker.split("X", new: 3, old: 1, at: desk.tick(), into: &desk.out)
    #expect(desk.out.orders.map(\.quantity) == [300])
    #expect(desk.out.orders.map(\.filled) == [120])
    desk.out.clear()
    desk.trade("3.33", "500", .sell)
    #expect(desk.happened() == ["fill 1: buy 180 at 3.33 limitTrade", "order 1: filled"])
    #expect(desk.position.quantity == 300)
  }

  @Test func `the standing quote is of the old shares`() throws {
    var desk = try Desk()
    desk.quote("9.99", "100", "10.01", "100")
    try desk.broker.split("X", new: 2, old: 1, at: desk.tick(), into: &desk.out)
    desk.submit("one", .buy, "10")
    #expect(desk.happened() == ["order 1: working"])
  }

  @Test func `numbers out of range change nothing`() throws {
    var desk = try Desk(terms: TradingTerms())
    desk.submit("one", .buy, "5000000000")
    desk.trade("0.0000001", "5000000000")
    desk.submit("two", .buy, "1000000000", .limit, limit: "0.000000001")
    desk.out.clear()
    let before = desk.broker.snapshot()
    for (new, old) in [(2, 1), (0, 1), (1, 0), (-1, 1), (1_000_001, 1)] as [(Int64, Int64)] {
      #expect(throws: BrokerError.self) { try desk.broker.split("X", new: new, old: old, at: Timestamp(ns: 0), into: &desk.out) }
    }
    #expect(desk.broker.snapshot() == before)
    #expect(desk.out.isEmpty)
  }

  @Test func `less than a billionth is nothing, and its cost is lost`() throws {
    var desk = try Desk(terms: TradingTerms())
    desk.submit("one", .buy, "0.000000003")
    desk.trade("1000", "1")
    try desk.broker.split("X", new: 1, old: 10, at: desk.tick(), into: &desk.out)
    #expect(desk.position.quantity == 0)
    #expect(desk.position.cost == .zero)
    #expect(desk.state.realised == amount("-0.000003"))
    #expect(desk.isConserved())
  }
}
