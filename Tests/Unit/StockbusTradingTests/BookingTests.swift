import MarketData
import TestSupport
import StockbusTrading
import Testing

/// Fills booked by hand, and published ones.
@Suite struct BookingTests {
  /// Books fills one after the other; the quantity is below zero for a sale.
  private func book(
    _ fills: [(quantity: String, price: String, fee: String)], multiplier: Quantity = 1
  ) -> (holding: Holding, cash: Amount) {
    var holding = Holding()
    var cash = Amount.zero
    for fill in fills {
      let signed = units(fill.quantity)
      let booking = holding.booking(
        signed.raw < 0 ? .sell : .buy, Quantity(raw: abs(signed.raw)), at: price(fill.price), multiplier: multiplier, fee: amount(fill.fee))!
      holding = booking.after
      cash = cash.adding(booking.cash)!
    }
    return (holding, cash)
  }

  private func unrealised(_ holding: Holding, _ mark: String, multiplier: Quantity = 1) -> Amount {
    holding.value(at: price(mark), multiplier: multiplier).subtracting(holding.cost)!
  }

  private func profit(_ holding: Holding) -> Amount { holding.realised.subtracting(holding.fees)! }

  /// QuantConnect/Lean, Tests/TestData/test_cash_fills.xml and test_cash_equity.xml at 24863901 (SecurityPortfolioManagerTests.TestCashFills):
  /// fills at 1, 2, 3 … of an instrument whose price goes up by one for each; the equity after each, with 100,000 at the start.
  @Test func `Lean's fills through zero`() {
    let fills = [100, -50, -100, -50, 50, 100, 50, -50, -100, -50, 50, 100, -50]
    let equity = [
      100_000, 100_100, 100_150, 100_100, 100_000, 99_950, 100_000, 100_100, 100_150, 100_100, 100_000, 99_950, 99_950,
    ]
    var holding = Holding()
    var cash: Amount = 100_000
    for (index, quantity) in fills.enumerated() {
      // The file's last two fills are both at 12, and the price the test sets is 13 for the last one.
      let price = Price(integerLiteral: Int64(min(index + 1, 12)))
      let mark = Price(integerLiteral: Int64(index + 1))
      let booking = holding.booking(
        quantity < 0 ? .sell : .buy, Quantity(integerLiteral: Int64(abs(quantity))), at: price, multiplier: 1, fee: .zero)!
      holding = booking.after
      cash = cash.adding(booking.cash)!
      #expect(
        cash.adding(holding.value(at: mark, multiplier: 1)) == Amount(integerLiteral: Int64(equity[index])), "after fill \(index + 1)")
      #expect(cash.adding(holding.cost) == Amount(100_000 as Price).adding(holding.realised))
    }
    #expect(holding == Holding(realised: -50))
  }

  // nautechsystems/nautilus_trader, tests/unit_tests/model/test_position.py at a95c8042. Its realised figures contain the fees.

  @Test func `NautilusTrader's two sells`() {
    let (holding, cash) = book([("-50000", "1.00001", "2"), ("-50000", "1.00002", "2")])
    #expect(holding == Holding(quantity: -100_000, cost: amount("-100001.5"), fees: 4))
    #expect(unrealised(holding, "1.0005") == amount("-48.50"))
    #expect(profit(holding) == -4)
    #expect(profit(holding).adding(unrealised(holding, "1.0005")) == amount("-52.50"))
    #expect(cash == amount("99997.5"))
  }

  @Test func `NautilusTrader's single fills`() {
    let long = book([("100000", "1.00001", "2")]).holding
    #expect(unrealised(long, "1.0005") == 49)
    #expect(profit(long) == -2)
    let short = book([("-100000", "1.00001", "2")]).holding
    #expect(unrealised(short, "1.0005") == -49)
    let part = book([("50000", "1.00001", "2")]).holding
    #expect(unrealised(part, "1.00048") == amount("23.50"))
  }

  @Test func `NautilusTrader's round trips`() {
    #expect(profit(book([("150000", "1.00001", "3"), ("-150000", "1.00011", "0")]).holding) == 12)
    #expect(profit(book([("-100000", "1", "2"), ("50000", "1.00001", "2"), ("50000", "1.00003", "2")]).holding) == -8)
    #expect(profit(book([("100000", "1", "2"), ("-100000", "1", "2")]).holding) == -4)
    #expect(profit(book([("100000", "1", "2"), ("100000", "1.00001", "2"), ("-200000", "1.0001", "4")]).holding) == 11)
    // Closed and opened again: the cost is that of the second opening.
    let again = book([("150000", "1.00001", "3"), ("-150000", "1.00011", "0"), ("150000", "1.00012", "0")]).holding
    #expect(unrealised(again, "1.0003") == 27)
    #expect(again.cost == 150_018)
  }

  @Test func `NautilusTrader's flip from long to short`() {
    // One fill here, two there, which share the fee of the order: 2.25 each.
    let flipped = book([("100000", "0.75", "1.50"), ("-150000", "0.7502", "4.50")]).holding
    #expect(flipped.quantity == -50_000)
    #expect(flipped.cost == -37_510)
    #expect(flipped.realised == 20)
    let closed = book([("100000", "0.75", "1.50"), ("-150000", "0.7502", "4.50"), ("50000", "0.7503", "0.75")]).holding
    // Theirs are 16.25 of the long and -8.00 of the short position.
    #expect(profit(closed) == amount("8.25"))
  }

  /// The example of Trading Technologies that NautilusTrader tests with fees of 0.1 %; its figures have 8 decimals.
  @Test func `the cost of many prices is taken in proportion`() {
    let fills = [
      ("12", "100", "0.12"), ("17", "99", "0.1683"), ("-9", "101", "0.0909"), ("-4", "105", "0.042"), ("3", "103", "0.0309"),
    ]
    var (holding, _) = book(Array(fills.prefix(2)))
    #expect(holding.cost == 2883)
    #expect(profit(holding) == amount("-0.2883"))
    holding = book(Array(fills.prefix(3))).holding
    #expect(profit(holding).rounded(decimals: 8) == amount("13.89666207"))
    // 2883 × 9 / 29 is 894.7241379310344827586…
    #expect(holding.cost == amount("1988.275862068965517241"))
    #expect(holding.realised == amount("14.275862068965517241"))
    holding = book(Array(fills.prefix(4))).holding
    #expect(profit(holding).rounded(decimals: 8) == amount("36.19948966"))
    holding = book(fills).holding
    #expect(profit(holding).rounded(decimals: 8) == amount("36.16858966"))
    #expect(holding.quantity == 19)
    #expect(holding.cost.divided(by: holding.quantity) == price("99.980036298"))
  }

  @Test func `NautilusTrader's interleaved sides`() {
    let fills = [
      ("12", "10000", "120"), ("17", "9999", "169.983"), ("-9", "10001", "90.009"), ("3", "10003", "30.009"), ("-4", "10005", "40.02"),
    ]
    let expected = ["-120", "-289.983", "-365.71613793", "-395.72513793", "-415.27137481"]
    for count in 1...fills.count {
      #expect(profit(book(Array(fills.prefix(count))).holding).rounded(decimals: 8) == amount(expected[count - 1]))
    }
  }

  @Test func `thirds add up: nothing is lost when a position is sold in parts`() {
    // 10 over 3: 3.333…3, then half of what is left, then all of it.
    let fills = [("3", "3.333333333", "0"), ("-1", "4", "0"), ("-1", "4", "0"), ("-1", "4", "0")]
    let (holding, cash) = book(fills)
    #expect(holding == Holding(realised: amount("2.000000001")))
    #expect(cash == holding.realised)
    let (uneven, _) = book([("0.000000007", "0.000000001", "0"), ("-0.000000003", "0.000000002", "0")])
    // The cost is 7 units of 1e-18, of which 3 are taken.
    #expect(uneven.cost == Amount(raw: 4))
    #expect(uneven.realised == Amount(raw: 3))
    let (half, _) = book([("0.000000002", "0.000000001", "0"), ("0.000000002", "0.000000002", "0"), ("-0.000000001", "0.000000001", "0")])
    // A quarter of 6 is one and a half, which is rounded to the even 2.
    #expect(half.cost == Amount(raw: 4))
    #expect(half.realised == Amount(raw: -1))
  }

  @Test func `through zero, the old position is closed and the rest opened at the same price`() {
    let (holding, cash) = book([("10", "5", "0"), ("-25", "7", "1")])
    #expect(holding == Holding(quantity: -15, cost: -105, realised: 20, fees: 1))
    #expect(cash == 124)
    let (other, _) = book([("-10", "5", "0"), ("25", "7", "1")])
    #expect(other == Holding(quantity: 15, cost: 105, realised: -20, fees: 1))
  }

  @Test func `a multiplier counts in cost and profit`() {
    let (holding, cash) = book([("2", "4000.25", "0"), ("-1", "4010.25", "0")], multiplier: 50)
    #expect(holding == Holding(quantity: 1, cost: amount("200012.5"), realised: 500))
    #expect(cash == amount("-199512.5"))
    let (tenth, _) = book([("3", "0.000000001", "0")], multiplier: units("0.1"))
    #expect(tenth.cost == amount("0.0000000003"))
  }

  @Test func `what leaves the range books nothing`() {
    let large = Holding(quantity: Quantity(raw: .max), cost: 1)
    #expect(large.booking(.buy, 1, at: 1, multiplier: 1, fee: .zero) == nil)
    #expect(Holding(quantity: Quantity(raw: -.max)).booking(.sell, Quantity(raw: 1), at: 1, multiplier: 1, fee: .zero) == nil)
    #expect(Holding(cost: Amount(raw: .max)).booking(.buy, 1, at: 1, multiplier: 1, fee: .zero) == nil)
    #expect(Holding().booking(.buy, Quantity(raw: .max), at: Price(raw: .max), multiplier: 1000, fee: .zero) == nil)
    #expect(Holding(fees: Amount(raw: .max)).booking(.buy, 1, at: 1, multiplier: 1, fee: 1) == nil)
    #expect(Holding().booking(.sell, Quantity(raw: .max), at: Price(raw: .max), multiplier: 1, fee: .zero) != nil)
  }

  // MARK: Fees

  @Test func `a fee per order and a minimum are paid once`() {
    let rule = FeeRule(perUnit: price("0.005"), minimum: 1)
    #expect(rule.total(filled: 100, value: 1000) == 1)
    #expect(rule.total(filled: 300, value: 3000) == amount("1.5"))
    let flat = FeeRule(perOrder: 2, rate: percent("0.05"))
    // Five basis points.
    #expect(flat.total(filled: 1, value: 1000) == amount("2.5"))
    #expect(flat.total(filled: 2, value: 2000) == 3)
  }

  @Test func `a maximum holds, and the total is rounded to the currency's decimals`() {
    let rule = FeeRule(perUnit: price("0.005"), minimum: 1, maximum: 2, decimals: 2)
    #expect(rule.total(filled: 401, value: 1) == 2)
    #expect(rule.total(filled: 201, value: 1) == 1)  // 1.005
    #expect(rule.total(filled: 203, value: 1) == amount("1.02"))  // 1.015
    #expect(FeeRule(minimum: 2, maximum: 1).fault == "a maximum below the minimum")
    #expect(FeeRule(rate: -1).fault == "a fee is below zero")
    #expect(FeeRule(rate: Percent(raw: .max)).total(filled: 1, value: Amount(raw: .max)) == nil)
  }
}
