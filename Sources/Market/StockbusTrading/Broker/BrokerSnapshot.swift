package import MarketData

/// The state of a broker to restore after a restart; terms, sessions and the accounts' rules are in the configuration.
///
/// It consists of the last records of each kind from `Outcomes`, so that a caller that has stored them can build it without the broker.
package struct BrokerSnapshot: Hashable, Sendable, Codable {
  /// A used key, with the result of its request.
  package struct Key: Hashable, Sendable, Codable {
    package var account: Symbol
    package var key: String
    package var number: Int64
    /// `none` if the order was accepted; otherwise the reason for the rejection.
    package var reason: OrderReason

    package init(account: Symbol, key: String, number: Int64, reason: OrderReason) {
      self.account = account
      self.key = key
      self.number = number
      self.reason = reason
    }
  }

  /// The prices that the feed has shown for an instrument, and whether trading in it has stopped.
  package struct Instrument: Hashable, Sendable, Codable {
    package var symbol: Symbol
    package var mark: Price
    package var hasQuotes: Bool
    package var hasTrades: Bool
    package var isHalted: Bool

    package init(symbol: Symbol, mark: Price, hasQuotes: Bool, hasTrades: Bool, isHalted: Bool) {
      self.symbol = symbol
      self.mark = mark
      self.hasQuotes = hasQuotes
      self.hasTrades = hasTrades
      self.isHalted = isHalted
    }
  }

  /// The last state of each account.
  package var accounts: [AccountState]
  /// The last state of each position, closed ones included, which have realised profits and fees.
  package var positions: [Position]
  /// The open orders, by number.
  package var orders: [Order]
  /// The keys of orders that are done, the oldest first; the orders contain those of open orders.
  package var keys: [Key]
  /// The instruments with a price or a halt. Any other instrument is as if the feed had shown no price yet.
  package var instruments: [Instrument]
  /// The number of the last order, and that of the last fill.
  package var lastOrder: Int64
  package var lastFill: Int64

  package init(
    accounts: [AccountState] = [], positions: [Position] = [], orders: [Order] = [], keys: [Key] = [], instruments: [Instrument] = [],
    lastOrder: Int64 = 0, lastFill: Int64 = 0
  ) {
    self.accounts = accounts
    self.positions = positions
    self.orders = orders
    self.keys = keys
    self.instruments = instruments
    self.lastOrder = lastOrder
    self.lastFill = lastFill
  }
}

extension Broker {
  /// The state that survives a restart, except standing quotes: after a restart orders wait for the next prices.
  package mutating func snapshot() -> BrokerSnapshot {
    var result = BrokerSnapshot(lastOrder: nextOrder - 1, lastFill: nextFill - 1)
    let cause = Cause(now, received: now)
    for at in books.indices {
      var bests: [(Int32, Int64)] = []
      books[at].trailBuys.forEach(heaps) { bests.append(($0, $1)) }
      books[at].trailSells.forEach(heaps) { bests.append(($0, $1)) }
      for (order, best) in bests { note(trail: order, best) }
      if books[at].hasPrices || books[at].isHalted { result.instruments.append(instrument(at)) }
    }
    result.accounts = accounts.indices.map { state(ofAccount: $0, cause) }
    result.positions = holdings.indices.map { position(ofHolding: $0, cause) }
    result.orders = slots.filter { !$0.isFree }.map(\.order).sorted { $0.number < $1.number }
    for index in keyOrder.indices {
      let key = keyOrder[(oldestKey + index) % keyOrder.count]
      guard let entry = keys[key], entry.slot < 0 else { continue }
      result.keys.append(
        BrokerSnapshot.Key(account: accounts[key.account].rules.name, key: key.key, number: entry.number, reason: entry.reason))
    }
    return result
  }

  /// The instruments of a snapshot that have changed since the last call, in the order of the changes.
  package mutating func takeChangedInstruments() -> [BrokerSnapshot.Instrument] {
    defer { changedBooks.removeAll(keepingCapacity: true) }
    return changedBooks.map { at in
      books[at].isChanged = false
      return instrument(at)
    }
  }

  private func instrument(_ at: Int) -> BrokerSnapshot.Instrument {
    let book = books[at]
    return BrokerSnapshot.Instrument(
      symbol: book.symbol, mark: Price(raw: book.mark), hasQuotes: book.hasQuotes, hasTrades: book.hasTrades, isHalted: book.isHalted)
  }

  /// Restores a saved state in a broker whose accounts were opened and that has done nothing else.
  ///
  /// Throws if the state names an account that was not opened or has another currency, contains a duplicate, or contradicts itself; the
  /// broker is then unusable.
  package mutating func restore(_ snapshot: BrokerSnapshot) throws(BrokerError) {
    guard snapshot.lastOrder >= 0, snapshot.lastFill >= 0, snapshot.lastOrder < .max, snapshot.lastFill < .max else {
      throw BrokerError("the numbers of the last order and fill are out of range")
    }
    nextOrder = snapshot.lastOrder + 1
    nextFill = snapshot.lastFill + 1
    for state in snapshot.accounts { try restore(state) }
    for instrument in snapshot.instruments {
      let at = book(of: instrument.symbol)
      books[at].mark = max(0, instrument.mark.raw)
      books[at].hasQuotes = instrument.hasQuotes
      books[at].hasTrades = instrument.hasTrades
      books[at].isHalted = instrument.isHalted
    }
    for position in snapshot.positions { try restore(position) }
    for key in snapshot.keys {
      let account = try account(key.account)
      guard key.number >= 1, key.number <= snapshot.lastOrder, keys[OrderKey(account: account, key: key.key)] == nil else {
        throw BrokerError("key '\(key.key)' of '\(key.account)' occurs twice, or its number is out of range")
      }
      remember(OrderKey(account: account, key: key.key), KeyEntry(number: key.number, reason: key.reason, slot: -1))
    }
    var last: Int64 = 0
    for order in snapshot.orders {
      guard order.number > last, order.number <= snapshot.lastOrder else { throw BrokerError("order \(order.number): out of order") }
      last = order.number
      try restore(order)
    }
    for at in books.indices { books[at].updateRanges(heaps) }
    // Restored accounts count as unchanged.
    for at in touchedAccounts { accounts[at].isTouched = false }
    touchedAccounts.removeAll(keepingCapacity: true)
    _ = takeChangedInstruments()
  }

  private func account(_ name: Symbol) throws(BrokerError) -> Int {
    guard let at = accountPlaces[name] else { throw BrokerError("the saved state has an account '\(name)' that was not opened") }
    return at
  }

  private mutating func restore(_ state: AccountState) throws(BrokerError) {
    let at = try account(state.account)
    guard state.currency == accounts[at].rules.currency else {
      throw BrokerError("account '\(state.account)' was saved in \(state.currency), but is opened in \(accounts[at].rules.currency)")
    }
    accounts[at].deposits = state.deposits
    accounts[at].cash = state.cash
    accounts[at].realised = state.realised
    accounts[at].fees = state.fees
    if state.received > now { now = state.received }
  }

  private mutating func restore(_ position: Position) throws(BrokerError) {
    let account = try account(position.account)
    let at = book(of: position.symbol)
    guard holdingPlaces[Self.holdingKey(account, at)] == nil, position.quantity.raw != .min,
      position.quantity.raw == 0 ? position.cost == .zero : position.cost == .zero || (position.cost.raw > 0) == (position.quantity.raw > 0)
    else { throw BrokerError("the position of '\(position.account)' in '\(position.symbol)' occurs twice, or is inconsistent") }
    let holding = holding(account, at)
    holdings[holding].holding = Holding(
      quantity: position.quantity, cost: position.cost, realised: position.realised, fees: position.fees)
    if books[at].mark == 0 { books[at].mark = max(0, position.mark.raw) }
  }

  private mutating func restore(_ order: Order) throws(BrokerError) {
    let account = try account(order.account)
    let key = OrderKey(account: account, key: order.key)
    let fault = BrokerError("order \(order.number) of '\(order.account)' is inconsistent")
    let needsLimit = order.type == .limit || order.type == .stopLimit
    let needsStop = order.type == .stop || order.type == .stopLimit
    guard order.state.isOpen, order.side != .unknown, order.quantity > order.filled, order.filled.raw >= 0, keys[key] == nil,
      !needsLimit || order.limit.raw > 0, !needsStop || order.stop.raw > 0, order.best.raw >= 0, order.reserved.raw >= 0,
      order.type != .trailingStop
        || ((order.trail.raw > 0) != (order.trailPercent.raw > 0) && order.trailPercent.raw < TrailBook.whole && order.trail.raw >= 0
          && order.trailPercent.raw >= 0)
    else { throw fault }
    let at = book(of: order.symbol)
    let holding = holding(account, at)
    let others = order.side == .buy ? holdings[holding].buying : holdings[holding].selling
    let position = holdings[holding].holding.quantity.raw
    let (all, overflow) = others.addingReportingOverflow(order.quantity.raw - order.filled.raw)
    let (after, outside) = order.side == .buy ? position.addingReportingOverflow(all) : position.subtractingReportingOverflow(all)
    if overflow || outside || after == .min { throw fault }
    let slot = addSlot(order, account, holding, at)
    slots[slot].isTriggered = order.type != .market && order.type != .limit && order.state != .working
    claimRest(slot)
    remember(key, KeyEntry(number: order.number, reason: .none, slot: Int32(slot)))
    place(slot)
  }
}
