import MarketData
import StockbusTrading
import Testing

/// Market and limit orders, worked out by hand.
@Suite struct FillRuleTests {
  // MARK: Market orders

  @Test func `a market order is filled at the touch, and waits for more when the shown size is gone`() throws {
    var desk = try Desk()
    desk.quote("9.99", "100", "10.01", "300")
    desk.submit("one", .buy, "500")
    #expect(desk.happened() == ["fill 1: buy 300 at 10.01 touch", "order 1: working", "order 1: partiallyFilled"])
    // The same quote again shows nothing new.
    desk.quote("9.98", "50", "10.01", "300")
    #expect(desk.happened() == [])
    desk.quote("9.98", "50", "10.02", "150")
    #expect(desk.happened() == ["fill 1: buy 150 at 10.02 touch", "order 1: partiallyFilled"])
    // A trade does not fill it where quotes are known.
    desk.trade("9.98", "1000", .sell)
    #expect(desk.happened() == [])
    desk.quote("9.98", "50", "10.02", "151")
    #expect(desk.happened() == ["fill 1: buy 50 at 10.02 touch", "order 1: filled"])
    #expect(desk.position.quantity == 500)
    #expect(desk.position.cost == amount("5007"))
    #expect(desk.isConserved())
  }

  @Test func `a sell takes the bid, and what two orders take of one quote is its size`() throws {
    var desk = try Desk()
    desk.quote("9.99", "100", "10.01", "300")
    desk.submit("one", .sell, "70")
    desk.submit("two", .sell, "70")
    #expect(
      desk.happened() == [
        "fill 1: sell 70 at 9.99 touch", "fill 2: sell 30 at 9.99 touch", "order 1: working", "order 1: filled", "order 2: working",
        "order 2: partiallyFilled",
      ])
    #expect(desk.position.cost == -999)
  }

  @Test func `slippage makes a market order worse by ticks, never a limit order`() throws {
    var desk = try Desk(slippage: 2)
    desk.quote("9.99", "100", "10.01", "300")
    desk.submit("buy", .buy, "10")
    desk.submit("sell", .sell, "10")
    desk.submit("limit", .buy, "10", .limit, limit: "10.05")
    #expect(desk.out.fills.map(\.price) == [price("10.03"), price("9.97"), price("10.01")])
    #expect(desk.out.fills.map(\.shown) == [price("10.01"), price("9.99"), price("10.01")])
    #expect(desk.out.fills.map(\.shownSize) == [300, 100, 300])
    var low = try Desk(slippage: 9)
    low.quote("0.05", "100", "0.06", "100")
    low.submit("sell", .sell, "10")
    #expect(low.out.fills.map(\.price) == [Price(raw: 1)])
  }

  @Test func `where only trades are known, the next trade fills market orders in their order, at most its size`() throws {
    var desk = try Desk()
    desk.trade("10", "1000")
    desk.submit("one", .buy, "80")
    desk.submit("two", .sell, "50")
    desk.submit("three", .buy, "10")
    #expect(desk.happened() == ["order 1: working", "order 2: working", "order 3: working"])
    desk.trade("10.02", "100", .buy)
    #expect(
      desk.happened() == [
        "fill 1: buy 80 at 10.02 nextTrade", "fill 2: sell 20 at 10.02 nextTrade", "order 1: filled", "order 2: partiallyFilled",
      ])
    desk.trade("10.01", "35")
    #expect(
      desk.happened() == [
        "fill 2: sell 30 at 10.01 nextTrade", "fill 3: buy 5 at 10.01 nextTrade", "order 2: filled", "order 3: partiallyFilled",
      ])
  }

  @Test func `an empty side, zero sizes and prices that are none fill nothing`() throws {
    var desk = try Desk()
    desk.submit("one", .buy, "80")
    desk.quote("9.99", "100", "0", "100")
    desk.quote("9.99", "100", "10.01", "0")
    desk.quote("9.99", "100", "-10.01", "5")
    desk.quote("9.99", "100", "10.01", "-5")
    desk.trade("0", "10")
    desk.trade("-1", "10")
    #expect(desk.happened() == ["order 1: working"])
    // Nor does a price that is not the market's.
    desk.trade("9", "10", condition: .averagePrice)
    #expect(desk.broker.ignored == 3)
    desk.quote("9.99", "100", "10.01", "5")
    #expect(desk.happened() == ["fill 1: buy 5 at 10.01 touch", "order 1: partiallyFilled"])
  }

  @Test func `while the price is below zero orders are rejected, and open ones wait`() throws {
    var desk = try Desk()
    desk.trade("1.20", "10")
    desk.submit("held", .buy, "5")
    desk.trade("1.20", "10")
    desk.submit("open", .sell, "5", .limit, limit: "2")
    _ = desk.happened()
    desk.trade("-37.63", "10")
    #expect(desk.broker.takeBelowZero().count == 1 && desk.broker.takeBelowZero().isEmpty)
    #expect(desk.submit("market", .sell, "5").reason == .belowZero)
    #expect(desk.submit("limit", .buy, "5", .limit, limit: "-40").reason == .badPrice)
    #expect(desk.happened() == ["order 3: rejected belowZero", "order 4: rejected badPrice"])
    desk.trade("2", "10", .buy)
    #expect(desk.submit("later", .buy, "5").isAccepted)
    #expect(desk.happened() == ["fill 2: sell 5 at 2 limitTrade", "order 2: filled", "order 5: working"])
  }

  @Test func `only whole lots are filled`() throws {
    var desk = try Desk(terms: TradingTerms(lot: 10, tick: price("0.01")))
    desk.quote("9.99", "100", "10.01", "25")
    desk.submit("one", .buy, "100")
    #expect(desk.happened() == ["fill 1: buy 20 at 10.01 touch", "order 1: working", "order 1: partiallyFilled"])
    desk.quote("9.99", "100", "10.01", "9.5")
    #expect(desk.happened() == [])
    var fractions = try Desk(terms: TradingTerms())
    fractions.quote("9.99", "100", "10.01", "0.125")
    fractions.submit("one", .buy, "0.2")
    #expect(fractions.happened().first == "fill 1: buy 0.125 at 10.01 touch")
  }

  // MARK: Limit orders

  @Test func `a limit order takes the touch if it is as good, then rests, and a quote that comes to it fills it at its own price`() throws {
    var desk = try Desk()
    desk.quote("9.99", "100", "10.01", "30")
    desk.submit("one", .buy, "100", .limit, limit: "10.02")
    #expect(desk.happened() == ["fill 1: buy 30 at 10.01 limitTouch", "order 1: working", "order 1: partiallyFilled"])
    desk.quote("9.99", "100", "10.03", "500")
    #expect(desk.happened() == [])
    desk.quote("9.95", "100", "10.00", "50")
    #expect(desk.happened() == ["fill 1: buy 50 at 10 limitTouch", "order 1: partiallyFilled"])
    desk.quote("9.95", "100", "10.02", "50")
    #expect(desk.happened() == ["fill 1: buy 20 at 10.02 limitTouch", "order 1: filled"])
  }

  @Test func `a trade fills a resting limit if its aggressor was on the other side`() throws {
    var desk = try Desk()
    desk.quote("9.99", "100", "10.01", "100")
    desk.submit("buy", .buy, "100", .limit, limit: "9.99")
    desk.submit("sell", .sell, "100", .limit, limit: "10.01")
    #expect(desk.happened() == ["order 1: working", "order 2: working"])
    desk.trade("9.99", "40", .buy)
    desk.trade("10.01", "40", .sell)
    #expect(desk.happened() == [])
    desk.trade("9.99", "40", .sell)
    desk.trade("9.98", "10", .sell)
    desk.trade("10.01", "30", .buy)
    desk.trade("10.05", "30", .buy)
    #expect(
      desk.happened() == [
        "fill 1: buy 40 at 9.99 limitTrade", "fill 1: buy 10 at 9.98 limitTrade", "fill 2: sell 30 at 10.01 limitTrade",
        "fill 2: sell 30 at 10.05 limitTrade", "order 1: partiallyFilled", "order 1: partiallyFilled", "order 2: partiallyFilled",
        "order 2: partiallyFilled",
      ])
  }

  @Test func `a trade of unknown side fills a limit only if it is better`() throws {
    var desk = try Desk()
    desk.submit("buy", .buy, "100", .limit, limit: "9.99")
    desk.submit("sell", .sell, "100", .limit, limit: "10.01")
    desk.trade("9.99", "40")
    desk.trade("10.01", "40")
    #expect(desk.happened() == ["order 1: working", "order 2: working"])
    desk.trade("9.98", "40")
    desk.trade("10.02", "40")
    #expect(
      desk.happened() == [
        "fill 1: buy 40 at 9.98 limitThrough", "fill 2: sell 40 at 10.02 limitThrough", "order 1: partiallyFilled",
        "order 2: partiallyFilled",
      ])
  }

  @Test func `the best limit comes first, then the first order`() throws {
    var desk = try Desk()
    desk.submit("a", .buy, "10", .limit, limit: "9.98")
    desk.submit("b", .buy, "10", .limit, limit: "9.99")
    desk.submit("c", .buy, "10", .limit, limit: "9.99")
    desk.submit("d", .buy, "10", .limit, limit: "9.97")
    _ = desk.happened()
    desk.trade("9.97", "35", .sell)
    #expect(
      desk.happened() == [
        "fill 2: buy 10 at 9.97 limitTrade", "fill 3: buy 10 at 9.97 limitTrade", "fill 1: buy 10 at 9.97 limitTrade",
        "fill 4: buy 5 at 9.97 limitTrade", "order 2: filled", "order 3: filled", "order 1: filled", "order 4: partiallyFilled",
      ])
  }
}
