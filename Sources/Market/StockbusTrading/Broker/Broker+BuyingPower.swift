internal import MarketData

// The check before an order is accepted. An order reserves its fee, and the additional margin that its account would need if all orders for
// the same side of the instrument, and then this one, were filled at its reference price. The reservation is fixed when the order is
// accepted, and shrinks in proportion to its fills. The decisive check is made at every fill, with the prices at that time.
extension Broker {
  /// The reservation of an accepted order.
  struct Claim {
    var reserved = Amount.zero
  }

  struct Refusal: Error {
    let reason: OrderReason
  }

  /// The reservation of an order, or the reason why it cannot be accepted.
  ///
  /// - Parameter replaced: the open order that it replaces.
  func claim(of order: Order, _ account: Int, _ at: Int, replacing replaced: Int?) -> Result<Claim, Refusal> {
    let isBuy = order.side == .buy
    var (position, others): (Int64, Int64) = (0, 0)
    if let holding = holdingPlaces[Self.holdingKey(account, at)] {
      position = holdings[holding].holding.quantity.raw
      others = isBuy ? holdings[holding].buying : holdings[holding].selling
    }
    if let replaced, slots[replaced].book == at, slots[replaced].order.side == order.side { others -= slots[replaced].rest }
    // All working orders of one side may be filled, so their sum has to stay in range.
    let (all, overflow) = others.addingReportingOverflow(order.quantity.raw)
    let (before, beyond) = isBuy ? position.addingReportingOverflow(others) : position.subtractingReportingOverflow(others)
    let (after, outside) = isBuy ? position.addingReportingOverflow(all) : position.subtractingReportingOverflow(all)
    if overflow || beyond || outside || after == .min { return .failure(Refusal(reason: .badQuantity)) }
    let margin = accounts[account].rules.margin
    if !isBuy, after < 0, margin.short == nil { return .failure(Refusal(reason: .shortNotAllowed)) }
    let price = reference(order, account, at)
    if price.raw == 0 { return .success(Claim()) }
    let multiplier = books[at].terms.multiplier
    guard let value = Amount.value(price, order.quantity, multiplier),
      let fee = accounts[account].rules.fees.total(filled: order.quantity, value: value),
      let valueBefore = Amount.value(price, Quantity(raw: before), multiplier), let needed = margin.required(valueBefore),
      let valueAfter = Amount.value(price, Quantity(raw: after), multiplier), let needs = margin.required(valueAfter),
      let more = needs.subtracting(needed), let reserved = max(.zero, more).adding(fee)
    else { return .failure(Refusal(reason: .outOfRange)) }
    // An order that only closes a position is accepted whatever the buying power.
    if more.raw <= 0 { return .success(Claim(reserved: reserved)) }
    let valuation = valuation(of: account, cash: accounts[account].cash)
    let taken = replaced.map { accounts[account].reserved.subtractingClamped(slots[$0].order.reserved) } ?? accounts[account].reserved
    let left = valuation.equity.subtractingClamped(valuation.margin).subtractingClamped(taken)
    return left < reserved ? .failure(Refusal(reason: .insufficientBuyingPower)) : .success(Claim(reserved: reserved))
  }

  /// The price for computing an order's cost: its limit, or its stop; for market orders and trailing stops the standing quote's bid or ask,
  /// or else the last price; for buys without a limit with slippage. A limit to sell below the last price counts with the last price,
  /// because it is filled at the shown price. 0 if no price is known.
  func reference(_ order: Order, _ account: Int, _ at: Int) -> Price {
    let price: Int64
    switch order.type {
    case .limit, .stopLimit: return Price(raw: order.side == .sell ? max(order.limit.raw, books[at].mark) : order.limit.raw)
    case .stop: price = order.stop.raw
    case .market, .trailingStop:
      let touch = order.side == .buy ? books[at].ask.price : books[at].bid.price
      price = touch > 0 ? touch : books[at].mark
    }
    return order.side == .buy && price > 0 ? slipped(price, .buy, at, accounts[account].rules.slippage) : Price(raw: price)
  }
}
