import MarketData
import StockbusTrading
import Testing

/// Stops and trailing stops, worked out by hand.
@Suite struct StopTests {
  @Test func `a stop is triggered by a trade and filled by the standing quote, or by the next trade`() throws {
    var desk = try Desk()
    desk.quote("9.99", "100", "10.01", "100")
    desk.trade("10", "5")
    desk.submit("stop", .buy, "30", .stop, stop: "10.05")
    desk.quote("10.10", "100", "10.12", "100")  // quotes trigger nothing where trades are known
    desk.trade("10.04", "5")
    #expect(desk.happened() == ["order 1: working"])
    desk.trade("10.05", "5")
    #expect(desk.happened() == ["fill 1: buy 30 at 10.12 touch", "order 1: triggered", "order 1: filled"])

    var trades = try Desk()
    trades.trade("10", "5")
    trades.submit("stop", .sell, "30", .stop, stop: "9.50")
    trades.trade("9.40", "500")
    #expect(trades.happened() == ["order 1: working", "order 1: triggered"])
    trades.trade("9.45", "20")
    #expect(trades.happened() == ["fill 1: sell 20 at 9.45 nextTrade", "order 1: partiallyFilled"])
  }

  @Test func `where only quotes are known, the ask triggers buys and the bid sells`() throws {
    var desk = try Desk()
    desk.quote("9.99", "100", "10.01", "100")
    desk.submit("buy", .buy, "30", .stop, stop: "10.05")
    desk.submit("sell", .sell, "30", .stop, stop: "9.95")
    desk.quote("9.96", "100", "10.04", "100")
    #expect(desk.happened() == ["order 1: working", "order 2: working"])
    desk.quote("9.95", "100", "10.04", "100")
    #expect(desk.happened() == ["fill 2: sell 30 at 9.95 touch", "order 2: triggered", "order 2: filled"])
    desk.quote("9.95", "100", "10.06", "20")
    #expect(desk.happened() == ["fill 1: buy 20 at 10.06 touch", "order 1: triggered", "order 1: partiallyFilled"])
  }

  @Test func `a stop-limit becomes a limit order`() throws {
    var desk = try Desk()
    desk.quote("9.99", "100", "10.01", "100")
    desk.trade("10", "5")
    desk.submit("one", .buy, "30", .stopLimit, limit: "10.06", stop: "10.05")
    desk.quote("10.05", "100", "10.07", "100")
    desk.trade("10.07", "5", .buy)
    #expect(desk.happened() == ["order 1: working", "order 1: triggered"])
    desk.trade("10.06", "10", .sell)
    #expect(desk.happened() == ["fill 1: buy 10 at 10.06 limitTrade", "order 1: partiallyFilled"])
    desk.quote("10.05", "100", "10.06", "100")
    #expect(desk.happened() == ["fill 1: buy 20 at 10.06 limitTouch", "order 1: filled"])
  }

  @Test func `what one price triggers is filled by number, after what waited`() throws {
    var desk = try Desk()
    desk.quote("9.00", "100", "9.10", "10")
    desk.trade("10", "5")
    desk.submit("far", .sell, "60", .stop, stop: "9.80")
    desk.submit("near", .sell, "60", .stop, stop: "9.90")
    desk.submit("trailing", .sell, "60", .trailingStop, trail: "0.15")
    _ = desk.happened()
    desk.trade("9.80", "5")
    #expect(
      desk.happened() == [
        "fill 1: sell 60 at 9 touch", "fill 2: sell 40 at 9 touch", "order 1: triggered", "order 2: triggered", "order 3: triggered",
        "order 1: filled", "order 2: partiallyFilled",
      ])
  }

  // MARK: Trailing stops

  @Test func `a trailing stop follows the best price and no other`() throws {
    var desk = try Desk()
    desk.quote("9.00", "1000", "11.00", "1000")
    desk.trade("10", "5")
    desk.submit("sell", .sell, "10", .trailingStop, trail: "0.50")
    #expect(desk.out.orders.last?.stop == price("9.5"))
    desk.trade("10.40", "5")
    desk.trade("10.10", "5")
    desk.trade("9.91", "5")
    #expect(desk.happened() == ["order 1: working"])
    desk.trade("9.90", "5")
    #expect(desk.out.orders.first?.stop == price("9.9"))
    #expect(desk.out.orders.first?.best == price("10.4"))
    #expect(desk.happened() == ["fill 1: sell 10 at 9 touch", "order 1: triggered", "order 1: filled"])
    desk.submit("buy", .buy, "10", .trailingStop, trail: "0.50")
    desk.trade("9.00", "5")
    desk.trade("9.49", "5")
    #expect(desk.happened() == ["order 2: working"])
    desk.trade("9.50", "5")
    #expect(desk.happened() == ["fill 2: buy 10 at 11 touch", "order 2: triggered", "order 2: filled"])
  }

  @Test func `a trailing stop follows by a billionth`() throws {
    for (side, better, before, at) in [
      (Side.buy, "9.999999999", "10.499999998", "10.499999999"), (.sell, "10.000000001", "9.500000002", "9.500000001"),
    ] {
      var desk = try Desk(terms: TradingTerms())
      desk.trade("10", "5")
      desk.submit("one", side, "10", .trailingStop, trail: "0.5")
      desk.trade(better, "5")
      desk.trade(before, "5")
      #expect(desk.happened() == ["order 1: working"])
      desk.trade(at, "5")
      #expect(desk.happened() == ["order 1: triggered"])
    }
  }

  @Test func `a distance in per cent is exact and rounded away from the best price`() throws {
    var desk = try Desk(terms: TradingTerms())
    desk.quote("0.1", "1000", "11.00", "1000")
    desk.trade("0.333333333", "5")
    // 0.333333333 × 0.9 = 0.2999999997
    desk.submit("sell", .sell, "10", .trailingStop, percent: "10")
    #expect(desk.out.orders.last?.stop == price("0.299999999"))
    // 0.333333333 × 1.1 = 0.3666666663
    desk.submit("buy", .buy, "10", .trailingStop, percent: "10")
    #expect(desk.out.orders.last?.stop == price("0.366666667"))
    _ = desk.happened()
    desk.trade("0.3", "5")
    desk.trade("0.366666666", "5")
    // The buy's best is 0.3 now, so its stop is 0.33.
    #expect(desk.happened() == ["fill 2: buy 10 at 11 touch", "order 2: triggered", "order 2: filled"])
    desk.trade("0.33", "5")
    #expect(desk.happened() == [])  // the sell's stop is 0.366666666 × 0.9 = 0.3299999994
    desk.trade("0.329999999", "5")
    #expect(desk.happened() == ["fill 1: sell 10 at 0.1 touch", "order 1: triggered", "order 1: filled"])
  }

  @Test func `a trailing stop that was accepted before any price begins with the first one`() throws {
    var desk = try Desk()
    desk.submit("sell", .sell, "10", .trailingStop, trail: "0.50")
    #expect(desk.out.orders.last?.stop == 0)
    desk.trade("8", "5")
    desk.trade("7.51", "5")
    #expect(desk.happened() == ["order 1: working"])
    desk.trade("7.50", "5")
    #expect(desk.happened() == ["order 1: triggered"])
  }

  @Test func `the stops that have followed the price are reported once`() throws {
    var desk = try Desk()
    desk.trade("10", "5")
    desk.submit("one", .sell, "10", .trailingStop, trail: "0.50")
    desk.submit("two", .sell, "10", .trailingStop, percent: "1")
    desk.trade("12", "5")
    _ = desk.happened()
    desk.broker.reportTrails(at: desk.tick(), into: &desk.out)
    #expect(desk.out.orders.map(\.stop) == [price("11.5"), price("11.88")])
    #expect(desk.happened() == ["order 1: working", "order 2: working"])
    desk.broker.reportTrails(at: desk.tick(), into: &desk.out)
    #expect(desk.happened() == [])
  }
}
