import MarketData
import StockbusTrading
import Testing

/// Time in force, sessions and halts, worked out by hand.
@Suite struct SessionTests {
  @Test func `an immediate order takes what stands, and the rest is cancelled`() throws {
    var desk = try Desk()
    desk.quote("9.99", "100", "10.01", "30")
    desk.submit("one", .buy, "50", for: .ioc)
    desk.submit("two", .buy, "50", .limit, limit: "10.00", for: .ioc)
    #expect(
      desk.happened() == [
        "fill 1: buy 30 at 10.01 touch", "order 1: working", "order 1: partiallyFilled", "order 1: cancelled notFilledAtOnce",
        "order 2: working", "order 2: cancelled notFilledAtOnce",
      ])
    #expect(desk.broker.openOrders == 0)
    #expect(desk.state.reserved == .zero)
  }

  @Test func `without quotes an immediate order has the next trade`() throws {
    var desk = try Desk()
    desk.trade("10", "5")
    desk.submit("one", .buy, "50", for: .ioc)
    desk.submit("two", .buy, "50", .limit, limit: "9", for: .ioc)
    desk.trade("10.01", "20")
    #expect(
      desk.happened() == [
        "fill 1: buy 20 at 10.01 nextTrade", "order 1: working", "order 2: working", "order 1: partiallyFilled",
        "order 1: cancelled notFilledAtOnce", "order 2: cancelled notFilledAtOnce",
      ])
  }

  @Test func `an immediate stop waits for its trigger`() throws {
    var desk = try Desk()
    desk.quote("9.99", "100", "10.01", "30")
    desk.trade("10", "5")
    desk.submit("one", .buy, "50", .stop, stop: "10.10", for: .ioc)
    desk.trade("10.20", "5")
    #expect(
      desk.happened() == [
        "fill 1: buy 30 at 10.01 touch", "order 1: working", "order 1: triggered", "order 1: partiallyFilled",
        "order 1: cancelled notFilledAtOnce",
      ])
  }

  @Test func `a day order expires at the end of its session, and a good-till-cancelled one does not`() throws {
    var desk = try Desk()
    try desk.broker.open(market: 0, until: Timestamp(ns: 10_000_000_000), at: desk.tick(), into: &desk.out)
    desk.submit("day", .buy, "50", .limit, limit: "9", for: .day)
    desk.submit("gtc", .buy, "50", .limit, limit: "9", for: .gtc)
    _ = desk.happened()
    desk.broker.advance(to: Timestamp(ns: 9_999_999_999), into: &desk.out)
    #expect(desk.happened() == [])
    desk.broker.advance(to: Timestamp(ns: 10_000_000_000), into: &desk.out)
    #expect(desk.out.orders.map(\.received) == [Timestamp(ns: 10_000_000_000)])
    #expect(desk.out.accounts.count == 1)
    #expect(desk.happened() == ["order 1: expired sessionEnd"])
    desk.second = 20
    desk.trade("8", "100", .sell)
    #expect(desk.happened() == [])  // closed
    try desk.broker.open(market: 0, until: nil, at: desk.tick(), into: &desk.out)
    desk.trade("8", "100", .sell)
    #expect(desk.happened() == ["fill 2: buy 50 at 8 limitTrade", "order 2: filled"])
  }

  @Test func `a price received at the end of a session is still in it; one after it does what was due before it`() throws {
    for second in [Int64(9), 10] {
      var desk = try Desk()
      try desk.broker.open(market: 0, until: Timestamp(ns: 10_000_000_000), at: desk.tick(), into: &desk.out)
      desk.submit("day", .buy, "50", .limit, limit: "9", for: .day)
      _ = desk.happened()
      desk.second = second
      desk.trade("8", "20", .sell)
      #expect(
        desk.happened()
          == (second == 9
            ? ["fill 1: buy 20 at 8 limitTrade", "order 1: partiallyFilled"] : ["order 1: expired sessionEnd"]))
    }
  }

  @Test func `orders of a closed market wait for it; immediate ones are rejected`() throws {
    var desk = try Desk()
    desk.quote("9.99", "100", "10.01", "30")
    try desk.broker.close(market: 0, at: desk.tick(), into: &desk.out)
    desk.submit("ioc", .buy, "50", for: .ioc)
    desk.submit("market", .buy, "50", for: .day)
    desk.quote("9.99", "100", "10.01", "40")
    #expect(desk.happened() == ["order 1: rejected closed", "order 2: working"])
    try desk.broker.open(market: 0, until: Timestamp(ns: 100_000_000_000), at: desk.tick(), into: &desk.out)
    #expect(desk.happened() == [])  // the quote from before does not count
    desk.quote("9.99", "100", "10.02", "20")
    #expect(desk.happened() == ["fill 2: buy 20 at 10.02 touch", "order 2: partiallyFilled"])
    // A break keeps day orders, the end of the session does not.
    try desk.broker.close(market: 0, isBreak: true, at: desk.tick(), into: &desk.out)
    #expect(desk.happened() == [])
    try desk.broker.close(market: 0, at: desk.tick(), into: &desk.out)
    #expect(desk.happened() == ["order 2: expired sessionEnd"])
  }

  @Test func `a halted instrument fills and triggers nothing, and no stop follows`() throws {
    var desk = try Desk()
    desk.quote("9.99", "100", "10.01", "100")
    desk.trade("10", "5")
    desk.submit("limit", .buy, "30", .limit, limit: "9")
    desk.submit("stop", .sell, "30", .stop, stop: "9.50")
    desk.submit("trail", .sell, "30", .trailingStop, trail: "1")
    _ = desk.happened()
    desk.broker.halt("X", at: desk.tick(), into: &desk.out)
    desk.submit("market", .buy, "30")
    desk.submit("ioc", .buy, "30", for: .ioc)
    desk.quote("8.90", "100", "8.95", "100")
    desk.trade("20", "500", .buy)
    desk.trade("8", "500", .sell)
    #expect(desk.happened() == ["order 4: working", "order 5: rejected halted"])
    desk.broker.resume("X", at: desk.tick(), into: &desk.out)
    #expect(desk.happened() == [])
    desk.trade("9.80", "500", .buy)
    #expect(desk.happened() == [])  // the trailing stop is still at 9
    desk.quote("9.80", "100", "9.90", "100")
    #expect(desk.happened() == ["fill 4: buy 30 at 9.9 touch", "order 4: filled"])
  }

  @Test func `a venue's time far ahead of its receipt is not believed`() throws {
    var desk = try Desk()
    desk.submit("one", .buy, "30")
    let received = desk.tick()
    desk.broker.take(
      trade: Trade(symbol: "X", price: 10, size: 100, time: Timestamp(ns: 3_600_000_000_000), received: received), into: &desk.out)
    #expect(desk.out.fills.map(\.time) == [received])
  }

  @Test func `each market has its own sessions`() throws {
    var desk = try Desk()
    try desk.broker.define("Y", TradingTerms(market: 3))
    try desk.broker.open(market: 3, until: Timestamp(ns: 20_000_000_000), at: desk.tick(), into: &desk.out)
    try desk.broker.open(market: 0, until: Timestamp(ns: 10_000_000_000), at: desk.tick(), into: &desk.out)
    desk.submit("x", .buy, "1", .limit, limit: "1", for: .day)
    desk.symbol = "Y"
    desk.submit("y", .buy, "1", .limit, limit: "1", for: .day)
    _ = desk.happened()
    desk.broker.advance(to: Timestamp(ns: 30_000_000_000), into: &desk.out)
    #expect(desk.out.orders.map(\.received.ns) == [10_000_000_000, 20_000_000_000])
    #expect(desk.happened() == ["order 1: expired sessionEnd", "order 2: expired sessionEnd"])
  }
}
