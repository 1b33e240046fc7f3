package import MarketData

extension Amount {
  /// This amount times `part` over `whole`, rounded once to the unit of an amount, half to even.
  ///
  /// The product has up to 191 bits, and all of them are kept until the rounding. Nil if `whole` is zero or the result is out of range.
  package func scaled(by part: Int64, over whole: Int64) -> Amount? {
    let divisor = whole.magnitude
    if divisor == 0 { return nil }
    let magnitude = raw.magnitude
    let low = UInt64(truncatingIfNeeded: magnitude).multipliedFullWidth(by: part.magnitude)
    let high = UInt64(truncatingIfNeeded: magnitude >> 64).multipliedFullWidth(by: part.magnitude)
    let (middle, carry) = high.low.addingReportingOverflow(low.high)
    // The upper word of the first product is at most 2^64 - 2, so the carry fits.
    let top = high.high &+ (carry ? 1 : 0)
    guard top < divisor else { return nil }
    let first = divisor.dividingFullWidth((top, middle))
    let second = divisor.dividingFullWidth((first.remainder, low.low))
    var quotient = UInt128(first.quotient) << 64 | UInt128(second.quotient)
    let half = divisor / 2
    // For an odd divisor no remainder is exactly one half.
    if second.remainder > half || (second.remainder == half && divisor % 2 == 0 && quotient % 2 == 1) {
      let (next, overflow) = quotient.addingReportingOverflow(1)
      if overflow { return nil }
      quotient = next
    }
    guard quotient <= UInt128(Int128.max) else { return nil }
    let isNegative = (raw < 0) != ((part < 0) != (whole < 0))
    return Amount(raw: isNegative ? -Int128(quotient) : Int128(quotient))
  }

  /// `percent` per cent of the amount, rounded once, half to even.
  package func share(_ percent: Percent) -> Amount? { scaled(by: percent.raw, over: 100_000_000_000) }

  /// The cost of `quantity` contracts of `multiplier` units at `price`; exact for a whole multiplier, else rounded once, half to even.
  @inline(__always)
  package static func value(_ price: Price, _ quantity: Quantity, _ multiplier: Quantity) -> Amount? {
    let product = Amount(price, times: quantity)
    return multiplier.raw == 1_000_000_000 ? product : product.scaled(by: multiplier.raw, over: 1_000_000_000)
  }

  /// Rounded to `decimals` decimals, half to even; nil if it is out of range.
  package func rounded(decimals: UInt8) -> Amount? {
    if decimals >= 18 { return self }
    var unit: UInt128 = 1
    for _ in decimals..<18 { unit *= 10 }
    let (whole, rest) = raw.magnitude.quotientAndRemainder(dividingBy: unit)
    let isMore = rest > unit / 2 || (rest == unit / 2 && whole % 2 == 1)
    let (magnitude, overflow) = (whole + (isMore ? 1 : 0)).multipliedReportingOverflow(by: unit)
    guard !overflow, magnitude <= UInt128(Int128.max) else { return nil }
    return Amount(raw: raw < 0 ? -Int128(magnitude) : Int128(magnitude))
  }

  /// The sum, or the limit of the range that it exceeds: for valuations that are shown, never for bookings.
  @inline(__always)
  package func addingClamped(_ other: Amount) -> Amount { adding(other) ?? Amount(raw: raw < 0 ? .min + 1 : .max) }

  /// The difference, or the limit of the range that it exceeds.
  @inline(__always)
  package func subtractingClamped(_ other: Amount) -> Amount { subtracting(other) ?? Amount(raw: raw < 0 ? .min + 1 : .max) }

  package var magnitude: Amount { raw < 0 ? Amount(raw: raw == .min ? .max : -raw) : self }
}
