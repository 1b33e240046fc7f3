internal import MarketData

extension Broker {
  /// Fills as much of an order as the shown size allows, in whole lots, and returns the quantity filled.
  ///
  /// An order that its account cannot afford, or that would leave the range of amounts, is cancelled instead, and takes none of the size.
  ///
  /// - Parameter left: the rest of `size`, at least a lot.
  mutating func fill(
    _ at: Int, _ left: Int64, _ reason: FillReason, _ shown: Int64, _ size: Int64, _ cause: Cause, into out: inout Outcomes
  ) -> Int64 {
    let (account, holding, book) = (slots[at].account, slots[at].holding, slots[at].book)
    let side = slots[at].order.side
    let quantity = Quantity(raw: min(slots[at].rest, books[book].terms.wholeLots(left)))
    let price = reason == .touch || reason == .nextTrade ? slipped(shown, side, book, accounts[account].rules.slippage) : Price(raw: shown)
    let multiplier = books[book].terms.multiplier
    guard let total = feeTotal(at, quantity, price, multiplier), let fee = total.fees.subtracting(slots[at].order.fees),
      let booking = holdings[holding].holding.booking(side, quantity, at: price, multiplier: multiplier, fee: fee),
      let cash = accounts[account].cash.adding(booking.cash), let realised = accounts[account].realised.adding(booking.realised),
      let fees = accounts[account].fees.adding(fee)
    else {
      end(at, .cancelled, .outOfRange, cause, into: &out)
      return 0
    }
    if let refusal = refusal(account, holding, booking.after, cash: cash) {
      end(at, .cancelled, refusal, cause, into: &out)
      return 0
    }
    holdings[holding].holding = booking.after
    accounts[account].cash = cash
    accounts[account].realised = realised
    accounts[account].fees = fees
    if books[book].mark == 0 { books[book].mark = shown }
    let rest = slots[at].rest
    release(at, part: quantity.raw, of: rest)
    slots[at].order.filled = Quantity(raw: slots[at].order.filled.raw + quantity.raw)
    slots[at].order.value = total.value
    slots[at].order.fees = total.fees
    out.fills.append(
      Fill(
        account: accounts[account].rules.name, symbol: books[book].symbol, side: side, reason: reason, number: nextFill,
        order: slots[at].order.number, price: price, quantity: quantity, fee: fee, realised: booking.realised,
        position: booking.after.quantity, shown: Price(raw: shown), shownSize: Quantity(raw: size), time: cause.time,
        received: cause.received))
    nextFill += 1
    touch(holding: holding)
    if quantity.raw == rest {
      end(at, .filled, .none, cause, into: &out)
    } else {
      slots[at].order.state = .partiallyFilled
      slots[at].order.reason = .none
      emit(at, cause, into: &out)
    }
    return quantity.raw
  }

  /// The shown price made worse by some ticks, but at least one billionth.
  func slipped(_ shown: Int64, _ side: Side, _ book: Int, _ ticks: UInt16) -> Price {
    let (slip, overflow) = books[book].terms.tick.raw.multipliedReportingOverflow(by: Int64(ticks))
    let (price, beyond) = side == .buy ? shown.addingReportingOverflow(slip) : shown.subtractingReportingOverflow(slip)
    if side == .buy { return Price(raw: overflow || beyond ? .max : price) }
    return Price(raw: overflow || beyond ? 1 : max(1, price))
  }

  /// The value and the fee of the order's fills, including one more fill.
  private func feeTotal(_ at: Int, _ quantity: Quantity, _ price: Price, _ multiplier: Quantity) -> (value: Amount, fees: Amount)? {
    guard let more = Amount.value(price, quantity, multiplier), let value = slots[at].order.value.adding(more) else { return nil }
    let filled = Quantity(raw: slots[at].order.filled.raw + quantity.raw)
    guard let fees = accounts[slots[at].account].rules.fees.total(filled: filled, value: value) else { return nil }
    // A split may have reduced the filled units: a fee that was paid is not paid back.
    return (value, max(fees, slots[at].order.fees))
  }

  /// Why the account may not have this holding after a fill; nil if it may. A fill that reduces a position is always allowed.
  private func refusal(_ account: Int, _ holding: Int, _ after: Holding, cash: Amount) -> OrderReason? {
    let before = holdings[holding].holding.quantity.raw
    let isOther = (before > 0) != (after.quantity.raw > 0)
    if after.quantity.raw == 0 || (!isOther && after.quantity.raw.magnitude <= before.magnitude) { return nil }
    if after.quantity.raw < 0, accounts[account].rules.margin.short == nil { return .shortNotAllowed }
    let valuation = valuation(of: account, with: (holding, after), cash: cash)
    return valuation.equity < valuation.margin ? .insufficientBuyingPower : nil
  }

  /// Releases the order's claim on its holding and on buying power for `part` of the `rest` that is not filled.
  private mutating func release(_ at: Int, part: Int64, of rest: Int64) {
    let (account, holding) = (slots[at].account, slots[at].holding)
    if slots[at].order.side == .buy { holdings[holding].buying -= part } else { holdings[holding].selling -= part }
    let reserved = slots[at].order.reserved
    // The rest's share, rounded once; the released part is the difference, so that the sum over all orders stays exact.
    let kept = part == rest ? Amount.zero : reserved.scaled(by: rest - part, over: rest) ?? reserved
    accounts[account].reserved = accounts[account].reserved.subtractingClamped(reserved.subtractingClamped(kept))
    slots[at].order.reserved = kept
    touch(account: account)
  }

  /// Ends an open order permanently.
  mutating func end(_ at: Int, _ state: OrderState, _ reason: OrderReason, _ cause: Cause, into out: inout Outcomes) {
    removeFromPlace(at)
    leaveList(at)
    let rest = slots[at].rest
    if rest > 0 { release(at, part: rest, of: rest) }
    slots[at].order.state = state
    slots[at].order.reason = reason
    emit(at, cause, into: &out)
    let key = OrderKey(account: slots[at].account, key: slots[at].order.key)
    if let entry = keys[key] { keys[key] = KeyEntry(number: entry.number, reason: entry.reason, slot: -1) }
    slots[at].isFree = true
    freeSlots.append(Int32(at))
  }

  // MARK: Where orders are kept

  /// Adds an open order to the structure by which the relevant price finds it.
  mutating func place(_ at: Int) {
    let order = slots[at].order
    let (book, node, number) = (slots[at].book, Int32(at), order.number)
    let isBuy = order.side == .buy
    let isStop = order.type != .market && order.type != .limit && !slots[at].isTriggered
    if isStop, order.type == .trailingStop {
      slots[at].place = .trail
      let inPercent = order.trailPercent.raw > 0
      let distance = inPercent ? order.trailPercent.raw : order.trail.raw
      let best = order.best.raw == 0 ? TrailBook.nothing : isBuy ? -order.best.raw : order.best.raw
      if isBuy {
        books[book].trailBuys.insert(node, best: best, distance: distance, inPercent: inPercent, number: number, &heaps)
      } else {
        books[book].trailSells.insert(node, best: best, distance: distance, inPercent: inPercent, number: number, &heaps)
      }
    } else if isStop {
      slots[at].place = .stop
      if isBuy {
        heaps.insert(node, key: order.stop.raw, number: number, into: &books[book].stopBuys)
      } else {
        heaps.insert(node, key: -order.stop.raw, number: number, into: &books[book].stopSells)
      }
    } else if slots[at].isMarket {
      slots[at].place = .market
      if isBuy {
        heaps.insert(node, key: 0, number: number, into: &books[book].marketBuys)
      } else {
        heaps.insert(node, key: 0, number: number, into: &books[book].marketSells)
      }
    } else {
      slots[at].place = .limit
      if isBuy {
        heaps.insert(node, key: -order.limit.raw, number: number, into: &books[book].limitBuys)
      } else {
        heaps.insert(node, key: order.limit.raw, number: number, into: &books[book].limitSells)
      }
    }
    if order.timeInForce == .ioc, !isStop, slots[at].membership == .none {
      slots[at].membership = .immediate
      lists.append(node, to: &books[book].immediate)
    }
    if order.timeInForce == .day, slots[at].membership == .none {
      slots[at].membership = .day
      lists.append(node, to: &markets[books[book].terms.market].dayOrders)
    }
  }

  mutating func removeFromPlace(_ at: Int) {
    let (book, node) = (slots[at].book, Int32(at))
    let isBuy = slots[at].order.side == .buy
    switch (slots[at].place, isBuy) {
    case (.none, _): return
    case (.market, true): heaps.remove(node, from: &books[book].marketBuys)
    case (.market, false): heaps.remove(node, from: &books[book].marketSells)
    case (.limit, true): heaps.remove(node, from: &books[book].limitBuys)
    case (.limit, false): heaps.remove(node, from: &books[book].limitSells)
    case (.stop, true): heaps.remove(node, from: &books[book].stopBuys)
    case (.stop, false): heaps.remove(node, from: &books[book].stopSells)
    case (.trail, true): note(trail: node, books[book].trailBuys.remove(node, &heaps))
    case (.trail, false): note(trail: node, books[book].trailSells.remove(node, &heaps))
    }
    slots[at].place = .none
  }

  private mutating func leaveList(_ at: Int) {
    let book = slots[at].book
    switch slots[at].membership {
    case .none: return
    case .day: lists.remove(Int32(at), from: &markets[books[book].terms.market].dayOrders)
    case .immediate: lists.remove(Int32(at), from: &books[book].immediate)
    }
    slots[at].membership = .none
  }

  /// Writes a trailing stop's best price and the resulting stop into the order.
  mutating func note(trail node: Int32, _ best: Int64) {
    let at = Int(node)
    if best == TrailBook.nothing { return }
    let order = slots[at].order
    let isBuy = order.side == .buy
    let inPercent = order.trailPercent.raw > 0
    let distance = inPercent ? order.trailPercent.raw : order.trail.raw
    let book = slots[at].book
    let stop =
      isBuy
      ? books[book].trailBuys.stop(best, distance, inPercent: inPercent)
      : books[book].trailSells.stop(best, distance, inPercent: inPercent)
    slots[at].order.best = Price(raw: isBuy ? -best : best)
    // A distance out of the range gives a stop that no price reaches.
    slots[at].order.stop = Price(raw: stop == .min ? 0 : max(0, isBuy ? -stop : stop))
  }

  /// Appends the order in its present state.
  mutating func emit(_ at: Int, _ cause: Cause, into out: inout Outcomes) {
    slots[at].order.time = cause.time
    slots[at].order.received = cause.received
    out.orders.append(slots[at].order)
  }
}
