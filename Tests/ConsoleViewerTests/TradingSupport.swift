import MarketData
import StockbusPlugin
import StockbusTerminal
import StockbusTrading
import StockbusViewing

@testable import ConsoleViewer

extension Portfolio {
  mutating func take(_ events: [Order]) { take(events.span) }
  mutating func take(_ events: [Fill]) { take(events.span) }
  mutating func take(_ events: [Position]) { take(events.span) }
  mutating func take(_ events: [AccountState]) { take(events.span) }
}

extension ScreenState {
  mutating func take(_ events: [Order]) {
    portfolio.take(events.span)
    addPortfolioTab()
  }
  mutating func take(_ events: [Fill]) {
    portfolio.take(events.span)
    addPortfolioTab()
  }
  mutating func take(_ events: [Position]) {
    portfolio.take(events.span)
    addPortfolioTab()
  }
  mutating func take(_ events: [AccountState]) {
    portfolio.take(events.span)
    addPortfolioTab()
  }
}

/// An amount in hundredths.
func cents(_ hundredths: Int64) -> Amount { Amount(raw: Int128(hundredths) * 10_000_000_000_000_000) }

/// Events of trading, `seconds` after the opening; prices in hundredths.
func position(
  _ symbol: Symbol, _ quantity: Quantity, cost: Amount, mark hundredths: Int64, realised: Amount = .zero, in account: Symbol = "paper",
  multiplier: Int64 = 1, seconds: Int64 = 3
) -> Position {
  let mark = Price(raw: hundredths * 10_000_000)
  let value = Amount(raw: Amount(mark, times: quantity).raw * Int128(multiplier))
  let time = Timestamp(ns: opening + seconds * second)
  return Position(
    account: account, symbol: symbol, quantity: quantity, cost: cost, mark: mark, value: value,
    unrealised: Amount(raw: value.raw - cost.raw), realised: realised, fees: 2, time: time, received: time)
}

func order(
  _ number: Int64, _ side: Side, _ quantity: Quantity, _ symbol: Symbol, at hundredths: Int64, state: OrderState = .working,
  filled: Quantity = 0, in account: Symbol = "paper"
) -> Order {
  let time = Timestamp(ns: opening + 3 * second)
  return Order(
    account: account, key: "key-\(number)", symbol: symbol, side: side, type: .limit, quantity: quantity,
    limit: Price(raw: hundredths * 10_000_000), timeInForce: .gtc, state: state, number: number, filled: filled, time: time, received: time)
}

func fill(_ number: Int64, _ side: Side, _ quantity: Quantity, _ symbol: Symbol, at hundredths: Int64, realised: Amount = .zero) -> Fill {
  let price = Price(raw: hundredths * 10_000_000)
  let time = Timestamp(ns: opening + number * second)
  return Fill(
    account: "paper", symbol: symbol, side: side, reason: .touch, number: number, order: number, price: price, quantity: quantity, fee: 1,
    realised: realised, position: quantity, shown: price, shownSize: quantity, time: time, received: time)
}

/// 100,000 paid in, 120.50 earned, 4 of fees; what is held cost 18,900 − 13,000, and is worth 18,925 − 13,005 at the marks.
func account(_ name: Symbol = "paper") -> AccountState {
  let time = Timestamp(ns: opening + 3 * second)
  return AccountState(
    account: name, currency: "USD", deposits: 100_000, cash: cents(9_421_650), equity: cents(10_013_650), exposure: 31_930,
    marginUsed: cents(3_843_250), reserved: 1800, buyingPower: cents(5_990_400), realised: cents(12_050), unrealised: 20, fees: 4,
    time: time, received: time)
}

/// A broker in the run, an account with a long, a short and a closed position, open orders and fills.
func trading(_ driver: inout Driver) {
  let broker = RunComponent(
    id: "broker", kind: .processor, plugin: "paper_broker", inputs: ["ticks"], doors: [DoorID((any OrderDesk).self)])
  driver.send(.sample(components + [broker], edges, []))
  driver.state.take([account()])
  driver.state.take(
    [
      position("AAPL", 100, cost: 18_900, mark: 18_925), position("MSFT", 0, cost: 0, mark: 33_350, realised: cents(12_050)),
      position("TSLA", -50, cost: -13_000, mark: 26_010),
    ])
  driver.state.take(
    [
      order(3, .buy, 10, "AAPL", at: 18_000), order(1, .buy, 100, "AAPL", at: 18_900, state: .filled, filled: 100),
      order(4, .sell, 20, "NVDA", at: 49_000, state: .partiallyFilled, filled: 5),
    ])
  driver.state.take(
    [
      fill(1, .buy, 100, "AAPL", at: 18_900), fill(2, .sell, 50, "TSLA", at: 26_000),
      fill(3, .sell, 100, "MSFT", at: 33_350, realised: cents(12_050)),
    ])
}
