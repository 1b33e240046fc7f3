/// Arithmetic on 128-bit numbers of billionths: exact where it can be, rounded half away from zero to a billionth where it cannot, and nil
/// where there is no result: beyond the range, or divided by zero.
///
/// Two fields of 64 bits can be added, subtracted and multiplied without ever leaving the range.
enum Wide {
  @inline(__always)
  static func sum(_ a: Int128, _ b: Int128) -> Int128? {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? nil : sum
  }

  @inline(__always)
  static func difference(_ a: Int128, _ b: Int128) -> Int128? {
    let (difference, overflow) = a.subtractingReportingOverflow(b)
    return overflow ? nil : difference
  }

  @inline(__always)
  static func negated(_ a: Int128) -> Int128? { difference(0, a) }

  /// `a` times `b`, divided by `per`. The undivided product must fit too.
  @inline(__always)
  static func product(_ a: Int128, _ b: Int128, per: Term.Scale) -> Int128? {
    if per == .billion, let a = Int64(exactly: a), let b = Int64(exactly: b) { return product(a, b) }
    return slowProduct(a, b, per: per)
  }

  /// The common case, without a division by 128 bits: the divisor has 30 bits, so that long division in digits of 32 bits is a few
  /// multiplications.
  @inline(__always)
  private static func product(_ a: Int64, _ b: Int64) -> Int128 {
    let product = a.magnitude.multipliedFullWidth(by: b.magnitude)
    let divisor: UInt64 = 1_000_000_000
    let top = product.high / divisor
    let third = (product.high % divisor) << 32 | product.low >> 32
    let last = (third % divisor) << 32 | product.low & 0xffff_ffff
    // Each digit is below 2^32, because the remainder before it is below the divisor.
    let low = (third / divisor) << 32 | last / divisor
    let rounds = (last % divisor) * 2 >= divisor
    let magnitude = (UInt128(top) << 64 | UInt128(low)) &+ (rounds ? 1 : 0)
    return (a < 0) != (b < 0) ? 0 &- Int128(truncatingIfNeeded: magnitude) : Int128(truncatingIfNeeded: magnitude)
  }

  @inline(never)
  private static func slowProduct(_ a: Int128, _ b: Int128, per: Term.Scale) -> Int128? {
    let (product, overflow) = a.multipliedReportingOverflow(by: b)
    if overflow { return nil }
    return rounded(product.magnitude, UInt128(per.rawValue), isNegative: product < 0)
  }

  /// `a` times `per`, divided by `b`. The product must fit too.
  @inline(never)
  static func quotient(_ a: Int128, _ b: Int128, per: Term.Scale) -> Int128? {
    if b == 0 { return nil }
    let (product, overflow) = a.multipliedReportingOverflow(by: Int128(per.rawValue))
    if overflow { return nil }
    return rounded(product.magnitude, b.magnitude, isNegative: (product < 0) != (b < 0))
  }

  private static func rounded(_ a: UInt128, _ b: UInt128, isNegative: Bool) -> Int128? {
    let (quotient, rest) = a.quotientAndRemainder(dividingBy: b)
    let magnitude = quotient + (rest >= b - rest && rest > 0 ? 1 : 0)
    if magnitude > UInt128(Int128.max) { return nil }
    return isNegative ? -Int128(magnitude) : Int128(magnitude)
  }
}
