package import MarketData

/// What an account pays for an order.
///
/// The fee of an order is `perOrder + perUnit × filled + rate × value of the fills`, at least `minimum` and at most `maximum`, rounded to
/// `decimals`, half to even. It is due as soon as there is a fill; each fill pays the difference between the fee of the order with it and
/// what the order has paid before, so that a fee per order and a minimum are paid once, by the first fill.
package struct FeeRule: Hashable, Sendable {
  package var perUnit: Price
  package var perOrder: Price
  /// In per cent of the value: one basis point is 0.01.
  package var rate: Percent
  package var minimum: Price
  /// Nil if there is none.
  package var maximum: Price?
  /// Of the currency; 18 is as exact as an amount.
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

  /// Why no account may have it, in a few words; nil if it is fine.
  package var fault: String? {
    if perUnit.raw < 0 || perOrder.raw < 0 || rate.raw < 0 || minimum.raw < 0 || (maximum?.raw ?? 0) < 0 { return "a fee below zero" }
    if let maximum, maximum < minimum { return "a maximum below the minimum" }
    return nil
  }

  /// The fee of an order of which `filled` units with `value` are filled; nil if it is out of range.
  package func total(filled: Quantity, value: Amount) -> Amount? {
    guard let share = value.magnitude.share(rate) else { return nil }
    guard let sum = Amount(perUnit, times: filled).adding(Amount(perOrder))?.adding(share) else { return nil }
    var total = max(sum, Amount(minimum))
    if let maximum { total = min(total, Amount(maximum)) }
    return total.rounded(decimals: decimals)
  }
}
