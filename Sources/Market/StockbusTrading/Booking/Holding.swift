package import MarketData

/// An account's holding of one instrument, and the rule by which a fill changes it.
///
/// The total cost is kept, never an average price. A fill that reduces the position takes its part of the cost, `cost × closed / quantity`,
/// rounded once to 1e-18 of the currency, half to even; the rest stays, so that after any number of fills `realised = all proceeds - all
/// purchases + cost` holds exactly, and a closed position has no cost. A fill through zero closes all of the position first and opens the
/// rest at the same price.
package struct Holding: Hashable, Sendable {
  /// Below zero if short.
  package var quantity: Quantity
  /// The cost of the position; below zero if short.
  package var cost: Amount
  /// The profit booked so far, before fees.
  package var realised: Amount
  package var fees: Amount

  package init(quantity: Quantity = 0, cost: Amount = .zero, realised: Amount = .zero, fees: Amount = .zero) {
    self.quantity = quantity
    self.cost = cost
    self.realised = realised
    self.fees = fees
  }

  /// The effect of a fill.
  package struct Booking {
    package var after: Holding
    /// The change of the account's cash, fee included.
    package var cash: Amount
    /// The profit realised by the fill, before the fee.
    package var realised: Amount
  }

  /// The holding after a fill of `quantity`, which is above zero, at `price`.
  ///
  /// Nil if the position or an amount would leave its range; then nothing may be booked.
  package func booking(_ side: Side, _ quantity: Quantity, at price: Price, multiplier: Quantity, fee: Amount) -> Booking? {
    let isBuy = side == .buy
    let signed = isBuy ? quantity.raw : -quantity.raw
    let (position, overflow) = self.quantity.raw.addingReportingOverflow(signed)
    if overflow || position == .min { return nil }
    // Purchases and sales are valued as one product, so that the parts of a fill through zero add up to it exactly.
    guard let value = Amount.value(price, quantity, multiplier) else { return nil }
    var after = self
    after.quantity = Quantity(raw: position)
    var realised = Amount.zero
    let held = self.quantity.raw
    if held == 0 || (held > 0) == isBuy {
      guard let cost = isBuy ? cost.adding(value) : cost.subtracting(value) else { return nil }
      after.cost = cost
    } else {
      let closed = min(held.magnitude, quantity.raw.magnitude)
      let isWhole = closed == held.magnitude
      // Both are at most Int64.max, because positions are.
      guard let taken = isWhole ? cost : cost.scaled(by: Int64(closed), over: Int64(held.magnitude)) else { return nil }
      guard let closing = closed == quantity.raw.magnitude ? value : value.scaled(by: Int64(closed), over: quantity.raw) else { return nil }
      guard let opening = value.subtracting(closing), let rest = cost.subtracting(taken) else { return nil }
      guard let cost = isBuy ? rest.adding(opening) : rest.subtracting(opening) else { return nil }
      // A long position's cost is above zero and its sale brings money in; for a short one both signs are reversed.
      guard let gained = (isBuy ? Amount.zero.subtracting(closing) : closing)?.subtracting(taken) else { return nil }
      after.cost = cost
      realised = gained
    }
    guard let total = after.realised.adding(realised), let fees = after.fees.adding(fee) else { return nil }
    after.realised = total
    after.fees = fees
    guard let cash = (isBuy ? Amount.zero.subtracting(value) : value)?.subtracting(fee) else { return nil }
    return Booking(after: after, cash: cash, realised: realised)
  }

  /// The position's value at `mark`, limited to the range of amounts.
  package func value(at mark: Price, multiplier: Quantity) -> Amount {
    Amount.value(mark, quantity, multiplier) ?? Amount(raw: quantity.raw < 0 ? .min + 1 : .max)
  }
}
