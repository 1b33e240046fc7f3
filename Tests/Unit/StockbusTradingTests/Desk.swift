import MarketData
import StockbusTrading
import Testing

/// A broker with one account `a` in USD and the instrument `X`, and texts of what it does. Every call is a second after the last one.
struct Desk {
  var broker: Broker
  var out = Outcomes()
  var second: Int64 = 0
  var symbol: Symbol = "X"
  var account: Symbol = "a"

  init(
    _ rules: BrokerRules = BrokerRules(), deposit: Amount = 1_000_000, margin: MarginRule = MarginRule(), fees: FeeRule = FeeRule(),
    slippage: UInt16 = 0, terms: TradingTerms? = TradingTerms(lot: 1, tick: price("0.01"))
  ) throws {
    broker = Broker(rules)
    try broker.open(
      AccountRules("a", currency: "USD", deposit: deposit, margin: margin, fees: fees, slippage: slippage), at: Timestamp(ns: 0), into: &out
    )
    if let terms { try broker.define("X", terms) }
    out.clear()
  }

  mutating func tick() -> Timestamp {
    second += 1
    return Timestamp(ns: second * 1_000_000_000)
  }

  mutating func quote(_ bid: String, _ bidSize: String, _ ask: String, _ askSize: String) {
    let time = tick()
    broker.take(
      quote: Quote(
        symbol: symbol, bid: price(bid), ask: price(ask), bidSize: units(bidSize), askSize: units(askSize), time: time, received: time),
      into: &out)
  }

  mutating func trade(_ value: String, _ size: String, _ side: Side = .unknown, condition: TradeCondition = .regular) {
    let time = tick()
    broker.take(
      trade: Trade(
        symbol: symbol, price: price(value), size: units(size), time: time, received: time, side: side, condition: condition),
      into: &out)
  }

  func order(
    _ key: String, _ side: Side, _ quantity: String, _ type: OrderType = .market, limit: String = "0", stop: String = "0",
    trail: String = "0", percent distance: String = "0", for timeInForce: TimeInForce = .gtc, replaces: String = ""
  ) -> Order {
    let time = Timestamp(ns: (second + 1) * 1_000_000_000)
    return Order(
      account: account, key: key, symbol: symbol, side: side, type: type, quantity: units(quantity), limit: price(limit),
      stop: price(stop), trail: price(trail), trailPercent: percent(distance), timeInForce: timeInForce, replaces: replaces, time: time,
      received: time)
  }

  @discardableResult
  mutating func submit(
    _ key: String, _ side: Side, _ quantity: String, _ type: OrderType = .market, limit: String = "0", stop: String = "0",
    trail: String = "0", percent distance: String = "0", for timeInForce: TimeInForce = .gtc, replaces: String = ""
  ) -> OrderReply {
    let order = order(
      key, side, quantity, type, limit: limit, stop: stop, trail: trail, percent: distance, for: timeInForce, replaces: replaces)
    second += 1
    return broker.submit(order, into: &out)
  }

  @discardableResult
  mutating func cancel(_ key: String) -> OrderReply {
    let time = tick()
    return broker.cancel(account: account, key: key, time: time, received: time, into: &out)
  }

  /// What has happened since the last call: the fills, then the orders' states.
  mutating func happened() -> [String] {
    defer { out.clear() }
    return out.fills.map { "fill \($0.order): \($0.side) \($0.quantity) at \($0.price) \($0.reason)" }
      + out.orders.map { "order \($0.number): \($0.state)" + ($0.reason == .none ? "" : " \($0.reason)") }
  }

  var position: Position { broker.position(of: account, in: symbol)! }
  var state: AccountState { broker.state(of: account)! }

  /// Cash and the cost of all positions are what was paid in and booked, exactly.
  func isConserved(_ symbols: [Symbol] = ["X"]) -> Bool {
    let cost = symbols.reduce(Amount.zero) { $0.adding(broker.position(of: account, in: $1)?.cost ?? .zero)! }
    return state.cash.adding(cost) == state.deposits.adding(state.realised)!.subtracting(state.fees)
  }
}
