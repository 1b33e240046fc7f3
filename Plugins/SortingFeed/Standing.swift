internal import StockbusPlugin

/// The data of a symbol that an update needs: 32 bytes, two to a cache line.
struct Standing: BitwiseCopyable, Codable {
  var reference: Reference
  var sizeDecimals: UInt8 = 0
  /// The decimals of the symbol's first price.
  var priceDecimals: UInt8 = 0
  var volume: Int64 = 0
}

/// Written as the price.
extension Reference: Codable {
  init(from decoder: any Decoder) throws { self.init(try Price(from: decoder)) }
  func encode(to encoder: any Encoder) throws { try price.encode(to: encoder) }
}

/// A symbol's first price, prepared so that the change since then costs one short multiplication and one short division.
struct Reference: BitwiseCopyable {
  let price: Price
  /// A difference in price times `numerator / denominator` is the per cent. The fraction is in lowest terms: most prices have few decimals,
  /// and then it fits. It is exact, so rounding this quotient gives the same as rounding the full one. The denominator is zero if the
  /// fraction does not fit, and if the price is zero.
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

  /// The difference of `now` and the reference, saturating, and the same in per cent: to nine decimals, rounded towards zero; zero if the
  /// reference is zero or the result does not fit.
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
