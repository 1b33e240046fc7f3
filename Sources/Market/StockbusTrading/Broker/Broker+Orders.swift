package import MarketData

extension Broker {
  /// Takes a request from a topic: a new order, or one with the state `cancelled`, which requests to cancel the order with its key.
  @discardableResult
  package mutating func take(request: Order, into out: inout Outcomes) -> OrderReply {
    if request.state == .cancelled {
      return cancel(account: request.account, key: request.key, time: request.time, received: request.received, into: &out)
    }
    return submit(request, into: &out)
  }

  /// Accepts an order, or rejects it with a reason, and fills it from the standing quote.
  ///
  /// Reads only the requested properties of the order. If the account has used its key before, nothing is changed, and the reply is that to
  /// the first request. If it `replaces` another order and is accepted, that order ends at the same moment and keeps its fills; the new one
  /// has a quantity, a number, and fees of its own. If the new order is rejected, the other one stays.
  @discardableResult
  package mutating func submit(_ request: Order, into out: inout Outcomes) -> OrderReply {
    begin(request.received, into: &out)
    let cause = Cause(request.time, received: now)
    guard let account = accountPlaces[request.account] else { return reject(request, .unknownAccount, nil, cause, into: &out) }
    guard !request.key.isEmpty, request.key.utf8.count <= 64 else { return reject(request, .badKey, nil, cause, into: &out) }
    let key = OrderKey(account: account, key: request.key)
    if let entry = keys[key] {
      return OrderReply(number: entry.number, isAccepted: entry.reason == .none, reason: entry.reason, isRepeated: true)
    }
    var replaced: Int?
    if !request.replaces.isEmpty {
      guard let entry = keys[OrderKey(account: account, key: request.replaces)] else {
        return reject(request, .unknownOrder, key, cause, into: &out)
      }
      guard entry.slot >= 0 else { return reject(request, .alreadyDone, key, cause, into: &out) }
      replaced = Int(entry.slot)
    }
    let at = book(of: request.symbol)
    if let fault = fault(in: request, account, at) { return reject(request, fault, key, cause, into: &out) }
    let claim: Claim
    switch self.claim(of: request, account, at, replacing: replaced) {
    case .success(let value): claim = value
    case .failure(let refusal): return reject(request, refusal.reason, key, cause, into: &out)
    }
    if let replaced {
      let other = slots[replaced].book
      end(replaced, .replaced, .asked, cause, into: &out)
      if other != at { books[other].updateRanges(heaps) }
    }
    let slot = accept(request, account, at, claim, key, cause, into: &out)
    let number = slots[slot].order.number
    if !isStop(slot) {
      matchQuote(at, cause, into: &out)
      cancelImmediate(at, cause, into: &out)
    }
    finish(at, cause, into: &out)
    return OrderReply(number: number, isAccepted: true)
  }

  /// Cancels the unfilled part of an order.
  @discardableResult
  package mutating func cancel(
    account: Symbol, key: String, time: Timestamp, received: Timestamp, into out: inout Outcomes
  ) -> OrderReply {
    begin(received, into: &out)
    guard let at = accountPlaces[account] else { return OrderReply(number: 0, isAccepted: false, reason: .unknownAccount) }
    guard let entry = keys[OrderKey(account: at, key: key)] else {
      return OrderReply(number: 0, isAccepted: false, reason: .unknownOrder)
    }
    guard entry.slot >= 0 else { return OrderReply(number: entry.number, isAccepted: false, reason: .alreadyDone) }
    let cause = Cause(time, received: now)
    let book = slots[Int(entry.slot)].book
    end(Int(entry.slot), .cancelled, .asked, cause, into: &out)
    finish(book, cause, into: &out)
    return OrderReply(number: entry.number, isAccepted: true)
  }

  // MARK: Acceptance

  private mutating func accept(
    _ request: Order, _ account: Int, _ book: Int, _ claim: Claim, _ key: OrderKey, _ cause: Cause, into out: inout Outcomes
  ) -> Int {
    var order = request
    order.state = .working
    order.reason = .none
    order.number = nextOrder
    order.filled = 0
    order.value = .zero
    order.fees = .zero
    order.reserved = claim.reserved
    order.best = 0
    nextOrder += 1
    if order.type == .trailingStop, let x = books[book].watched(isBuy: order.side == .buy) { order.best = Price(raw: x) }
    let holding = holding(account, book)
    let slot = addSlot(order, account, holding, book)
    claimRest(slot)
    remember(key, KeyEntry(number: order.number, reason: .none, slot: Int32(slot)))
    place(slot)
    if order.best.raw > 0 { note(trail: Int32(slot), order.side == .buy ? -order.best.raw : order.best.raw) }
    emit(slot, cause, into: &out)
    return slot
  }

  /// A slot that contains an open order.
  mutating func addSlot(_ order: Order, _ account: Int, _ holding: Int, _ book: Int) -> Int {
    let slot = OrderSlot(order: order, account: account, holding: holding, book: book)
    if let free = freeSlots.popLast() {
      slots[Int(free)] = slot
      return Int(free)
    }
    slots.append(slot)
    heaps.grow(toHold: Int32(slots.count - 1))
    lists.grow(toHold: Int32(slots.count - 1))
    return slots.count - 1
  }

  /// Adds an open order's unfilled quantity and its reservation to the account.
  mutating func claimRest(_ slot: Int) {
    let (account, holding) = (slots[slot].account, slots[slot].holding)
    if slots[slot].order.side == .buy {
      holdings[holding].buying += slots[slot].rest
    } else {
      holdings[holding].selling += slots[slot].rest
    }
    accounts[account].reserved = accounts[account].reserved.addingClamped(slots[slot].order.reserved)
    touch(account: account)
  }

  /// - Parameter key: nil if the request has no key that could be remembered.
  private mutating func reject(
    _ request: Order, _ reason: OrderReason, _ key: OrderKey?, _ cause: Cause, into out: inout Outcomes
  ) -> OrderReply {
    var order = request
    order.state = .rejected
    order.reason = reason
    order.number = nextOrder
    nextOrder += 1
    order.filled = 0
    order.value = .zero
    order.fees = .zero
    order.reserved = .zero
    order.best = 0
    order.time = cause.time
    order.received = cause.received
    out.orders.append(order)
    if let key { remember(key, KeyEntry(number: order.number, reason: reason, slot: -1)) }
    return OrderReply(number: order.number, isAccepted: false, reason: reason)
  }

  /// Stores a new key; beyond the limit, removes the oldest key of an order that is done.
  mutating func remember(_ key: OrderKey, _ entry: KeyEntry) {
    keys[key] = entry
    if keyOrder.count < rules.keys { return keyOrder.append(key) }
    // There are at least twice as many keys as open orders, so the loop ends.
    while let old = keys[keyOrder[oldestKey]], old.slot >= 0 { oldestKey = (oldestKey + 1) % keyOrder.count }
    keys[keyOrder[oldestKey]] = nil
    keyOrder[oldestKey] = key
    oldestKey = (oldestKey + 1) % keyOrder.count
  }

  /// True if the order waits for its stop.
  func isStop(_ slot: Int) -> Bool { slots[slot].place == .stop || slots[slot].place == .trail }

  /// Why an order can never be accepted as it is; nil if it can.
  func fault(in order: Order, _ account: Int, _ at: Int) -> OrderReason? {
    let book = books[at]
    if !book.isDefined, rules.undefined == nil || (rules.undefinedNeedPrices && !book.hasPrices) { return .unknownInstrument }
    if let currency = book.terms.currency, currency != accounts[account].rules.currency { return .otherCurrency }
    if order.side == .unknown { return .badSide }
    if order.quantity.raw <= 0 { return .badQuantity }
    if order.quantity.raw % book.terms.lot.raw != 0 { return .notInLots }
    let needsLimit = order.type == .limit || order.type == .stopLimit
    let needsStop = order.type == .stop || order.type == .stopLimit
    if needsLimit ? order.limit.raw <= 0 : order.limit.raw != 0 { return .badPrice }
    if needsStop ? order.stop.raw <= 0 : order.stop.raw != 0 { return .badPrice }
    if book.terms.tick.raw > 0, order.limit.raw % book.terms.tick.raw != 0 || order.stop.raw % book.terms.tick.raw != 0 { return .offTick }
    let (trail, percent) = (order.trail.raw, order.trailPercent.raw)
    if order.type == .trailingStop {
      if trail < 0 || percent < 0 || (trail > 0) == (percent > 0) || percent >= TrailBook.whole { return .badTrail }
    } else if trail != 0 || percent != 0 {
      return .badTrail
    }
    if book.isBelowZero { return .belowZero }
    if order.timeInForce == .ioc, !book.isLive { return book.isHalted ? .halted : .closed }
    return openOrders >= rules.openOrders ? .tooManyOrders : nil
  }
}
