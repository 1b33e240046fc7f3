package import MarketData

/// The rule for an account's fee for an order.
///
/// The fee of an order is `perOrder + perUnit × filled + rate × value of the fills`, at least `minimum` and at most `maximum`, rounded to
/// `decimals`, half to even. The first fill makes it due. Each fill pays the order's fee with this fill, minus the fees already paid, so
/// that a fee per order and a minimum are paid once, by the first fill.
package struct FeeRule: Hashable, Sendable {
  package var perUnit: Price
  package var perOrder: Price
  /// The rate in per cent of the value: one basis point is 0.01.
  package var rate: Percent
  package var minimum: Price
  /// The largest fee; nil if there is none.
  package var maximum: Price?
  /// The decimals of the currency; 18 is as exact as an amount.
  package var decimals: UInt8

  package init(
    perUnit: Price = 0, perOrder: Price = 0, rate: Percent = 0, minimum: Price = 0, maximum: Price? = nil, decimals: UInt8 = 18
  ) {
    self.perUnit = perUnit
    self.perOrder = perOrder
    self.rate = rate
    self.minimum = minimum
    self.maximum = maximum
    self.decimals = decimals
  }

  /// Why no account may have this rule, in a few words; nil if the rule is valid.
  package var fault: String? {
    if perUnit.raw < 0 || perOrder.raw < 0 || rate.raw < 0 || minimum.raw < 0 || (maximum?.raw ?? 0) < 0 { return "a fee is below zero" }
    if let maximum, maximum < minimum { return "a maximum below the minimum" }
    return nil
  }

  /// The fee of an order with `filled` units of the value `value` filled; nil if it is out of range.
  package func total(filled: Quantity, value: Amount) -> Amount? {
    guard let share = value.magnitude.share(rate) else { return nil }
    guard let sum = Amount(perUnit, times: filled).adding(Amount(perOrder))?.adding(share) else { return nil }
    var total = max(sum, Amount(minimum))
    if let maximum { total = min(total, Amount(maximum)) }
    return total.rounded(decimals: decimals)
  }
}
