internal import CMemoryBarrier

/// Results as 64-bit numbers, each rounded once.
enum Rounding {
  /// The nearest whole number; `Int64.min` if it is out of range or not a number.
  ///
  /// A sum with 1.5 times 2^52 has the whole number in its low bits, without the call or the checks of a conversion.
  @inline(__always)
  static func nearest(_ x: Double) -> Int64 {
    if x.magnitude < 0x1p51 {
      return Int64(bitPattern: (x + 0x1.8p52).bitPattern &- (0x1.8p52 as Double).bitPattern)
    }
    return far(x)
  }

  @inline(never)
  private static func far(_ x: Double) -> Int64 { x.magnitude < 0x1p63 ? Int64(x.rounded(.toNearestOrEven)) : .min }

  /// `a / b`, half away from zero; nil if `b` is not positive or the result is out of range.
  @inline(__always)
  static func quotient(_ a: Int128, _ b: Int128) -> Int64? {
    guard b > 0 else { return nil }
    // Half of the divisor more, instead of a look at the rest: which way it is rounded is random, so a branch on it would be mispredicted.
    let magnitude = a.magnitude &+ (b.magnitude >> 1)
    let (high, low) = (UInt64(truncatingIfNeeded: magnitude >> 64), UInt64(truncatingIfNeeded: magnitude))
    guard let divisor = UInt64(exactly: b), high < divisor else { return slowQuotient(a, b) }
    let quotient = stockbus_divide(high, low, divisor)
    guard let rounded = Int64(exactly: quotient) else { return nil }
    return a < 0 ? 0 &- rounded : rounded
  }

  @inline(never)
  private static func slowQuotient(_ a: Int128, _ b: Int128) -> Int64? {
    let quotient = (a.magnitude + b.magnitude >> 1) / b.magnitude
    guard let rounded = Int64(exactly: quotient) else { return nil }
    return a < 0 ? -rounded : rounded
  }

  /// The square root of `square` divided by `count`, half away from zero; nil if the square is out of range.
  static func root(_ square: UInt128, per count: Int) -> Int64? {
    guard square >> 120 == 0, count > 0 else { return nil }
    let n = UInt64(count)
    // The estimate has 53 bits; the result is the largest whose lower half step is not above the root.
    let root = UInt64(double(square).squareRoot() / Double(count))
    guard root < 1 << 46, n < 1 << 16 else { return slowRoot(square, n, root) }
    if !isAbove((2 &* root &+ 1) &* n, square) { return Int64(root &+ 1) }
    return Int64(root > 0 && isAbove((2 &* root &- 1) &* n, square) ? root &- 1 : root)
  }

  /// True if half of `halves` is above the root.
  @inline(__always)
  private static func isAbove(_ halves: UInt64, _ square: UInt128) -> Bool {
    let product = halves.multipliedFullWidth(by: halves)
    return UInt128(product.high) << 64 | UInt128(product.low) > square << 2
  }

  /// An estimate of more bits may miss by some units.
  @inline(never)
  private static func slowRoot(_ square: UInt128, _ n: UInt64, _ estimate: UInt64) -> Int64 {
    var root = UInt128(estimate)
    func isAbove(_ halves: UInt128) -> Bool { (halves * UInt128(n)) * (halves * UInt128(n)) > square << 2 }
    while !isAbove(2 * root + 1) { root += 1 }
    while root > 0, isAbove(2 * root - 1) { root -= 1 }
    return Int64(root)
  }

  static func double(_ a: UInt128) -> Double {
    Double(UInt64(truncatingIfNeeded: a >> 64)) * 0x1p64 + Double(UInt64(truncatingIfNeeded: a))
  }
}
