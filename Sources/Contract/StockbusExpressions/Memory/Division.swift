/// Division by a constant, rounded half away from zero: one multiplication, after Granlund and Montgomery, "Division by Invariant Integers
/// using Multiplication" (PLDI 1994). For dividends below 2^62 and divisors below 2^31.
struct Division: BitwiseCopyable {
  private let divisor: UInt64
  private let factor: UInt64
  private let shift: UInt64

  init(by number: Int) {
    // Half away from zero is (2 |a| + n) / 2 n, rounded down.
    let double = UInt128(number) * 2
    var bits = 0
    while UInt128(1) << bits < double { bits += 1 }
    divisor = UInt64(number)
    factor = UInt64(truncatingIfNeeded: ((UInt128(1) << (63 + bits)) + double - 1) / double)
    shift = UInt64(bits - 1)
  }

  @inline(__always)
  func callAsFunction(_ a: Int64) -> Int64 {
    let sign = a >> 63
    let dividend = (a.magnitude &* 2) &+ divisor
    let quotient = Int64(truncatingIfNeeded: dividend.multipliedFullWidth(by: factor).high &>> shift)
    return (quotient ^ sign) &- sign
  }
}
