/// The exact product of a price and a quantity, or a sum of such products: a 128-bit number of 1e-18 units of the currency.
///
/// The range is about ±1.7e20. Sums that may leave it are checked: `adding` and `subtracting` return nil.
public struct Amount: BitwiseCopyable, Hashable, Comparable, Sendable {
  /// Billionths of billionths of one unit of the currency.
  public var raw: Int128

  @inlinable public init(raw: Int128) { self.raw = raw }

  /// What `quantity` units cost at `price`; it always fits.
  @inlinable @inline(__always)
  public init(_ price: Price, times quantity: Quantity) {
    let product = price.raw.multipliedFullWidth(by: quantity.raw)
    raw = Int128(truncatingIfNeeded: product.high) << 64 | Int128(truncatingIfNeeded: product.low)
  }

  /// An amount of whole and fractional units in the unit of `Price`.
  @inlinable public init(_ price: Price) { raw = Int128(price.raw) * 1_000_000_000 }

  public static var zero: Amount { Amount(raw: 0) }

  @inlinable public static func < (a: Amount, b: Amount) -> Bool { a.raw < b.raw }

  /// The sum; nil if it is out of range.
  @inlinable @inline(__always)
  public func adding(_ other: Amount) -> Amount? {
    let (sum, overflow) = raw.addingReportingOverflow(other.raw)
    return overflow ? nil : Amount(raw: sum)
  }

  /// The difference; nil if it is out of range.
  @inlinable @inline(__always)
  public func subtracting(_ other: Amount) -> Amount? {
    let (difference, overflow) = raw.subtractingReportingOverflow(other.raw)
    return overflow ? nil : Amount(raw: difference)
  }

  /// The price of one unit if `quantity` units cost this amount: the quotient rounded once to billionths, half to even. Nil if the quantity
  /// is zero or the price is out of range.
  public func divided(by quantity: Quantity) -> Price? {
    if quantity.raw == 0 { return nil }
    let divisor = quantity.raw.magnitude
    // 10^-18 divided by 10^-9 is 10^-9, the unit of a price.
    guard var quotient = UInt64(exactly: raw.magnitude / UInt128(divisor)) else { return nil }
    // Not by a second division of 128 bits. The remainder is below the divisor, so its low half is all of it.
    let rounding = UInt64(truncatingIfNeeded: raw.magnitude) &- quotient &* divisor
    let half = divisor / 2
    // For an odd divisor no remainder is exactly one half.
    let isMore = rounding > half || (rounding == half && divisor % 2 == 0 && quotient % 2 == 1)
    if isMore {
      let (next, overflow) = quotient.addingReportingOverflow(1)
      if overflow { return nil }
      quotient = next
    }
    let isNegative = (raw < 0) != (quantity.raw < 0)
    if isNegative { return quotient <= UInt64(Int64.max) + 1 ? Price(raw: Int64(truncatingIfNeeded: 0 &- quotient)) : nil }
    return Int64(exactly: quotient).map { Price(raw: $0) }
  }

  /// Rounded to the unit of a price, half to even; nil if it is out of range.
  public var price: Price? { divided(by: 1) }
}

extension Amount: CustomStringConvertible, ExpressibleByIntegerLiteral {
  /// A whole number of units; always in range.
  @inlinable public init(integerLiteral value: Int64) { raw = Int128(value) * 1_000_000_000_000_000_000 }

  /// With as many decimals as it needs: `189.25`.
  public var description: String {
    var out = ByteWriter(capacity: 64)
    out.put(amount: self)
    return out.string
  }

  /// The amount that `text` represents, exactly: digits with at most 18 decimals, no exponent. Nothing may precede or follow it.
  public init(_ text: String) throws(TextError) {
    var text = text
    let result: Result<Amount, TextError> = text.withUTF8 { bytes in
      var reader = ByteReader(bytes)
      do throws(TextError) {
        let amount = try reader.amount()
        try reader.expectEnd()
        return .success(amount)
      } catch { return .failure(error) }
    }
    self = try result.get()
  }
}

extension ByteWriter {
  /// An amount with as many decimals as it needs; reserve 42.
  public mutating func put(amount: Amount) {
    if amount.raw < 0 { put(45) }
    let (whole, rest) = amount.raw.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
    // At most 1.7e20, so the digits beyond 10^18 are at most 170.
    let (high, low) = whole.quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
    if high > 0 {
      put(digits: UInt64(high))
      put(digits: Int(low), width: 18)
    } else {
      put(digits: UInt64(low))
    }
    if rest == 0 { return }
    put(46)
    put(digits: Int(rest), width: 18)
    while withBytes({ $0[$0.count - 1] }) == 48 { count -= 1 }
  }
}

extension ByteReader {
  /// An amount, exact or an error: a minus sign, digits, a point with at most 18 decimals.
  public mutating func amount() throws(TextError) -> Amount {
    var p = at
    let negative = p < end && p.pointee == 45
    if negative { p += 1 }
    var magnitude: UInt128 = 0
    var overflow = false
    var places = -1
    let first = p
    while p < end {
      if p.pointee == 46, places < 0, p > first {
        places = 0
      } else if p.pointee &- 48 < 10 {
        if places == 18 { throw fail(.tooManyDecimals) }
        let (tens, o) = magnitude.multipliedReportingOverflow(by: 10)
        let (sum, o2) = tens.addingReportingOverflow(UInt128(p.pointee &- 48))
        overflow = overflow || o || o2
        magnitude = sum
        if places >= 0 { places += 1 }
      } else {
        break
      }
      p += 1
    }
    if p == first || places == 0 { throw TextError(.unexpected, at: p - start) }
    for _ in max(0, places)..<18 {
      let (tens, o) = magnitude.multipliedReportingOverflow(by: 10)
      overflow = overflow || o
      magnitude = tens
    }
    if overflow || magnitude > UInt128(Int128.max) { throw fail(.outOfRange) }
    at = p
    return Amount(raw: negative ? -Int128(magnitude) : Int128(magnitude))
  }
}
