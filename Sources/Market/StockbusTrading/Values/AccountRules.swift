package import MarketData

/// An account as configured.
package struct AccountRules: Hashable, Sendable {
  package var name: Symbol
  package var currency: Symbol
  /// The money paid in at the start.
  package var deposit: Amount
  package var margin: MarginRule
  package var fees: FeeRule
  /// How many ticks worse than the shown price a market order is filled.
  package var slippage: UInt16

  package init(
    _ name: Symbol, currency: Symbol, deposit: Amount, margin: MarginRule = MarginRule(), fees: FeeRule = FeeRule(), slippage: UInt16 = 0
  ) {
    self.name = name
    self.currency = currency
    self.deposit = deposit
    self.margin = margin
    self.fees = fees
    self.slippage = slippage
  }
}

/// The equity that a position ties up: a fraction of its value at the last price.
///
/// An order that would tie up more than the buying power is rejected on arrival, and cancelled if this happens only at a fill. There is no
/// maintenance margin and no forced sale: an account whose buying power has fallen below zero can only reduce positions.
package struct MarginRule: Hashable, Sendable {
  /// The margin in per cent of a long position's value; 100 is an account without credit.
  package var long: Percent
  /// The margin in per cent of a short position's value; nil if the account may not be short.
  package var short: Percent?

  package init(long: Percent = 100, short: Percent? = 100) {
    self.long = long
    self.short = short
  }

  /// Why no account may have this rule; nil if the rule is valid.
  package var fault: String? { long.raw <= 0 || (short?.raw ?? 1) <= 0 ? "the margin must be above zero" : nil }

  /// The equity that a position with this value ties up; nil if it is out of range.
  func required(_ value: Amount) -> Amount? { value.magnitude.share(value.raw < 0 ? (short ?? 100) : long) }
}
