internal import StockbusPlugin

/// What an update needs to know of its symbol: 32 bytes, two to a cache line.
struct Standing: BitwiseCopyable {
  let reference: Reference
  var sizeDecimals: UInt8 = 0
  var volume: Int64 = 0
}

/// A symbol's first price, prepared so that the change since then costs one short multiplication and one short division.
struct Reference: BitwiseCopyable {
  let price: Price
  /// A difference in price times `numerator / denominator` is the per cent. In lowest terms: most prices have few decimals, and then
  /// all of it fits. Both are exact, so rounding this quotient gives what rounding the full one does. The denominator is zero where it
  /// does not fit, and where the price is zero.
  private let numerator: Int64
  private let denominator: UInt32

  init(_ price: Price) {
    self.price = price
    let scale: UInt64 = 100 * 1_000_000_000
    var (common, rest) = (scale, price.raw.magnitude % scale)
    while rest != 0 { (common, rest) = (rest, common % rest) }
    numerator = Int64(scale / common) * price.raw.signum()
    denominator = UInt32(exactly: price.raw.magnitude / common) ?? 0
  }

  /// How far `now` is from the reference, saturating, and in per cent: to nine decimals, rounded towards zero; zero where the reference
  /// is zero or the result does not fit.
  @inline(__always)
  func change(to now: Price) -> (change: Price, percent: Percent) {
    let (difference, isFar) = now.raw.subtractingReportingOverflow(price.raw)
    let (product, isLong) = difference.multipliedReportingOverflow(by: numerator)
    if isFar || isLong || denominator == 0 { return longChange(to: now) }
    return (Price(raw: difference), Percent(raw: product / Int64(denominator)))
  }

  @inline(never)
  private func longChange(to now: Price) -> (change: Price, percent: Percent) {
    let (difference, isFar) = now.raw.subtractingReportingOverflow(price.raw)
    let change = isFar ? (now < price ? .min : .max) : difference
    return (Price(raw: change), Percent.change(from: price, to: now) ?? Percent(raw: 0))
  }
}
