internal import StockbusInstruments
internal import StockbusPlugin
internal import StockbusTrading

extension OrderCommand {
  /// Returns what was done, in words; throws why nothing was.
  func perform(on desk: inout Desk, now: Timestamp) throws(CommandError) -> String {
    switch action {
    case .open(let name): return try desk.open(name, now: now)
    case .halt(let symbol):
      desk.halt(symbol, true, now: now)
      return "\(symbol) is halted"
    case .resume(let symbol):
      desk.halt(symbol, false, now: now)
      return "\(symbol) goes on with the next price"
    // Answered by the broker's file.
    case .fills: return ""
    case .trade(let action): return try perform(action, in: try account(among: desk.accountNames), on: &desk, now: now)
    }
  }

  private func perform(_ action: Trading, in account: Symbol, on desk: inout Desk, now: Timestamp) throws(CommandError) -> String {
    switch action {
    case .submit(let request):
      let key = request.key ?? desk.automaticKey(account)
      let reply = desk.command(now: now) { broker, time, outcomes in
        broker.submit(order(request, account, key: key, at: time), into: &outcomes)
      }
      return try words(reply, key: request.key, of: request.symbol, account, desk, done: "order \(reply.number)")
    case .preview(let request):
      let estimate = desk.command(now: now) { broker, time, _ in broker.estimate(order(request, account, key: "preview", at: time)) }
      guard let estimate else { throw CommandError("its cost is out of range") }
      return try words(estimate, of: request.symbol, account, desk)
    case .cancel(let name):
      let known = desk.openOrder(name, of: account)
      if known == nil, let number = Int64(name), !desk.broker.isUsed(key: name, account), desk.broker.isUsed(number: number, account) {
        throw CommandError("not done: " + OrderReason.alreadyDone.sentence)
      }
      let reply = desk.command(now: now) { broker, time, outcomes in
        broker.cancel(account: account, key: known?.key ?? name, time: time, received: time, into: &outcomes)
      }
      return try words(reply, key: nil, of: nil, account, desk, done: "cancelled order \(reply.number)")
    case .replace(let name, let change):
      guard let old = desk.openOrder(name, of: account) else { throw CommandError("no open order \(shown(name))") }
      let new = change.key ?? desk.automaticKey(account)
      let reply = desk.command(now: now) { broker, time, outcomes in
        broker.submit(replacement(of: old, change, key: new, at: time), into: &outcomes)
      }
      return try words(
        reply, key: change.key, of: old.symbol, account, desk, done: "order \(reply.number), in the place of order \(old.number)")
    case .show: return desk.summary(of: account)
    }
  }

  private func account(among accounts: [Symbol]) throws(CommandError) -> Symbol {
    guard let account = account ?? (accounts.count == 1 ? accounts[0] : nil) else {
      throw CommandError("which account? write 'in \(accounts.first.map(\.description) ?? "NAME")' at the end")
    }
    guard accounts.contains(account) else {
      throw CommandError("no account \(shown(account.description))" + didYouMean(account.description, among: accounts.map(\.description)))
    }
    return account
  }

  private func order(_ request: Request, _ account: Symbol, key: String, at time: Timestamp) -> Order {
    Order(
      account: account, key: key, symbol: request.symbol ?? "?", side: request.side, type: request.type, quantity: request.quantity ?? 0,
      limit: request.limit, stop: request.stop, trail: request.trail, trailPercent: request.trailPercent,
      timeInForce: request.timeInForce ?? .day, time: time, received: time)
  }

  private func replacement(of old: Order, _ change: Request, key: String, at time: Timestamp) -> Order {
    var order = old
    order.key = key
    order.replaces = old.key
    order.state = .new
    order.quantity = change.quantity ?? Quantity(raw: old.quantity.raw - old.filled.raw)
    if change.limit.raw != 0 { order.limit = change.limit }
    if change.stop.raw != 0 { order.stop = change.stop }
    if change.trail.raw != 0 || change.trailPercent.raw != 0 { (order.trail, order.trailPercent) = (change.trail, change.trailPercent) }
    if let force = change.timeInForce { order.timeInForce = force }
    order.time = time
    order.received = time
    return order
  }

  // MARK: Words

  /// - Parameter key: the key that the sender gave; nil if it gave none.
  private func words(
    _ reply: OrderReply, key: String?, of symbol: Symbol?, _ account: Symbol, _ desk: Desk, done: String
  ) throws(CommandError) -> String {
    let named = done + (key.map { ", key \(visible($0))" } ?? "")
    guard reply.isAccepted else {
      let repeated = reply.isRepeated ? " (the answer to the first request with the key \(shown(key ?? "")))" : ""
      throw CommandError("not done: " + desk.sentence(reply.reason, of: symbol, account) + repeated)
    }
    if reply.isRepeated { return "done before: " + named }
    guard let symbol, desk.broker.isOpen(reply.number), let wait = desk.wait(for: symbol) else { return named }
    return named + "; it waits: " + wait
  }

  /// Throws the same words if it would be refused.
  private func words(
    _ estimate: Broker.Estimate, of symbol: Symbol?, _ account: Symbol, _ desk: Desk
  ) throws(CommandError) -> String {
    var words: [String] = []
    if estimate.price.raw != 0 { words.append("at \(estimate.price): value \(estimate.value.money), fee \(estimate.fee.money)") }
    if estimate.reason != .none {
      words.append("it would be refused: " + desk.sentence(estimate.reason, of: symbol, account))
      throw CommandError(words.joined(separator: "; "))
    }
    if estimate.price.raw == 0 { return symbol.flatMap(desk.wait(for:)) ?? "no price is known" }
    words.append("sets aside \(estimate.reserved.money)")
    words.append("once filled: position \(estimate.position), cash \(estimate.cash.money), to trade with \(estimate.buyingPower.money)")
    if let symbol, let wait = desk.wait(for: symbol) { words.append("it would wait: " + wait) }
    return words.joined(separator: "; ")
  }
}
