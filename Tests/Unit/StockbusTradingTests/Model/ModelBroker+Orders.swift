import MarketData
import StockbusTrading

extension ModelBroker {
  func submit(_ request: Order) -> OrderReply {
    begin(request.received)
    guard let account = accounts[request.account] else { return reject(request, .unknownAccount, key: nil) }
    if request.key.isEmpty || request.key.utf8.count > 64 { return reject(request, .badKey, key: nil) }
    let key = "\(request.account) \(request.key)"
    if let first = keys[key] {
      return OrderReply(number: first.number, isAccepted: first.isAccepted, reason: first.reason, isRepeated: true)
    }
    var replaced: Item?
    if !request.replaces.isEmpty {
      if keys["\(request.account) \(request.replaces)"] == nil { return reject(request, .unknownOrder, key: key) }
      replaced = open.first { $0.account === account && $0.order.key == request.replaces }
      if replaced == nil { return reject(request, .alreadyDone, key: key) }
    }
    let instrument = instruments[request.symbol]!
    if let fault = fault(request, account, instrument) { return reject(request, fault, key: key) }
    let reserved: Rational
    switch claim(request, account, instrument, replaced) {
    case .success(let value): reserved = value
    case .failure(let refusal): return reject(request, refusal.reason, key: key)
    }
    if let replaced { finish(replaced, .replaced, .asked) }
    lastOrder += 1
    let name = "\(account.rules.name) \(instrument.symbol)"
    if !heldOrder.contains(name) { heldOrder.append(name) }
    var order = request
    order.state = .working
    order.number = lastOrder
    let item = Item(order, account, instrument, reserved: reserved)
    activations += 1
    item.activation = activations
    let price = watched(instrument, order.side)
    if order.type == .trailingStop, price > 0 { follow(item, price) }
    open.append(item)
    keys[key] = OrderReply(number: lastOrder, isAccepted: true)
    note(item)
    if !item.waitsForStop { meet(instrument) }
    return keys[key]!
  }

  func cancel(_ account: Symbol, _ key: String, _ received: Timestamp) -> OrderReply {
    begin(received)
    guard let first = keys["\(account) \(key)"] else { return OrderReply(number: 0, isAccepted: false, reason: .unknownOrder) }
    guard let item = open.first(where: { $0.order.account == account && $0.order.key == key }) else {
      return OrderReply(number: first.number, isAccepted: false, reason: .alreadyDone)
    }
    finish(item, .cancelled, .asked)
    return OrderReply(number: first.number, isAccepted: true)
  }

  private func reject(_ request: Order, _ reason: OrderReason, key: String?) -> OrderReply {
    lastOrder += 1
    orders.append("\(lastOrder) rejected \(reason) filled 0 stop \(request.stop) best 0 value 0/1 fees 0/1 reserved 0/1")
    let reply = OrderReply(number: lastOrder, isAccepted: false, reason: reason)
    if let key { keys[key] = reply }
    return reply
  }

  private func fault(_ order: Order, _ account: Account, _ instrument: Instrument) -> OrderReason? {
    let terms = instrument.terms
    if terms.currency != nil, terms.currency != account.rules.currency { return .otherCurrency }
    if order.quantity.raw <= 0 { return .badQuantity }
    if order.quantity.raw % terms.lot.raw != 0 { return .notInLots }
    if (order.type == .limit || order.type == .stopLimit) != (order.limit.raw != 0) { return .badPrice }
    if (order.type == .stop || order.type == .stopLimit) != (order.stop.raw != 0) { return .badPrice }
    if terms.tick.raw > 0, order.limit.raw % terms.tick.raw != 0 || order.stop.raw % terms.tick.raw != 0 { return .offTick }
    if instrument.isBelowZero { return .belowZero }
    if order.timeInForce == .ioc, instrument.isHalted { return .halted }
    if order.timeInForce == .ioc, !isOpen { return .closed }
    return nil
  }

  struct Refusal: Error { let reason: OrderReason }

  private func claim(
    _ order: Order, _ account: Account, _ instrument: Instrument, _ replaced: Item?
  ) -> Result<Rational, Refusal> {
    let isBuy = order.side == .buy
    let mine = open.filter { $0.account === account && $0 !== replaced }
    let others = mine.filter { $0.instrument === instrument && $0.order.side == order.side }.reduce(0) { $0 + $1.rest }
    let position = held(account, instrument).quantity
    let before = isBuy ? position + others : position - others
    let after = isBuy ? before + order.quantity.raw : before - order.quantity.raw
    if !isBuy, after < 0, account.rules.margin.short == nil { return .failure(Refusal(reason: .shortNotAllowed)) }
    var price: Int64
    let slip = isBuy ? Int64(account.rules.slippage) * instrument.terms.tick.raw : 0
    switch order.type {
    case .limit, .stopLimit: price = isBuy ? order.limit.raw : max(order.limit.raw, instrument.mark)
    case .stop: price = order.stop.raw + slip
    case .market, .trailingStop:
      let touch = isBuy ? instrument.ask.price : instrument.bid.price
      price = touch > 0 ? touch : instrument.mark
      if price > 0 { price += slip }
    }
    if price == 0 { return .success(.zero) }
    let more = required(account, value(instrument, price, after)) - required(account, value(instrument, price, before))
    let fee = fee(account, order.quantity.raw, value(instrument, price, order.quantity.raw))
    let reserved = max(.zero, more) + fee
    if more <= .zero { return .success(reserved) }
    let taken = mine.reduce(Rational.zero) { $0 + $1.reserved }
    let (equity, margin) = worth(account, account.cash)
    return equity - margin - taken < reserved ? .failure(Refusal(reason: .insufficientBuyingPower)) : .success(reserved)
  }

  // MARK: Money

  func value(_ instrument: Instrument, _ price: Int64, _ quantity: Int64) -> Rational {
    Rational(Int128(price) * Int128(quantity), over: 1_000_000_000_000_000_000) * instrument.multiplier
  }

  func required(_ account: Account, _ value: Rational) -> Rational {
    let percent = value < .zero ? account.rules.margin.short ?? 100 : account.rules.margin.long
    return (value.magnitude * Rational(Int128(percent.raw), over: 100_000_000_000)).rounded(18)
  }

  func fee(_ account: Account, _ quantity: Int64, _ value: Rational) -> Rational {
    let rule = account.rules.fees
    var fee =
      billionths(rule.perUnit.raw) * billionths(quantity) + billionths(rule.perOrder.raw)
      + value * Rational(Int128(rule.rate.raw), over: 100_000_000_000)
    fee = max(fee, billionths(rule.minimum.raw))
    if let maximum = rule.maximum { fee = min(fee, billionths(maximum.raw)) }
    return fee.rounded(Int(rule.decimals))
  }

  private func billionths(_ raw: Int64) -> Rational { Rational(Int128(raw), over: 1_000_000_000) }

  /// Equity and margin of an account.
  func worth(_ account: Account, _ cash: Rational, with changed: (Instrument, Int64)? = nil) -> (equity: Rational, margin: Rational) {
    var (equity, margin) = (cash, Rational.zero)
    for instrument in instruments.values {
      var quantity = held(account, instrument).quantity
      if let changed, changed.0 === instrument { quantity = changed.1 }
      let value = value(instrument, instrument.mark, quantity)
      equity = equity + value
      margin = margin + required(account, value)
    }
    return (equity, margin)
  }

  /// Books a fill, or cancels the order if its account may not have it. Returns what was filled.
  func book(_ item: Item, _ quantity: Int64, _ reason: FillReason, _ shown: Int64, _ size: Int64) -> Int64 {
    let (account, instrument) = (item.account, item.instrument)
    let holding = held(account, instrument)
    let isBuy = item.order.side == .buy
    var price = shown
    if reason == .touch || reason == .nextTrade {
      let slip = Int64(account.rules.slippage) * instrument.terms.tick.raw
      price = isBuy ? shown + slip : max(1, shown - slip)
    }
    let value = value(instrument, price, quantity)
    let fees = max(item.fees, fee(account, item.order.filled.raw + quantity, item.value + value))
    let fee = fees - item.fees
    let after = isBuy ? holding.quantity + quantity : holding.quantity - quantity
    let cash = (isBuy ? account.cash - value : account.cash + value) - fee
    let isReduced = after == 0 || ((after > 0) == (holding.quantity > 0) && abs(after) <= abs(holding.quantity))
    if !isReduced {
      if after < 0, account.rules.margin.short == nil {
        finish(item, .cancelled, .shortNotAllowed)
        return 0
      }
      let (equity, margin) = worth(account, cash, with: (instrument, after))
      if equity < margin {
        finish(item, .cancelled, .insufficientBuyingPower)
        return 0
      }
    }
    account.cash = cash
    account.fees = account.fees + fee
    holding.fees = holding.fees + fee
    let realised = change(holding, instrument, price, quantity, isBuy)
    account.realised = account.realised + realised
    lastFill += 1
    fills.append(
      "\(lastFill) order \(item.order.number) \(item.order.side) \(Quantity(raw: quantity)) at \(Price(raw: price)) \(reason) shown "
        + "\(Price(raw: shown)) \(Quantity(raw: size)) fee \(fee) realised \(realised) position \(Quantity(raw: after))")
    item.reserved = (item.reserved * Rational(Int128(item.rest - quantity), over: Int128(item.rest))).rounded(18)
    item.order.filled = Quantity(raw: item.order.filled.raw + quantity)
    item.value = item.value + value
    item.fees = fees
    if item.rest == 0 {
      finish(item, .filled, .none)
    } else {
      item.order.state = .partiallyFilled
      item.order.reason = .none
      note(item)
    }
    return quantity
  }

  /// What a fill does to a holding; returns the profit that it books.
  func change(_ holding: Held, _ instrument: Instrument, _ price: Int64, _ quantity: Int64, _ isBuy: Bool) -> Rational {
    let signed = isBuy ? quantity : -quantity
    let before = holding.quantity
    let closed = before == 0 || (before > 0) == isBuy ? 0 : min(abs(before), quantity)
    let taken = before == 0 ? .zero : (holding.cost * Rational(Int128(closed), over: Int128(abs(before)))).rounded(18)
    let brought = value(instrument, price, before > 0 ? closed : -closed)
    let realised = brought - taken
    holding.cost = holding.cost - taken + value(instrument, price, isBuy ? quantity - closed : closed - quantity)
    holding.quantity = before + signed
    holding.realised = holding.realised + realised
    return realised
  }

  func finish(_ item: Item, _ state: OrderState, _ reason: OrderReason) {
    open.removeAll { $0 === item }
    item.order.state = state
    item.order.reason = reason
    item.reserved = .zero
    note(item)
  }

  func note(_ item: Item) {
    let order = item.order
    orders.append(
      "\(order.number) \(order.state) \(order.reason) filled \(order.filled) stop \(order.stop) best \(order.best) value \(item.value) "
        + "fees \(item.fees) reserved \(item.reserved)")
  }

  /// What an order that was just accepted finds.
  private func meet(_ instrument: Instrument) {
    if isOpen, !instrument.isHalted { meetQuoteNow(instrument) }
  }

  // MARK: Splits

  func split(_ symbol: Symbol, new: Int64, old: Int64, _ received: Timestamp) {
    begin(received)
    let instrument = instruments[symbol]!
    withdraw(instrument)
    let (up, down) = (Rational(Int128(new), over: Int128(old)), Rational(Int128(old), over: Int128(new)))
    func nearest(_ raw: Int64) -> Int64 { raw == 0 ? 0 : max(1, Int64((Rational(Int128(raw)) * down).rounded(0).numerator)) }
    func towardsZero(_ raw: Int64) -> Int64 {
      let scaled = Rational(Int128(raw)) * up
      return Int64(raw < 0 ? scaled.ceiling : scaled.floor)
    }
    instrument.mark = nearest(instrument.mark)
    // In the order in which the broker made the holdings.
    for name in heldOrder where name.hasSuffix(" \(symbol)") {
      let holding = held[name]!
      let account = accounts.values.first { name.hasPrefix("\($0.rules.name) ") }!
      if holding.quantity == 0 { continue }
      holding.quantity = towardsZero(holding.quantity)
      let fraction = holding.quantity % instrument.terms.lot.raw
      if fraction == 0 { continue }
      let value = value(instrument, instrument.mark, fraction)
      account.cash = account.cash + value
      let realised = change(holding, instrument, instrument.mark, abs(fraction), fraction < 0)
      account.realised = account.realised + realised
      lastFill += 1
      let shown = "\(Price(raw: instrument.mark)) \(Quantity(raw: abs(fraction)))"
      fills.append(
        "\(lastFill) order 0 \(fraction < 0 ? Side.buy : .sell) \(Quantity(raw: abs(fraction))) at \(Price(raw: instrument.mark)) cashInLieu "
          + "shown \(shown) fee 0/1 realised \(realised) position \(Quantity(raw: holding.quantity))")
    }
    for item in open.filter({ $0.instrument === instrument }).sorted(by: { $0.order.number < $1.order.number }) {
      let isBuy = item.order.side == .buy
      let tick = Rational(Int128(max(1, instrument.terms.tick.raw)))
      func onTick(_ raw: Int64, roundedUp: Bool) -> Int64 {
        let ticks = Rational(Int128(raw)) * down / tick
        return Int64((roundedUp ? ticks.ceiling : ticks.floor) * tick.numerator)
      }
      let lot = instrument.terms.lot.raw
      let rest = towardsZero(item.rest) / lot * lot
      let filled = towardsZero(item.order.filled.raw)
      let limit = onTick(item.order.limit.raw, roundedUp: !isBuy)
      let isTrailing = item.order.type == .trailingStop
      let stop = isTrailing ? 0 : onTick(item.order.stop.raw, roundedUp: isBuy)
      if rest == 0 || (limit == 0) != (item.order.limit.raw == 0) || (!isTrailing && (stop == 0) != (item.order.stop.raw == 0)) {
        finish(item, .cancelled, .split)
        continue
      }
      item.order.quantity = Quantity(raw: filled + rest)
      item.order.filled = Quantity(raw: filled)
      item.order.limit = Price(raw: limit)
      item.order.stop = Price(raw: stop)
      item.order.trail = Price(raw: Int64((Rational(Int128(item.order.trail.raw)) * down).ceiling))
      item.order.reason = .split
      if item.order.best.raw > 0 { follow(item, nearest(item.order.best.raw)) }
      note(item)
    }
  }
}
