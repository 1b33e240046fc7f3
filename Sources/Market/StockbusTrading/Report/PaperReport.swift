package import MarketData

/// The report on an account: its trades, their profits, and its exposure.
///
/// All figures are exact except quotients, which are rounded once, half to even.
package struct PaperReport: Hashable, Sendable {
  package let account: Symbol
  /// The closed trades, in the order of their closing.
  package private(set) var trades: [RoundTrip] = []
  /// The open trades, in the order of their opening.
  package private(set) var open: [RoundTrip] = []
  package private(set) var fills = 0
  /// The sums over all fills: the profit before fees, and the fees.
  package private(set) var realised = Amount.zero
  package private(set) var fees = Amount.zero
  package private(set) var wins = 0
  package private(set) var losses = 0
  /// The sums of the profits of winning trades and of the losses of losing ones, after fees; both at least zero.
  package private(set) var won = Amount.zero
  package private(set) var lost = Amount.zero
  package private(set) var largestWin = Amount.zero
  package private(set) var largestLoss = Amount.zero
  package let equity: EquityCurve

  /// - Parameters:
  ///   - fills: all fills of the account, in order; those of other accounts are ignored.
  ///   - states: its states in order, of which those of other accounts are also ignored.
  package init(of account: Symbol, fills: some Sequence<Fill>, states: some Sequence<AccountState>) {
    self.account = account
    var builder = RoundTripBuilder()
    for fill in fills where fill.account == account {
      self.fills += 1
      realised = realised.addingClamped(fill.realised)
      fees = fees.addingClamped(fill.fee)
      builder.take(fill)
    }
    var curve = EquityCurve()
    for state in states where state.account == account { curve.take(state) }
    equity = curve
    trades = builder.closed
    open = builder.stillOpen
    for trade in trades {
      let profit = trade.profit
      if profit.raw > 0 {
        wins += 1
        won = won.addingClamped(profit)
        largestWin = max(largestWin, profit)
      } else if profit.raw < 0 {
        losses += 1
        lost = lost.subtractingClamped(profit)
        largestLoss = max(largestLoss, profit.magnitude)
      }
    }
  }

  /// The profit of all fills, after fees.
  package var profit: Amount { realised.subtractingClamped(fees) }

  /// The share of closed trades with a profit after fees; nil if no trade is closed.
  package var winRate: Percent? { Exact.percent(Amount(raw: Int128(wins)), of: Amount(raw: Int128(trades.count))) }

  /// The average profit of a closed trade, after fees, rounded once; nil if no trade is closed.
  package var averageTrade: Amount? { won.subtractingClamped(lost).scaled(by: 1, over: Int64(trades.count)) }
}
