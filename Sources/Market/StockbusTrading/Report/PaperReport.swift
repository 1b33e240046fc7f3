package import MarketData

/// What an account has done: its trades, what they brought, and what was at stake.
///
/// Everything is exact but quotients, which are rounded once, half to even.
package struct PaperReport: Hashable, Sendable {
  package let account: Symbol
  /// In the order in which they were closed.
  package private(set) var trades: [RoundTrip] = []
  /// Those that are not closed, in the order in which they were opened.
  package private(set) var open: [RoundTrip] = []
  package private(set) var fills = 0
  /// Of all fills: the profit before fees, and the fees.
  package private(set) var realised = Amount.zero
  package private(set) var fees = Amount.zero
  package private(set) var wins = 0
  package private(set) var losses = 0
  /// The sums of what the trades won that won, and lost that lost, after fees; both above zero.
  package private(set) var won = Amount.zero
  package private(set) var lost = Amount.zero
  package private(set) var largestWin = Amount.zero
  package private(set) var largestLoss = Amount.zero
  package let equity: EquityCurve

  /// - Parameters:
  ///   - fills: all fills of the account, in order; those of other accounts are passed over.
  ///   - states: its states in order, of which those of other accounts are passed over too.
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

  /// What all fills brought, after fees.
  package var profit: Amount { realised.subtractingClamped(fees) }

  /// The part of the closed trades that won after fees; nil if there is none.
  package var winRate: Percent? { Exact.percent(Amount(raw: Int128(wins)), of: Amount(raw: Int128(trades.count))) }

  /// What a closed trade brought on average, after fees, rounded once; nil if there is none.
  package var averageTrade: Amount? { won.subtractingClamped(lost).scaled(by: 1, over: Int64(trades.count)) }

  /// What was won for each unit lost, as per cent: 250 if the wins are two and a half times the losses; nil if nothing was lost.
  package var profitFactor: Percent? { Exact.percent(won, of: lost) }
}
