import MarketData
import TestSupport
import StockbusTrading
import Testing

/// The broker and its model, which are given the same random prices and orders.
struct RandomTrading {
  static let accounts = [
    AccountRules(
      "a", currency: "USD", deposit: 1500, margin: MarginRule(long: 50, short: 50), fees: FeeRule(perUnit: price("0.005"), minimum: 1),
      slippage: 1),
    AccountRules(
      "b", currency: "USD", deposit: 900, margin: MarginRule(long: 100, short: nil), fees: FeeRule(rate: percent("0.05"), decimals: 2)),
    AccountRules(
      "c", currency: "EUR", deposit: 600, margin: MarginRule(long: percent("33.333333333"), short: 40),
      fees: FeeRule(perOrder: 1, rate: percent("0.1"), maximum: price("1.5")), slippage: 3),
  ]
  /// `T` has trades only, `Q` quotes only.
  static let terms: [(Symbol, TradingTerms)] = [
    ("A", TradingTerms(currency: "USD", lot: 1, tick: price("0.01"))),
    ("B", TradingTerms(lot: units("0.001"), tick: price("0.05"), multiplier: 10)),
    ("T", TradingTerms(lot: units("0.5"), tick: price("0.01"))),
    ("Q", TradingTerms(lot: 1)),
  ]

  var random: SplitMix
  var broker = Broker(BrokerRules(openOrders: 1000, keys: 10_000_000))
  let model = ModelBroker()
  var out = Outcomes()
  var now: Int64 = 1_000_000_000_000
  var submitted = 0
  var middle: [Symbol: Int] = [:]
  let splits: Bool
  let restarts: Bool
  /// Positions as the sum of the fills, by account and instrument.
  var sums: [String: Int64] = [:]
  var fillReasons: Set<FillReason> = []
  var orderReasons: Set<OrderReason> = []
  var orderStates: Set<OrderState> = []
  /// Everything the broker has said, as one number.
  var digest = Digest()

  init(seed: Int, splits: Bool, restarts: Bool) throws {
    random = SplitMix(seed)
    self.splits = splits
    self.restarts = restarts
    for account in Self.accounts { model.accounts[account.name] = ModelBroker.Account(account) }
    for (symbol, terms) in Self.terms {
      model.instruments[symbol] = ModelBroker.Instrument(symbol, terms)
      middle[symbol] = 1000
    }
    broker = try fresh()
  }

  func fresh() throws -> Broker {
    var broker = Broker(BrokerRules(openOrders: 1000, keys: 10_000_000))
    var out = Outcomes()
    for account in Self.accounts { try broker.open(account, at: Timestamp(ns: 0), into: &out) }
    for (symbol, terms) in Self.terms { try broker.define(symbol, terms) }
    return broker
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func pick<T>(_ values: [T]) -> T { values[number(0...(values.count - 1))] }

  mutating func step() throws {
    now += Int64(number(0...3)) * 1_000_000
    let time = Timestamp(ns: now)
    switch number(0...99) {
    case 0..<35: quote(pick(["A", "B", "Q"]), time)
    case 35..<60: trade(pick(["A", "B", "T"]), time)
    case 60..<90: submit(time)
    case 90..<94: cancel(time)
    case 94:
      let symbol: Symbol = pick(["A", "B", "T", "Q"])
      let instrument = model.instruments[symbol]!
      model.begin(time)
      if instrument.isHalted { broker.resume(symbol, at: time, into: &out) } else { broker.halt(symbol, at: time, into: &out) }
      instrument.isHalted.toggle()
      model.withdraw(instrument)
    case 95..<98: try session(time)
    case 98 where splits:
      let symbol: Symbol = pick(["A", "B", "T", "Q"])
      // The price stays where it was, so that what is traded stays of one size; positions that have become large become small again.
      let isLarge = model.held.contains { $0.key.hasSuffix(" \(symbol)") && abs($0.value.quantity) > 500 * Self.lot(symbol) }
      let (new, old): (Int64, Int64) = isLarge ? (1, 20) : pick([(2, 1), (1, 2), (3, 2), (1, 3), (7, 1)])
      try broker.split(symbol, new: new, old: old, at: time, into: &out)
      model.split(symbol, new: new, old: old, time)
    case 99 where restarts: try restart(time)
    default:
      broker.advance(to: time, into: &out)
      if let end = model.end, end <= time.ns { model.endSession() }
    }
    try compare()
  }

  private mutating func size(_ symbol: Symbol) -> Quantity {
    Quantity(raw: Int64(number(0...20)) * (symbol == "B" ? 700_000 : 500_000_000))
  }

  private mutating func move(_ symbol: Symbol) -> Int {
    middle[symbol] = min(1300, max(700, middle[symbol]! + number(-12...12)))
    return middle[symbol]!
  }

  private mutating func quote(_ symbol: Symbol, _ time: Timestamp) {
    let middle = random.oneIn(3) ? self.middle[symbol]! : move(symbol)
    var (bid, ask) = (middle - number(0...6), middle + number(0...6))
    if random.oneIn(30) { bid = 0 }
    if random.oneIn(30) { ask = -number(0...1) }
    let quote = Quote(
      symbol: symbol, bid: Price(raw: Int64(bid) * 10_000_000), ask: Price(raw: Int64(ask) * 10_000_000), bidSize: size(symbol),
      askSize: size(symbol), time: time, received: time)
    broker.take(quote: quote, into: &out)
    model.take(quote)
    if random.oneIn(4) {
      broker.take(quote: quote, into: &out)
      model.take(quote)
    }
  }

  private mutating func trade(_ symbol: Symbol, _ time: Timestamp) {
    let price = random.oneIn(100) ? 0 : move(symbol) + number(-4...4)
    let trade = Trade(
      symbol: symbol, price: Price(raw: Int64(price) * 10_000_000), size: size(symbol), time: time, received: time,
      side: pick([.unknown, .buy, .sell]))
    broker.take(trade: trade, into: &out)
    model.take(trade)
  }

  private mutating func submit(_ time: Timestamp) {
    submitted += 1
    let symbol: Symbol = pick(["A", "A", "B", "T", "Q"])
    let type = pick(OrderType.allCases)
    let tick = symbol == "B" ? 5 : 1
    func onTick(_ cents: Int) -> Price { Price(raw: Int64(cents / tick * tick) * 10_000_000) }
    let near = middle[symbol]! + number(-25...25)
    var order = Order(
      account: random.oneIn(200) ? "nobody" : pick(["a", "a", "b", "c"]),
      key: random.oneIn(40) ? "\(number(0...submitted))" : "\(submitted)",
      symbol: symbol, side: pick([.buy, .sell]), type: type, quantity: Quantity(raw: Int64(number(1...30)) * Self.lot(symbol)),
      timeInForce: pick(TimeInForce.allCases), time: time, received: time)
    if type == .limit || type == .stopLimit { order.limit = onTick(near) }
    if type == .stop || type == .stopLimit { order.stop = onTick(middle[symbol]! + number(-25...25)) }
    if type == .trailingStop {
      if random.oneIn(2) {
        order.trail = Price(raw: Int64(number(1...30)) * 10_000_000)
      } else {
        order.trailPercent = Percent(raw: Int64(number(1...3_000_000_007)))
      }
    }
    if random.oneIn(15) { order.replaces = "\(number(max(1, submitted - 30)...submitted))" }
    if random.oneIn(60) { order.quantity = Quantity(raw: order.quantity.raw + 1) }
    if random.oneIn(60) { order.limit = Price(raw: order.limit.raw + 10_000_000) }
    if random.oneIn(100) { order.key = "" }
    let reply = broker.submit(order, into: &out)
    #expect(reply == model.submit(order))
  }

  static func lot(_ symbol: Symbol) -> Int64 { terms.first { $0.0 == symbol }!.1.lot.raw }

  private mutating func cancel(_ time: Timestamp) {
    let many = model.open.count > 60 ? 20 : 1
    for _ in 0..<many {
      let item = model.open.isEmpty || random.oneIn(10) ? nil : pick(model.open)
      let (account, key) = (item?.order.account ?? "a", item?.order.key ?? "\(number(1...max(1, submitted)))")
      let reply = broker.cancel(account: account, key: key, time: time, received: time, into: &out)
      #expect(reply == model.cancel(account, key, time))
    }
  }

  private mutating func session(_ time: Timestamp) throws {
    switch number(0...5) {
    case 0:
      try broker.close(market: 0, isBreak: true, at: time, into: &out)
      model.begin(time)
      model.close()
    case 1:
      try broker.close(market: 0, at: time, into: &out)
      model.begin(time)
      model.end = nil
      model.expire()
      model.close()
    default:
      let end = random.oneIn(3) ? nil : Timestamp(ns: time.ns + Int64(number(0...300)) * 1_000_000)
      try broker.open(market: 0, until: end, at: time, into: &out)
      model.begin(time)
      model.isOpen = true
      model.end = end?.ns
    }
  }

  /// A new broker takes over, from what was saved.
  private mutating func restart(_ time: Timestamp) throws {
    let snapshot = broker.snapshot()
    broker = try fresh()
    try broker.restore(written(snapshot))
    #expect(broker.snapshot() == snapshot)
    if model.isOpen {
      try broker.open(market: 0, until: model.end.map { Timestamp(ns: $0) }, at: Timestamp(ns: 0), into: &out)
    } else {
      try broker.open(market: 0, until: model.end.map { Timestamp(ns: $0) }, at: Timestamp(ns: 0), into: &out)
      try broker.close(market: 0, isBreak: true, at: Timestamp(ns: 0), into: &out)
    }
    for instrument in model.instruments.values { model.withdraw(instrument) }
    for item in model.open { item.activation = Int(item.order.number) }
    model.activations = max(model.activations, Int(model.lastOrder))
  }

  // MARK: Comparison

  private mutating func compare() throws {
    let orders = out.orders.map { Self.text($0) }
    let fills = out.fills.map { Self.text($0) }
    try #require(fills == model.fills)
    try #require(orders == model.orders)
    for text in orders + fills { digest.add(text) }
    for fill in out.fills where !splits {
      sums["\(fill.account) \(fill.symbol)", default: 0] += fill.side == .buy ? fill.quantity.raw : -fill.quantity.raw
      #expect(fill.position.raw == sums["\(fill.account) \(fill.symbol)"])
    }
    for fill in out.fills { fillReasons.insert(fill.reason) }
    for order in out.orders {
      orderReasons.insert(order.reason)
      orderStates.insert(order.state)
    }
    for said in out.accounts {
      digest.add("\(said)")
      // What was said at the end of a session is not the present if a price has come since.
      let state = broker.state(of: said.account)!
      let account = model.accounts[state.account]!
      let (equity, margin) = model.worth(account, account.cash)
      let reserved = model.open.filter { $0.account === account }.reduce(Rational.zero) { $0 + $1.reserved }
      #expect(money(state.equity) == equity)
      #expect(money(state.marginUsed) == margin)
      #expect(money(state.reserved) == reserved)
      #expect(money(state.buyingPower) == equity - margin - reserved)
      try #require(state.cash.adding(cost(state.account)) == state.deposits.adding(state.realised)?.subtracting(state.fees))
    }
    for position in out.positions {
      digest.add("\(position)")
      let held = model.held["\(position.account) \(position.symbol)"]!
      #expect(position.quantity.raw == held.quantity)
      #expect(money(position.cost) == held.cost)
      #expect(money(position.realised) == held.realised)
      #expect(money(position.fees) == held.fees)
      #expect(position.quantity.raw != 0 || position.cost == .zero)
    }
    out.clear()
    model.fills.removeAll(keepingCapacity: true)
    model.orders.removeAll(keepingCapacity: true)
  }

  private func cost(_ account: Symbol) -> Amount {
    Self.terms.reduce(.zero) { $0.adding(broker.position(of: account, in: $1.0)?.cost ?? .zero)! }
  }

  static func text(_ order: Order) -> String {
    "\(order.number) \(order.state) \(order.reason) filled \(order.filled) stop \(order.stop) best \(order.best) value \(money(order.value)) "
      + "fees \(money(order.fees)) reserved \(money(order.reserved))"
  }

  static func text(_ fill: Fill) -> String {
    "\(fill.number) order \(fill.order) \(fill.side) \(fill.quantity) at \(fill.price) \(fill.reason) shown \(fill.shown) \(fill.shownSize) "
      + "fee \(money(fill.fee)) realised \(money(fill.realised)) position \(fill.position)"
  }
}

/// FNV-1a of texts.
struct Digest: Equatable {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ text: String) {
    for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
  }
}
