internal import StockbusInstruments
internal import StockbusPlugin
internal import StockbusTrading

/// What is asked of the broker's door, as of `now` if nothing has come yet.
extension Desk {
  mutating func preview(_ order: OrderRequest, in account: String?, now: Timestamp) throws(CommandError) -> OrderPreview {
    let account = try self.account(account)
    let estimate = command(now: now) { broker, time, _ in broker.estimate(order.order(account, key: "preview", at: time)) }
    guard let estimate else { throw CommandError("its cost is out of range") }
    let refusal = estimate.reason == .none ? nil : sentence(estimate.reason, of: order.symbol, account)
    return OrderPreview(estimate, refusal: refusal, wait: wait(for: order.symbol))
  }

  mutating func submit(_ order: OrderRequest, in account: String?, now: Timestamp) throws(CommandError) -> OrderAnswer {
    let account = try self.account(account)
    let key = order.terms.key ?? automaticKey(account)
    let reply = command(now: now) { broker, time, outcomes in
      broker.submit(order.order(account, key: key, at: time), into: &outcomes)
    }
    return answer(.submit, reply, key: order.terms.key, of: order.symbol, account)
  }

  mutating func replace(_ name: String, by change: OrderTerms, in account: String?, now: Timestamp) throws(CommandError) -> OrderAnswer {
    if change == OrderTerms() { throw CommandError("write 'replace ORDER' and what to change, such as 'replace 2 at 190'") }
    let account = try self.account(account)
    guard let old = openOrder(name, of: account) else { throw CommandError("no open order \(shown(name))") }
    let key = change.key ?? automaticKey(account)
    let reply = command(now: now) { broker, time, outcomes in
      broker.submit(change.replacement(of: old, key: key, at: time), into: &outcomes)
    }
    return answer(.replace(old.number), reply, key: change.key, of: old.symbol, account)
  }

  mutating func cancel(_ name: String, in account: String?, now: Timestamp) throws(CommandError) -> OrderAnswer {
    let account = try self.account(account)
    let known = openOrder(name, of: account)
    if known == nil, let number = Int64(name), !broker.isUsed(key: name, account), broker.isUsed(number: number, account) {
      return answer(.cancel, OrderReply(number: number, isAccepted: false, reason: .alreadyDone), of: nil, account)
    }
    let reply = command(now: now) { broker, time, outcomes in
      broker.cancel(account: account, key: known?.key ?? name, time: time, received: time, into: &outcomes)
    }
    return answer(.cancel, reply, of: nil, account)
  }

  /// The account of this name, or the only one.
  func account(_ name: String?) throws(CommandError) -> Symbol {
    let accounts = accountNames
    guard let name else {
      if accounts.count == 1 { return accounts[0] }
      throw CommandError("which account? write 'in \(accounts.first.map(\.description) ?? "NAME")' at the end")
    }
    guard let account = accounts.first(where: { $0.description == name }) else {
      throw CommandError("no account \(shown(name))" + didYouMean(name, among: accounts.map(\.description)))
    }
    return account
  }

  /// - Parameter symbol: of an order that may have to wait.
  private func answer(
    _ deed: OrderAnswer.Deed, _ reply: OrderReply, key: String? = nil, of symbol: Symbol?, _ account: Symbol
  ) -> OrderAnswer {
    let refusal = reply.isAccepted ? nil : sentence(reply.reason, of: symbol, account)
    let wait = refusal == nil && !reply.isRepeated && broker.isOpen(reply.number) ? symbol.flatMap(wait(for:)) : nil
    return OrderAnswer(deed, reply, key: key, refusal: refusal, wait: wait)
  }
}

extension OrderRequest {
  fileprivate func order(_ account: Symbol, key: String, at time: Timestamp) -> Order {
    Order(
      account: account, key: key, symbol: symbol, side: side, type: terms.type, quantity: terms.quantity ?? 0, limit: terms.limit,
      stop: terms.stop, trail: terms.trail, trailPercent: terms.trailPercent, timeInForce: terms.timeInForce ?? .day, time: time,
      received: time)
  }
}

extension OrderTerms {
  fileprivate func replacement(of old: Order, key: String, at time: Timestamp) -> Order {
    var order = old
    order.key = key
    order.replaces = old.key
    order.state = .new
    order.quantity = quantity ?? Quantity(raw: old.quantity.raw - old.filled.raw)
    if limit.raw != 0 { order.limit = limit }
    if stop.raw != 0 { order.stop = stop }
    if trail.raw != 0 || trailPercent.raw != 0 { (order.trail, order.trailPercent) = (trail, trailPercent) }
    if let timeInForce { order.timeInForce = timeInForce }
    order.time = time
    order.received = time
    return order
  }
}
