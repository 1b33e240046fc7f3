import MarketData
import Testing

@testable import StockbusTrading

/// Buying power, fees and valuation, worked out by hand.
@Suite struct AccountTests {
  @Test func `an order sets its margin and its fee aside, and what is filled needs margin`() throws {
    var desk = try Desk(deposit: 1000, margin: MarginRule(long: 50, short: 50), fees: FeeRule(perOrder: 2))
    desk.quote("9.99", "0", "10.00", "0")
    desk.trade("10", "1")
    #expect(desk.submit("one", .buy, "200", .limit, limit: "10").reason == .insufficientBuyingPower)
    #expect(desk.submit("two", .buy, "150", .limit, limit: "10").isAccepted)
    #expect(desk.state.reserved == 752)
    #expect(desk.state.buyingPower == 248)
    #expect(desk.submit("three", .sell, "50", .limit, limit: "10").reason == .insufficientBuyingPower)
    #expect(desk.submit("four", .sell, "49", .limit, limit: "10").isAccepted)  // 245 and 2
    #expect(desk.state.buyingPower == 1)
    desk.cancel("four")
    desk.quote("9.99", "0", "10.00", "50")
    #expect(desk.state.cash == 498)
    #expect(desk.state.equity == 998)
    #expect(desk.state.marginUsed == 250)
    #expect(desk.state.exposure == 500)
    // 752 × 100 / 150
    #expect(desk.state.reserved == amount("501.333333333333333333"))
    #expect(desk.state.buyingPower == amount("246.666666666666666667"))
    #expect(desk.isConserved())
  }

  @Test func `what only closes a position is accepted however little is left`() throws {
    var desk = try Desk(deposit: 1000)
    desk.quote("10.00", "1000", "10.00", "1000")
    desk.submit("one", .buy, "100")
    #expect(desk.state.buyingPower == .zero)
    desk.quote("1.00", "1000", "1.00", "1000")
    #expect(desk.submit("more", .buy, "1").reason == .insufficientBuyingPower)
    #expect(desk.submit("short", .sell, "201").reason == .insufficientBuyingPower)
    #expect(desk.submit("turn", .sell, "200").isAccepted)
    #expect(desk.position.quantity == -100)
    #expect(desk.state.equity == 100)
    #expect(desk.state.realised == -900)
    // Equity below the margin forces nothing, but the position can only become smaller.
    desk.quote("1.50", "1000", "1.50", "1000")
    #expect(desk.state.buyingPower == -100)
    #expect(desk.submit("again", .sell, "1").reason == .insufficientBuyingPower)
    #expect(desk.submit("close", .buy, "60").isAccepted)
    #expect(desk.position.quantity == -40)
    #expect(desk.isConserved())
  }

  @Test func `all orders of one side count together`() throws {
    var desk = try Desk(deposit: 1000, margin: MarginRule(long: 100, short: nil))
    desk.quote("10.00", "10", "10.00", "10")
    desk.submit("have", .buy, "10")
    #expect(desk.submit("1", .sell, "6", .limit, limit: "11").isAccepted)
    #expect(desk.submit("2", .sell, "5", .limit, limit: "11").reason == .shortNotAllowed)
    #expect(desk.submit("3", .sell, "4", .limit, limit: "11").isAccepted)
    #expect(desk.submit("4", .sell, "1", .limit, limit: "11").reason == .shortNotAllowed)
    // One that is replaced does not count.
    #expect(desk.submit("5", .sell, "7", .limit, limit: "11", replaces: "1").reason == .shortNotAllowed)
    #expect(desk.submit("6", .sell, "6", .limit, limit: "12", replaces: "1").isAccepted)
  }

  @Test func `what an order costs is checked again at the fill`() throws {
    var desk = try Desk(deposit: 1000)
    #expect(desk.submit("early", .buy, "100").isAccepted)  // no price is known
    #expect(desk.state.reserved == .zero)
    desk.quote("11.00", "1000", "11.00", "1000")
    #expect(desk.happened() == ["order 1: working", "order 1: cancelled insufficientBuyingPower"])
    #expect(desk.submit("stop", .buy, "80", .stop, stop: "12").isAccepted)
    desk.quote("13.00", "1000", "13.00", "1000")
    #expect(desk.happened() == ["order 2: working", "order 2: triggered", "order 2: cancelled insufficientBuyingPower"])
    #expect(desk.state.cash == 1000)
    #expect(desk.state.reserved == .zero)
  }

  @Test func `numbers at the end of their range are refused, and nothing traps`() throws {
    var desk = try Desk(deposit: Amount(raw: .max), terms: TradingTerms(multiplier: 1000))
    let most = "9223372036.854775807"
    #expect(desk.submit("1", .buy, most, .limit, limit: most).reason == .outOfRange)
    desk.trade("0.000000001", "1")
    #expect(desk.submit("2", .buy, most, .limit, limit: "0.000000001").isAccepted)
    #expect(desk.submit("3", .buy, most, .limit, limit: "0.000000001").reason == .badQuantity)
    #expect(desk.submit("4", .sell, "1", .trailingStop, trail: most).isAccepted)
    #expect(desk.submit("5", .buy, "1", .trailingStop, trail: most).isAccepted || true)
    desk.trade(most, most, .buy)
    desk.quote(most, most, most, most)
    desk.trade("0.000000001", most, .sell)
    desk.quote("0.000000001", "1", "0.000000001", most)
    #expect(desk.isConserved())
    _ = desk.state
    // A sale would bring more cash than there can be.
    var rich = try Desk(deposit: Amount(raw: .max), margin: MarginRule(long: 1, short: percent("0.000000001")))
    rich.submit("1", .sell, "1000000000")
    rich.trade("9000000000", "1000000000")
    #expect(rich.happened() == ["order 1: working", "order 1: cancelled outOfRange"])
  }

  // MARK: Fees and marks

  @Test func `a minimum is paid by the first fill of an order`() throws {
    var desk = try Desk(fees: FeeRule(perUnit: price("0.01"), minimum: 1))
    desk.quote("9.99", "100", "10.01", "60")
    desk.submit("one", .buy, "300")
    desk.quote("9.99", "100", "10.01", "100")
    desk.quote("9.99", "100", "10.02", "140")
    #expect(desk.out.fills.map(\.fee) == [1, amount("0.6"), amount("1.4")])
    #expect(desk.state.fees == 3)
    #expect(desk.position.fees == 3)
  }

  @Test func `the mark is the last trade, or the middle of the quote where there are no trades`() throws {
    var desk = try Desk()
    desk.quote("10.00", "100", "10.00", "100")
    desk.submit("one", .buy, "10")
    desk.quote("11.00", "100", "11.01", "100")
    desk.out.clear()
    desk.broker.revalue(at: desk.tick(), into: &desk.out)
    #expect(desk.out.positions.map(\.mark) == [price("11.005")])
    #expect(desk.out.accounts.map(\.unrealised) == [amount("10.05")])
    #expect(desk.out.accounts.map(\.equity) == [amount("1000010.05")])
    desk.out.clear()
    desk.broker.revalue(at: desk.tick(), into: &desk.out)
    #expect(desk.out.isEmpty)
    desk.trade("12", "1")
    desk.quote("11.00", "100", "11.02", "100")
    #expect(desk.position.mark == 12)
    #expect(desk.position.value == 120)
  }

  @Test func `an estimate says what an order would cost, and does nothing`() throws {
    var desk = try Desk(deposit: 1000, margin: MarginRule(long: 50), fees: FeeRule(perOrder: 1))
    desk.quote("9.99", "100", "10.01", "100")
    let estimate = desk.broker.estimate(desk.order("one", .buy, "100"))
    #expect(estimate?.price == price("10.01"))
    #expect(estimate?.value == 1001)
    #expect(estimate?.fee == 1)
    #expect(estimate?.reserved == amount("501.5"))
    // Once filled: an equity of 998, with the middle of 10 as the mark, and half of 1000 as margin.
    #expect(estimate?.after == .init(position: 100, cash: -2, buyingPower: amount("498")))
    #expect(estimate?.reason == OrderReason.none)
    #expect(desk.broker.estimate(desk.order("one", .buy, "1000"))?.reason == .insufficientBuyingPower)
    // What it would cost is known although the account cannot pay it: 1000 − 1000 × 10.01 − 1.
    #expect(desk.broker.estimate(desk.order("one", .buy, "1000"))?.after?.cash == -9011)
    #expect(desk.broker.estimate(desk.order("one", .buy, "0.5"))?.reason == .notInLots)
    #expect(desk.broker.estimate(desk.order("one", .buy, "0.5"))?.after == nil)
    #expect(desk.out.isEmpty)
    #expect(desk.broker.openOrders == 0)
  }

  @Test func `accounts, terms and markets that cannot be are refused`() throws {
    var desk = try Desk()
    func fault(_ body: () throws(BrokerError) -> Void) -> String {
      do throws(BrokerError) { try body() } catch { return error.description }
      return "none"
    }
    #expect(
      fault { () throws(BrokerError) in
        try desk.broker.open(AccountRules("a", currency: "USD", deposit: 1), at: desk.tick(), into: &desk.out)
      }
        == "account 'a': opened twice")
    let negative = AccountRules("b", currency: "USD", deposit: -1)
    #expect(
      fault { () throws(BrokerError) in try desk.broker.open(negative, at: desk.tick(), into: &desk.out) }
        == "account 'b': the deposit is below zero")
    let none = AccountRules("b", currency: "USD", deposit: 1, margin: MarginRule(long: 0))
    #expect(
      fault { () throws(BrokerError) in try desk.broker.open(none, at: desk.tick(), into: &desk.out) }
        == "account 'b': the margin must be above zero")
    #expect(
      fault { () throws(BrokerError) in try desk.broker.define("X", TradingTerms(lot: 0)) }
        == "instrument 'X': the lot must be above zero")
    #expect(
      fault { () throws(BrokerError) in try desk.broker.define("X", TradingTerms(market: -1)) }
        == "instrument 'X': the market number is out of range")
    #expect(
      fault { () throws(BrokerError) in try desk.broker.open(market: 4096, until: nil, at: desk.tick(), into: &desk.out) }
        == "market 4096: out of range")
    desk.submit("one", .buy, "1", .limit, limit: "1")
    #expect(
      fault { () throws(BrokerError) in try desk.broker.define("X", TradingTerms(market: 1)) }
        == "instrument 'X': market and multiplier cannot change while there are orders or positions")
    #expect(fault { () throws(BrokerError) in try desk.broker.define("X", TradingTerms(lot: 5)) } == "none")
  }
}
