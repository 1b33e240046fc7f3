package import MarketData

/// The development of an account's states: the largest loss from a peak, and the exposure.
package struct EquityCurve: Hashable, Sendable {
  /// A fall from a peak of the equity.
  package struct Drawdown: Hashable, Sendable {
    package var amount: Amount
    /// The fall in per cent of the peak, rounded half to even; nil if the peak was not above zero, or the result is out of range.
    package var percent: Percent?
    package var peak: Timestamp
    package var lowest: Timestamp
  }

  package private(set) var first: Amount?
  package private(set) var last: Amount?
  /// The largest fall as an amount; nil if the equity never fell.
  package private(set) var deepest: Drawdown?
  /// The largest fall in per cent, compared exactly.
  package private(set) var steepest: Drawdown?
  package private(set) var maximumExposure = Amount.zero
  private var peak = Amount.zero
  private var peakTime = Timestamp(ns: 0)
  private var steepestPeak = Amount.zero
  private var start = Timestamp(ns: 0)
  private var end = Timestamp(ns: 0)
  private var exposure = Amount.zero
  /// Nanoseconds with a position.
  private var inMarket: UInt64 = 0

  package init() {}

  /// Takes the account's next state. A state from before the last one counts at the time of the last one.
  package mutating func take(_ state: AccountState) {
    let time = max(state.received, end)
    if first == nil {
      first = state.equity
      (start, end) = (state.received, state.received)
      (peak, peakTime) = (state.equity, state.received)
    } else {
      // The difference of two times fits into 64 unsigned bits.
      if exposure.raw > 0 { inMarket += UInt64(bitPattern: time.ns &- end.ns) }
      end = time
    }
    last = state.equity
    exposure = state.exposure
    maximumExposure = max(maximumExposure, state.exposure)
    if state.equity > peak { (peak, peakTime) = (state.equity, time) }
    let fall = peak.subtractingClamped(state.equity)
    if fall.raw <= 0 { return }
    let drawdown = Drawdown(amount: fall, percent: Exact.percent(fall, of: peak), peak: peakTime, lowest: time)
    if fall > deepest?.amount ?? .zero { deepest = drawdown }
    if peak.raw > 0, steepest.map({ Exact.isMore(fall, of: peak, than: $0.amount, of: steepestPeak) }) ?? true {
      (steepest, steepestPeak) = (drawdown, peak)
    }
  }

  /// The share of time with a position, rounded half to even; nil if no time has passed.
  package var timeInMarket: Percent? { Exact.percent(Amount(raw: Int128(inMarket)), of: Amount(raw: Int128(span))) }

  private var span: UInt64 { UInt64(bitPattern: end.ns &- start.ns) }
}

/// Quotients of amounts.
enum Exact {
  /// `part / whole` in per cent, rounded to a billionth, half to even; nil if the whole is not above zero or the result is out of range.
  static func percent(_ part: Amount, of whole: Amount) -> Percent? {
    guard whole.raw > 0 else { return nil }
    let divisor = whole.raw.magnitude
    let product = part.raw.magnitude.multipliedFullWidth(by: 100_000_000_000)
    guard product.high < divisor else { return nil }
    let (quotient, rest) = divisor.dividingFullWidth((product.high, product.low))
    guard let raw = Int64(exactly: nearest(quotient, rest, divisor)) else { return nil }
    return Percent(raw: part.raw < 0 ? -raw : raw)
  }

  /// True if `a / b > c / d`; `b` and `d` are above zero, `a` and `c` not below.
  static func isMore(_ a: Amount, of b: Amount, than c: Amount, of d: Amount) -> Bool {
    let left = a.raw.magnitude.multipliedFullWidth(by: d.raw.magnitude)
    let right = c.raw.magnitude.multipliedFullWidth(by: b.raw.magnitude)
    return left.high != right.high ? left.high > right.high : left.low > right.low
  }

  static func nearest(_ quotient: UInt128, _ rest: UInt128, _ divisor: UInt128) -> UInt128 {
    // Twice the remainder may need one more bit than there is.
    let other = divisor - rest
    return rest > other || (rest == other && quotient % 2 == 1) ? quotient + 1 : quotient
  }
}
