package import MarketData

/// How an instrument is traded.
package struct TradingTerms: Hashable, Sendable {
  /// The currency; nil if the instrument is traded in the currency of any account.
  package var currency: Symbol?
  /// The smallest quantity, of which every order is a whole multiple; a billionth allows all fractions.
  package var lot: Quantity
  /// The unit of limits and stops, and of slippage; 0 if any price is allowed and there is no slippage.
  package var tick: Price
  /// Units of the underlying in one contract.
  package var multiplier: Quantity
  /// The market whose sessions the instrument follows: a number chosen by the caller, below `marketLimit`.
  package var market: Int

  package static var marketLimit: Int { 4096 }

  package init(
    currency: Symbol? = nil, lot: Quantity = Quantity(raw: 1), tick: Price = 0, multiplier: Quantity = 1, market: Int = 0
  ) {
    self.currency = currency
    self.lot = lot
    self.tick = tick
    self.multiplier = multiplier
    self.market = market
  }

  /// Why no instrument may have these terms; nil if they are valid.
  package var fault: String? {
    if lot.raw <= 0 { return "the lot must be above zero" }
    if tick.raw < 0 { return "the tick is below zero" }
    if multiplier.raw <= 0 { return "the multiplier must be above zero" }
    return market < 0 || market >= Self.marketLimit ? "the market number is out of range" : nil
  }

  /// The largest whole number of lots in `quantity`.
  @inline(__always)
  func wholeLots(_ quantity: Int64) -> Int64 { lot.raw == 1 ? quantity : quantity - quantity % lot.raw }
}
