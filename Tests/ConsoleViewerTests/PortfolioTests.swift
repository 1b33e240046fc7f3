import MarketData
import StockbusPlugin
import StockbusTerminal
import StockbusTrading
import StockbusViewing
import Testing

@testable import ConsoleViewer

@Suite struct PortfolioTests {
  private func market(_ symbol: Symbol, _ raw: Int64, seconds: Int64 = 4) -> Market {
    var market = Market()
    let time = Timestamp(ns: opening + seconds * second)
    market.take([Trade(symbol: symbol, price: Price(raw: raw), size: 1, time: time, received: time)].span, at: 0)
    return market
  }

  // MARK: Values

  @Test func `a long position follows the price`() {
    // 100 at 189.00, told at 189.25; at 189.65 it is worth 18,965.
    let holding = Portfolio.holding(position("AAPL", 100, cost: 18_900, mark: 18_925), in: market("AAPL", 189_650_000_000))
    #expect(holding.price == Price(raw: 189_650_000_000))
    #expect(holding.value == 18_965)
    #expect(holding.unrealised == 65)
  }

  @Test func `a short position loses when the price rises`() {
    // 50 sold at 260.00; at 261.10 to buy them back costs 13,055.
    let holding = Portfolio.holding(position("TSLA", -50, cost: -13_000, mark: 26_000), in: market("TSLA", 261_100_000_000))
    #expect(holding.value == -13_055)
    #expect(holding.unrealised == -55)
  }

  @Test func `the contract's multiplier is in the broker's value`() {
    // Two contracts of 50 units: 2 × 50 × 1651.00, and they cost 164,000.
    let held = position("ES", 2, cost: 164_000, mark: 165_025, multiplier: 50)
    #expect(held.value == 165_025)
    let holding = Portfolio.holding(held, in: market("ES", 1_651_000_000_000))
    #expect(holding.value == 165_100)
    #expect(holding.unrealised == 1100)
  }

  @Test func `the smallest units are exact`() {
    // 0.000000003 at 1.000000007 is 0.000000003000000021.
    let held = position("X", Quantity(raw: 3), cost: Amount(raw: 2_999_999_000), mark: 100)
    let holding = Portfolio.holding(held, in: market("X", 1_000_000_007))
    #expect(holding.value == Amount(raw: 3_000_000_021))
    #expect(holding.unrealised == Amount(raw: 1021))
  }

  @Test func `only a newer price counts, and only for what has a price and a quantity`() {
    let held = position("AAPL", 100, cost: 18_900, mark: 18_925)
    for seconds in [2, 3] as [Int64] {
      let holding = Portfolio.holding(held, in: market("AAPL", 189_650_000_000, seconds: seconds))
      #expect(holding.price == held.mark && holding.value == held.value && holding.unrealised == 25)
    }
    #expect(Portfolio.holding(held, in: Market()).value == held.value)
    #expect(Portfolio.holding(held, in: market("MSFT", 1)).value == held.value)
    var unpriced = held
    unpriced.mark = 0
    unpriced.value = 0
    unpriced.unrealised = -18_900
    #expect(Portfolio.holding(unpriced, in: market("AAPL", 189_650_000_000)).unrealised == -18_900)
    let closed = position("AAPL", 0, cost: 0, mark: 18_925)
    #expect(Portfolio.holding(closed, in: market("AAPL", 189_650_000_000)).value == .zero)
  }

  @Test func `a value out of range stays as the broker said`() {
    var huge = position("AAPL", Quantity(raw: .max), cost: 0, mark: 1)
    huge.value = Amount(raw: .max)
    huge.unrealised = Amount(raw: .max)
    let holding = Portfolio.holding(huge, in: market("AAPL", .max))
    #expect(holding.price == huge.mark && holding.value == huge.value)
    huge.value = Amount(raw: .min)
    huge.mark = -1
    #expect(Portfolio.holding(huge, in: market("AAPL", .max)).value == huge.value)
  }

  @Test func `equity and unrealised profit of an account are those of its positions`() {
    var driver = Driver()
    morning(&driver)
    trading(&driver)
    // AAPL 189.25 to 189.65: 100 × 0.40; TSLA 260.10 to 260.48: -50 × 0.38.
    let now = driver.state.portfolio.accounts(in: driver.state.market)
    #expect(now.map(\.equity) == [cents(10_013_650 + 4000 - 1900)])
    #expect(now.map(\.unrealised) == [41])
    #expect(now.map(\.cash) == [cents(9_421_650)])
    #expect(driver.state.portfolio.accounts == [account()])
  }

  // MARK: What is kept

  @Test func `orders that are done leave, requests do not count`() {
    var portfolio = Portfolio()
    portfolio.take([order(0, .buy, 10, "AAPL", at: 100, state: .new), order(7, .buy, 10, "AAPL", at: 100)])
    portfolio.take([order(7, .buy, 10, "AAPL", at: 100, in: "other")])
    #expect(portfolio.orders.count == 2)
    portfolio.take([order(7, .buy, 10, "AAPL", at: 100, state: .partiallyFilled, filled: 4)])
    #expect(PortfolioList(portfolio).orders.map(\.filled).sorted() == [0, 4])
    for state in [OrderState.filled, .cancelled, .rejected, .expired, .replaced] {
      var done = portfolio
      done.take([order(7, .buy, 10, "AAPL", at: 100, state: state)])
      #expect(done.orders.values.map(\.account) == ["other"])
    }
  }

  @Test func `what is beyond the limits is counted and said`() throws {
    var portfolio = Portfolio()
    let many = Portfolio.orderLimit + 3
    portfolio.take((1...many).map { order(Int64($0), .buy, 1, "AAPL", at: 100) })
    #expect(portfolio.orders.count == Portfolio.orderLimit)
    #expect(portfolio.beyond.orders == 3)
    portfolio.take((1...203).map { fill(Int64($0), .buy, 1, "AAPL", at: 100) })
    #expect(portfolio.fills.map(\.number) == Array(4...203))
    #expect(portfolio.olderFills == 3)
    portfolio.take([fill(204, .buy, 1, "AAPL", at: 100)])
    #expect(portfolio.fills.first?.number == 5 && portfolio.olderFills == 4)
    let accounts = try (0...Portfolio.accountLimit).map { account(try Symbol("a\($0)")) }
    portfolio.take(accounts)
    #expect(portfolio.accounts.count == Portfolio.accountLimit)
    let notes = PortfolioList(portfolio).lines.compactMap { if case .note(let text) = $0 { text } else { nil } }
    #expect(notes == ["4 earlier fills are not shown", "too many to show; events left out: 1 of accounts, 3 of open orders"])
  }

  @Test func `an open position beyond the limit takes the place of a closed one`() throws {
    var portfolio = Portfolio()
    let all = try (1...Portfolio.positionLimit).map { position(try Symbol("P\($0)"), $0 == 5 ? 0 : 1, cost: 1, mark: 100) }
    portfolio.take(all)
    portfolio.take([position("CLOSED", 0, cost: 0, mark: 100), position("OPEN", 1, cost: 1, mark: 100)])
    #expect(portfolio.positions[4].symbol == "OPEN")
    portfolio.take([position("OPEN", 2, cost: 1, mark: 100), position("MORE", 2, cost: 1, mark: 100)])
    #expect(portfolio.positions.count == Portfolio.positionLimit)
    #expect(portfolio.positions[4].quantity == 2)
    #expect(portfolio.beyond.positions == 3)
  }

  @Test func `prices change what is shown, and nothing that is kept`() {
    var driver = Driver()
    morning(&driver)
    trading(&driver)
    driver.type("7")
    let (taken, before) = (driver.state.portfolio.total, driver.frame().text)
    driver.trade("AAPL", 19_965)
    #expect(driver.state.portfolio.total == taken)
    #expect(driver.state.portfolio.positions[0].unrealised == 25)
    // 100 × 10.00 more.
    #expect(before[5].contains("+65.00") && driver.frame().text[5].contains("+1065.00"))
    #expect(before[2].contains("100157.50") && driver.frame().text[2].contains("101157.50"))
  }

  @Test func `an event of trading is a change of the screen, as a price is`() {
    var driver = Driver()
    driver.state.take([account()])
    #expect(driver.state.changes == 1)
    driver.trade("AAPL", 19_965)
    #expect(driver.state.changes == 2)
  }

  // MARK: The tab

  @Test func `the tab comes with the first event, and the others keep their numbers`() {
    var driver = Driver()
    morning(&driver)
    #expect(!driver.state.tabs.contains(.portfolio))
    driver.type("6")
    trading(&driver)
    #expect(driver.state.tabs.map(\.title) == ["Prices", "Watchlist", "Movers", "Alerts", "Log", "Graph", "Portfolio"])
    #expect(driver.state.current == .graph)
    driver.type("7")
    #expect(driver.state.current == .portfolio)
  }

  @Test func `a paused screen keeps the portfolio too`() {
    var driver = Driver()
    morning(&driver)
    trading(&driver)
    driver.type("7p")
    let before = driver.frame().text
    driver.state.take([position("AAPL", 200, cost: 37_800, mark: 18_925, seconds: 9)])
    #expect(driver.frame().text.dropFirst() == before.dropFirst())
    driver.type("p")
    #expect(driver.frame().text[5].contains(" 200 "))
  }

  @Test(
    arguments: [
      (1_004_999_999_999_999, "0.00"), (5_000_000_000_000_000, "0.01"), (-4_999_999_999_999_999, "0.00"), (-5_000_000_000_000_000, "-0.01"),
      (1_995_000_000_000_000_000, "2.00"), (-12_340_000_000_000_000_000, "-12.34"),
    ] as [(Int128, String)])
  func `money has two decimals`(raw: Int128, text: String) { #expect(TradingText.money(Amount(raw: raw)) == text) }

  @Test func `the largest amounts have a text`() {
    #expect(TradingText.money(Amount(raw: .max)) == "170141183460469231731.69")
    #expect(TradingText.signed(Amount(raw: .min)) == "-170141183460469231731.69")
    #expect(TradingText.signed(5) == "+5.00")
    #expect(TradingText.signed(Amount(raw: 1)) == "0.00")
  }

  @Test func `plain lines`() {
    let trailing = Order(
      account: "paper", key: "k", symbol: "AAPL", side: .sell, type: .trailingStop, quantity: 5, trailPercent: 2, state: .rejected,
      reason: .insufficientBuyingPower, number: 9, time: Timestamp(ns: opening), received: Timestamp(ns: opening))
    let lines = [
      TradingText.line(order(42, .buy, 100, "AAPL", at: 18_925), zone: .utc), TradingText.line(trailing, zone: .utc),
      TradingText.line(fill(3, .sell, 100, "MSFT", at: 33_350, realised: cents(12_050)), zone: .utc),
      TradingText.line(position("TSLA", -50, cost: -13_000, mark: 26_010), zone: .utc), TradingText.line(account(), zone: .utc),
    ].map { $0.split(separator: " ", maxSplits: 1)[1] }
    #expect(
      lines == [
        "paper order 42: buy 100 AAPL at 189.25 gtc, working",
        "paper order 9: sell 5 AAPL trail 2% day, rejected (insufficient buying power)",
        "paper fill 3: sell 100 MSFT at 333.50, fee 1.00, realised +120.50",
        "paper position: -50 TSLA at 260.10, value -13005.00, unrealised -5.00, realised 0.00",
        "paper account: equity 100136.50 USD, cash 94216.50, buying power 59904.00, unrealised +20.00, realised +120.50, fees 4.00",
      ])
  }

  @Test func `the fills of runs before are asked of the broker until it answers, and each is there once`() {
    var driver = Driver()
    let broker = RunComponent(id: "b", kind: .processor, plugin: "paper_broker", doors: [DoorID((any OrderDesk).self)])
    let screen = RunComponent(id: "screen", kind: .sink, plugin: "console_viewer", inputs: ["ticks", "b.fills"])
    for _ in 1...2 {
      driver.send(.sample([broker, screen], [], []))
      #expect(driver.effects == [.askFills("b")])
    }
    driver.send(.fills(nil))
    driver.send(.sample([broker, screen], [], []))
    #expect(driver.effects == [.askFills("b"), .askFills("b")])
    var (old, new) = (Fill.schema.example, Fill.schema.example)
    (old.number, old.time) = (1, Timestamp(ns: 1))
    (new.number, new.time) = (2, Timestamp(ns: 2))
    driver.state.portfolio.take([new].span)
    driver.send(.fills([old, new]))
    #expect(driver.state.portfolio.fills == [old, new])
  }
}
