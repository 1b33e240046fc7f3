import MarketData
import StockbusTrading
import Testing

/// Which orders are accepted, and how they are cancelled and replaced.
@Suite struct AcceptanceTests {
  // MARK: Rejections

  @Test func `an order that cannot be is rejected with its reason`() throws {
    var desk = try Desk(terms: TradingTerms(currency: "USD", lot: 10, tick: price("0.05")))
    desk.trade("10", "5")
    var expected: [OrderReason] = []
    func rejected(_ reason: OrderReason, _ reply: OrderReply) {
      expected.append(reason)
      #expect(reply == OrderReply(number: Int64(expected.count), isAccepted: false, reason: reason))
    }
    rejected(.badQuantity, desk.submit("1", .buy, "0"))
    rejected(.badQuantity, desk.submit("2", .buy, "-10"))
    rejected(.notInLots, desk.submit("3", .buy, "15"))
    rejected(.badSide, desk.submit("4", .unknown, "10"))
    rejected(.badPrice, desk.submit("5", .buy, "10", .limit))
    rejected(.badPrice, desk.submit("6", .buy, "10", .limit, limit: "-1"))
    rejected(.badPrice, desk.submit("7", .buy, "10", .market, limit: "10"))
    rejected(.badPrice, desk.submit("8", .buy, "10", .stop))
    rejected(.badPrice, desk.submit("9", .buy, "10", .limit, limit: "10", stop: "10"))
    rejected(.badPrice, desk.submit("10", .buy, "10", .stopLimit, stop: "10"))
    rejected(.offTick, desk.submit("11", .buy, "10", .limit, limit: "10.01"))
    rejected(.offTick, desk.submit("12", .buy, "10", .stop, stop: "10.01"))
    rejected(.badTrail, desk.submit("13", .buy, "10", .trailingStop))
    rejected(.badTrail, desk.submit("14", .buy, "10", .trailingStop, trail: "1", percent: "1"))
    rejected(.badTrail, desk.submit("15", .buy, "10", .trailingStop, trail: "-1"))
    rejected(.badTrail, desk.submit("16", .sell, "10", .trailingStop, percent: "100"))
    rejected(.badTrail, desk.submit("17", .buy, "10", .limit, limit: "10", trail: "1"))
    rejected(.badKey, desk.submit("", .buy, "10"))
    rejected(.badKey, desk.submit(String(repeating: "k", count: 65), .buy, "10"))
    rejected(.unknownOrder, desk.submit("20", .buy, "10", replaces: "none"))
    desk.account = "nobody"
    rejected(.unknownAccount, desk.submit("21", .buy, "10"))
    #expect(desk.out.orders.map(\.reason) == expected)
    #expect(desk.out.orders.allSatisfy { $0.state == .rejected })
    #expect(desk.out.fills.isEmpty && desk.out.positions.isEmpty && desk.out.accounts.isEmpty)
  }

  @Test func `an instrument of another currency is rejected, and one that is not defined if the rules say so`() throws {
    var desk = try Desk(BrokerRules(undefined: nil), terms: TradingTerms(currency: "EUR"))
    #expect(desk.submit("1", .buy, "10").reason == .otherCurrency)
    desk.symbol = "Y"
    #expect(desk.submit("2", .buy, "10").reason == .unknownInstrument)
    var lenient = try Desk(terms: nil)
    #expect(lenient.submit("1", .buy, "0.000000001").isAccepted)
  }

  @Test func `there is an end to open orders`() throws {
    var desk = try Desk(BrokerRules(openOrders: 2))
    for key in ["1", "2"] { #expect(desk.submit(key, .buy, "1", .limit, limit: "1").isAccepted) }
    #expect(desk.submit("3", .buy, "1", .limit, limit: "1").reason == .tooManyOrders)
    desk.cancel("1")
    #expect(desk.submit("4", .buy, "1", .limit, limit: "1").isAccepted)
  }

  // MARK: Idempotency

  @Test func `a key that was seen before gets the first reply, and nothing happens`() throws {
    var desk = try Desk()
    desk.quote("9.99", "100", "10.01", "100")
    let first = desk.submit("one", .buy, "10")
    let refused = desk.submit("two", .buy, "0")
    desk.out.clear()
    let again = desk.submit("one", .buy, "10")
    #expect(again == OrderReply(number: 1, isAccepted: true, isRepeated: true))
    #expect(first == OrderReply(number: 1, isAccepted: true))
    // Whatever it says the second time.
    #expect(desk.submit("two", .buy, "10") == OrderReply(number: 2, isAccepted: false, reason: .badQuantity, isRepeated: true))
    #expect(refused.number == 2)
    #expect(desk.out.isEmpty)
    #expect(desk.position.quantity == 10)
    // Keys are an account's own.
    try desk.broker.open(AccountRules("other", currency: "USD", deposit: 1000), at: desk.tick(), into: &desk.out)
    desk.account = "other"
    #expect(desk.submit("one", .buy, "10") == OrderReply(number: 3, isAccepted: true))
  }

  @Test func `the oldest keys of orders that are done are forgotten first`() throws {
    var desk = try Desk(BrokerRules(openOrders: 2, keys: 4))
    desk.submit("open", .buy, "1", .limit, limit: "1")
    for key in ["a", "b", "c"] {
      desk.submit(key, .buy, "1", .limit, limit: "1")
      desk.cancel(key)
    }
    desk.submit("d", .buy, "1", .limit, limit: "1")
    #expect(desk.submit("open", .buy, "1", .limit, limit: "1").isRepeated)
    #expect(desk.submit("b", .buy, "1", .limit, limit: "1").isRepeated)
    desk.cancel("d")
    #expect(!desk.submit("a", .buy, "1", .limit, limit: "1").isRepeated)
  }

  // MARK: Cancel and replace

  @Test func `cancelling ends an order and gives back what it had set aside`() throws {
    var desk = try Desk()
    desk.quote("9.99", "100", "10.01", "100")
    desk.submit("one", .buy, "150", .limit, limit: "10.01")
    #expect(desk.state.reserved == amount("500.5"))
    #expect(desk.state.buyingPower == amount("998498.5"))
    #expect(desk.cancel("one") == OrderReply(number: 1, isAccepted: true))
    #expect(desk.state.reserved == .zero)
    #expect(desk.happened().last == "order 1: cancelled asked")
    #expect(desk.cancel("one") == OrderReply(number: 1, isAccepted: false, reason: .alreadyDone))
    #expect(desk.cancel("two") == OrderReply(number: 0, isAccepted: false, reason: .unknownOrder))
    #expect(desk.happened() == [])
    desk.account = "nobody"
    #expect(desk.cancel("one").reason == .unknownAccount)
  }

  @Test func `a request by a topic is an order, or asks to cancel one`() throws {
    var desk = try Desk()
    var order = desk.order("one", .buy, "10", .limit, limit: "9")
    #expect(desk.broker.take(request: order, into: &desk.out).isAccepted)
    order.state = .cancelled
    #expect(desk.broker.take(request: order, into: &desk.out).isAccepted)
    #expect(desk.happened() == ["order 1: working", "order 1: cancelled asked"])
  }

  @Test func `a replacement is an order of its own, and the one that it replaces keeps what it has filled`() throws {
    var desk = try Desk()
    desk.submit("one", .buy, "100", .limit, limit: "9.99")
    desk.submit("other", .buy, "100", .limit, limit: "9.99")
    desk.trade("9.99", "30", .sell)
    _ = desk.happened()
    #expect(desk.submit("two", .buy, "50", .limit, limit: "9.99", replaces: "one") == OrderReply(number: 3, isAccepted: true))
    #expect(desk.out.orders.map(\.filled) == [30, 0])
    #expect(desk.happened() == ["order 1: replaced asked", "order 3: working"])
    // It has lost its place.
    desk.trade("9.99", "110", .sell)
    #expect(
      desk.happened() == [
        "fill 2: buy 100 at 9.99 limitTrade", "fill 3: buy 10 at 9.99 limitTrade", "order 2: filled", "order 3: partiallyFilled",
      ])
    #expect(desk.submit("three", .buy, "50", .limit, limit: "9.99", replaces: "one").reason == .alreadyDone)
  }

  @Test func `a replacement that is rejected leaves the order as it is, and one that needs its buying power has it`() throws {
    var desk = try Desk(deposit: 1000)
    #expect(desk.submit("one", .buy, "100", .limit, limit: "10").isAccepted)
    #expect(desk.submit("two", .buy, "101", .limit, limit: "10", replaces: "one").reason == .insufficientBuyingPower)
    #expect(desk.happened() == ["order 1: working", "order 2: rejected insufficientBuyingPower"])
    #expect(desk.state.reserved == 1000)
    #expect(desk.submit("three", .buy, "125", .limit, limit: "8", replaces: "one").isAccepted)
    #expect(desk.happened() == ["order 1: replaced asked", "order 3: working"])
    #expect(desk.state.reserved == 1000)
  }
}
