internal import StockbusInstruments
internal import StockbusPlugin
internal import StockbusTrading

extension Desk {
  /// Runs `body` with the broker at the present: the latest receipt, or `now` if nothing has come.
  mutating func command<Result>(now: Timestamp, _ body: (inout Broker, Timestamp, inout Outcomes) -> Result) -> Result {
    let time = position.time.ns == .min ? now : position.time
    if !unopened.isEmpty { openAccounts(at: time) }
    let result = body(&broker, time, &outcomes)
    collect()
    return result
  }

  /// All accounts, also those that the first event or command opens.
  var accountNames: [Symbol] { unopened.map(\.name) + broker.accountNames }

  private static var mostAccounts: Int { 10_000 }

  /// Opens an account with the terms of newcomers. An account that is open already stays as it is.
  mutating func open(_ name: Symbol, now: Timestamp) throws(CommandError) -> OpenedAccount {
    if let rules = unopened.first(where: { $0.name == name }) {
      return OpenedAccount(name, deposit: rules.deposit, currency: rules.currency, isNew: false)
    }
    if let state = broker.state(of: name) {
      return OpenedAccount(name, deposit: state.deposits, currency: state.currency, isNew: false)
    }
    guard var rules = newcomers else {
      throw CommandError("accounts cannot be opened: 'newcomers' does not name the account whose terms they get")
    }
    if accountNames.count >= Self.mostAccounts { throw CommandError("there are \(Self.mostAccounts) accounts already") }
    rules.name = name
    let opened = command(now: now) { broker, time, outcomes -> Result<Void, BrokerError> in
      do throws(BrokerError) { return .success(try broker.open(rules, at: time, into: &outcomes)) } catch { return .failure(error) }
    }
    if case .failure(let error) = opened { throw CommandError("not done: \(error)") }
    return OpenedAccount(name, deposit: rules.deposit, currency: rules.currency, isNew: true)
  }

  /// Stops trading in an instrument, or lets it go on.
  mutating func halt(_ symbol: Symbol, _ isHalted: Bool, now: Timestamp) {
    command(now: now) { broker, time, outcomes in
      if isHalted { broker.halt(symbol, at: time, into: &outcomes) } else { broker.resume(symbol, at: time, into: &outcomes) }
    }
    keep()
  }

  /// The open order that a person means by its key or its number; nil if there is none.
  mutating func openOrder(_ name: String, of account: Symbol) -> Order? {
    let orders = openOrders(of: account)
    return orders.first { $0.key == name } ?? Int64(name).flatMap { number in orders.first { $0.number == number } }
  }

  mutating func openOrders(of account: Symbol) -> [Order] { broker.snapshot().orders.filter { $0.account == account } }

  // MARK: Words

  /// Why an order in this instrument waits although nothing is wrong with it: its market is closed, or nothing is known of it. Nil if it
  /// does not have to.
  func wait(for symbol: Symbol) -> String? {
    if broker.isHalted(symbol) { return "\(symbol) is halted" }
    if !broker.isLive(symbol) { return "the market of \(symbol) is closed" + (markets.opening(of: symbol).map { " until \($0)" } ?? "") }
    if broker.hasPrices(symbol) { return nil }
    return "\(symbol) has no price so far" + (instruments[symbol] == nil ? meant(by: symbol) : "")
  }

  /// `; did you mean 'AAPL'?`, if there is an instrument with a similar name; otherwise nothing.
  func meant(by symbol: Symbol) -> String {
    let known = broker.named.priced.lazy.map(\.description).prefix(Self.candidates)
    let listed = instruments.all.lazy.map(\.symbol.description).prefix(Self.candidates)
    return MissingSymbols.meant(by: symbol.description, among: Array(known) + Array(listed)).map { "; did you mean \(shown($0))?" } ?? ""
  }

  /// The symbols that were named and had no price, and those that had one.
  var named: (priced: [String], unpriced: [String]) {
    let named = broker.named
    return (named.priced.map(\.description), named.unpriced.map(\.description))
  }

  private static var candidates: Int { 20_000 }

  /// An account in a few lines, with tabs between their fields.
  mutating func summary(of account: Symbol) -> String {
    guard let state = broker.state(of: account) else { return "no account '\(account)'" }
    let snapshot = broker.snapshot()
    var lines = [
      [
        "account \(account)", "equity \(state.equity.money) \(state.currency)", "cash \(state.cash.money)",
        "buying power \(state.buyingPower.money)",
        "realised \(state.realised.money)", "unrealised \(state.unrealised.money)", "fees \(state.fees.money)",
      ]
    ]
    for position in snapshot.positions where position.account == account && position.quantity.raw != 0 {
      lines.append([
        "\(position.symbol)", "\(position.quantity)", "cost \(position.cost.money)", "at \(position.mark.money)",
        "value \(position.value.money)", "unrealised \(position.unrealised.money)", broker.isHalted(position.symbol) ? "halted" : "",
      ])
    }
    for order in snapshot.orders where order.account == account {
      lines.append([
        "order \(order.number)", "\(order.side.fieldName) \(order.quantity) \(order.symbol)", Self.condition(order),
        order.timeInForce.fieldName, "filled \(order.filled)", Self.isAutomatic(order.key) ? "" : "key \(visible(order.key))",
        wait(for: order.symbol).map { "waits: " + $0 } ?? "",
      ])
    }
    return lines.map { $0.joined(separator: "\t") }.joined(separator: "\n")
  }

  private static func condition(_ order: Order) -> String {
    var words: [String] = []
    if order.stop.raw != 0 { words.append("stop \(order.stop)") }
    if order.trail.raw != 0 { words.append("trail \(order.trail)") }
    if order.trailPercent.raw != 0 { words.append("trail \(order.trailPercent)%") }
    if order.limit.raw != 0 { words.append("at \(order.limit.money)") }
    return words.isEmpty ? "at the market" : words.joined(separator: " ")
  }

  // MARK: Keys

  /// A key for an order of a command that has none: no other order has it, neither after a restart.
  mutating func automaticKey(_ account: Symbol) -> String {
    var key = "\(Self.prefix)\(broker.lastOrder + 1)"
    while broker.isUsed(key: key, account) { key += "'" }
    return key
  }

  static func isAutomatic(_ key: String) -> Bool { key.hasPrefix(prefix) }

  private static var prefix: String { "command-" }
}
