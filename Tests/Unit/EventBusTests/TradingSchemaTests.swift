import EventBus
import MarketData
import TestSupport
import Testing

/// The encoded forms of orders, fills, positions and accounts, written by hand.
@Suite struct TradingSchemaTests {
  private func check<E: Event & Equatable>(
    _ event: E, json golden: String, csv line: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(json(event) == golden, sourceLocation: sourceLocation)
    #expect(csv(event) == line, sourceLocation: sourceLocation)
    #expect(try decodeJSON(E.self, golden) == event, sourceLocation: sourceLocation)
    #expect(try decodeCSV(E.self, line) == event, sourceLocation: sourceLocation)
    #expect(E.schema.undeclaredProperties() == [], sourceLocation: sourceLocation)
  }

  @Test func `an order`() throws {
    try check(
      Order.schema.example,
      json:
        #"{"account":"paper","key":"momentum-17","replaces":"","number":42,"symbol":"AAPL","side":"buy","type":"limit","time_in_force":"gtc","quantity":100,"limit":189.25,"stop":0,"trail":0,"trail_percent":0,"state":"partially_filled","reason":"none","filled":60,"value":11354.4,"fees":0.3,"reserved":7570.2,"best":0,"time":"2013-10-08T13:30:00.012Z","received":"2013-10-08T13:30:00.012345678Z"}"#,
      csv:
        "paper,momentum-17,,42,AAPL,buy,limit,gtc,100,189.25,0,0,0,partially_filled,none,60,11354.4,0.3,7570.2,0,2013-10-08T13:30:00.012Z,2013-10-08T13:30:00.012345678Z"
    )
  }

  @Test func `a fill`() throws {
    try check(
      Fill.schema.example,
      json:
        #"{"account":"paper","number":7,"order":42,"symbol":"AAPL","side":"buy","price":189.24,"quantity":60,"fee":0.3,"realised":0,"position":60,"reason":"limit_touch","shown":189.24,"shown_size":60,"time":"2013-10-08T13:30:00.012Z","received":"2013-10-08T13:30:00.012345678Z"}"#,
      csv: "paper,7,42,AAPL,buy,189.24,60,0.3,0,60,limit_touch,189.24,60,2013-10-08T13:30:00.012Z,2013-10-08T13:30:00.012345678Z")
  }

  @Test func `a position`() throws {
    try check(
      Position.schema.example,
      json:
        #"{"account":"paper","symbol":"AAPL","quantity":60,"cost":11354.4,"mark":189.25,"value":11355,"unrealised":0.6,"realised":0,"fees":0.3,"time":"2013-10-08T13:30:00.012Z","received":"2013-10-08T13:30:00.012345678Z"}"#,
      csv: "paper,AAPL,60,11354.4,189.25,11355,0.6,0,0.3,2013-10-08T13:30:00.012Z,2013-10-08T13:30:00.012345678Z")
  }

  @Test func `an account`() throws {
    try check(
      AccountState.schema.example,
      json:
        #"{"account":"paper","currency":"USD","deposits":100000,"cash":88645.3,"equity":100000.3,"exposure":11355,"margin_used":11355,"reserved":7570.2,"buying_power":81075.1,"realised":0,"unrealised":0.6,"fees":0.3,"time":"2013-10-08T13:30:00.012Z","received":"2013-10-08T13:30:00.012345678Z"}"#,
      csv:
        "paper,USD,100000,88645.3,100000.3,11355,11355,7570.2,81075.1,0,0.6,0.3,2013-10-08T13:30:00.012Z,2013-10-08T13:30:00.012345678Z")
  }

  @Test func `the examples add up`() {
    let (order, fill, position, account) = (Order.schema.example, Fill.schema.example, Position.schema.example, AccountState.schema.example)
    #expect(Amount(fill.price, times: fill.quantity) == order.value)
    #expect(position.cost == order.value)
    #expect(Amount(position.mark, times: position.quantity) == position.value)
    #expect(position.value.subtracting(position.cost) == position.unrealised)
    #expect(account.cash.adding(position.cost)?.adding(account.fees) == account.deposits)
    #expect(account.cash.adding(position.value) == account.equity)
    #expect(account.equity.subtracting(account.marginUsed)?.subtracting(account.reserved) == account.buyingPower)
  }

  @Test func `random ones survive both forms, with every choice`() throws {
    var random = SplitMix(41)
    func number() -> Int64 { Int64(truncatingIfNeeded: random.next()) >> Int64(random.upTo(62) + 1) }
    func amount() -> Amount { Amount(raw: Int128(number()) * Int128(number())) }
    func time() -> Timestamp { Timestamp(ns: number()) }
    for round in 0..<rounds(300) {
      let order = Order(
        account: "a b", key: "k,\"\(round)", symbol: "X", side: .sell, type: OrderType.allCases[round % OrderType.allCases.count],
        quantity: Quantity(raw: number()), limit: Price(raw: number()), stop: Price(raw: number()), trail: Price(raw: number()),
        trailPercent: Percent(raw: number()), timeInForce: TimeInForce.allCases[round % 3], replaces: "é",
        state: OrderState.allCases[round % OrderState.allCases.count], reason: OrderReason.allCases[round % OrderReason.allCases.count],
        number: number(), filled: Quantity(raw: number()), value: amount(), fees: amount(), reserved: amount(), best: Price(raw: number()),
        time: time(), received: time())
      #expect(try decodeJSON(Order.self, json(order)) == order)
      #expect(try decodeCSV(Order.self, csv(order)) == order)
      let fill = Fill(
        account: "a", symbol: "X", side: .buy, reason: FillReason.allCases[round % FillReason.allCases.count], number: number(),
        order: number(), price: Price(raw: number()), quantity: Quantity(raw: number()), fee: amount(), realised: amount(),
        position: Quantity(raw: number()), shown: Price(raw: number()), shownSize: Quantity(raw: number()), time: time(), received: time())
      #expect(try decodeJSON(Fill.self, json(fill)) == fill)
      #expect(try decodeCSV(Fill.self, csv(fill)) == fill)
    }
  }
}
