package import MarketData

extension Broker {
  /// What an order would do, for a confirmation, if it were filled as a whole at `price`.
  package struct Estimate: Hashable, Sendable {
    /// The price it is computed with: the limit or the stop, or what a market order would have now; 0 if none is known.
    package var price: Price
    package var value: Amount
    package var fee: Amount
    /// What the order sets aside until it is filled.
    package var reserved = Amount.zero
    /// What there would be once it is filled; nil if no price is known, or if it could not be filled whatever the account has.
    package var after: After?
    /// Why it would be rejected now; `none` if it would be accepted.
    package var reason = OrderReason.none

    package init(price: Price, value: Amount, fee: Amount) {
      self.price = price
      self.value = value
      self.fee = fee
    }

    /// The account with a filled order.
    package struct After: Hashable, Sendable {
      /// The position in the order's instrument.
      package var position: Quantity
      package var cash: Amount
      /// What could be traded with.
      package var buyingPower: Amount
    }
  }

  /// What an order would do and whether it would be accepted; nothing is done. Nil if there is no such account, or a result is out of range.
  ///
  /// - Parameter replaced: the key of an open order whose place it would take.
  package mutating func estimate(_ request: Order, replacing replaced: String? = nil) -> Estimate? {
    guard let account = accountPlaces[request.account] else { return nil }
    let at = book(of: request.symbol)
    let multiplier = books[at].terms.multiplier
    let price = expected(request, account, at)
    guard let value = Amount.value(price, request.quantity, multiplier),
      let fee = accounts[account].rules.fees.total(filled: request.quantity, value: value)
    else { return nil }
    var result = Estimate(price: price, value: value, fee: fee)
    if let fault = fault(in: request, account, at) {
      result.reason = fault
      return result
    }
    let other = replaced.flatMap { keys[OrderKey(account: account, key: $0)] }.flatMap { $0.slot < 0 ? nil : Int($0.slot) }
    switch claim(of: request, account, at, replacing: other) {
    case .success(let claim): result.reserved = claim.reserved
    case .failure(let refusal): result.reason = refusal.reason
    }
    if price.raw == 0 { return result }
    let place = holdingPlaces[Self.holdingKey(account, at)]
    let holding = place.map { holdings[$0].holding } ?? Holding()
    guard let booking = holding.booking(request.side, request.quantity, at: price, multiplier: multiplier, fee: fee),
      let cash = accounts[account].cash.adding(booking.cash)
    else { return nil }
    // All other positions, and then this one as it would be.
    var valuation = valuation(of: account, with: place.map { ($0, Holding()) }, cash: cash)
    let mark = books[at].mark == 0 ? price : Price(raw: books[at].mark)
    valuation.add(booking.after.value(at: mark, multiplier: multiplier), accounts[account].rules.margin)
    let others = other.map { accounts[account].reserved.subtractingClamped(slots[$0].order.reserved) } ?? accounts[account].reserved
    result.after = Estimate.After(
      position: booking.after.quantity, cash: cash,
      buyingPower: valuation.equity.subtractingClamped(valuation.margin).subtractingClamped(others))
    return result
  }

  /// The price at which an order is expected to be filled; that of a sale at the market with slippage too.
  private func expected(_ order: Order, _ account: Int, _ at: Int) -> Price {
    let price = reference(order, account, at)
    let isLimited = order.type == .limit || order.type == .stopLimit
    guard order.side == .sell, !isLimited, price.raw > 0 else { return price }
    return slipped(price.raw, .sell, at, accounts[account].rules.slippage)
  }
}
