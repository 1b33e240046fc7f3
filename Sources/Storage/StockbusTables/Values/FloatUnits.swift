/// Exact decimals from floating point numbers, as other programs store prices.
enum FloatUnits {
  /// The units of 1e-9 of the shortest decimal number that stands for `value`; nil if it has more than nine decimals or is out of range.
  static func units(_ value: Double) -> Int64? {
    // A decimal of at most 15 digits is the shortest that gives its double, if it does: a division of whole numbers below 2^53 is rounded once.
    for (power, rest) in steps {
      let scaled = (value * power).rounded()
      if scaled.magnitude >= 1e15 { break }
      if scaled / power == value {
        let (units, overflow) = Int64(scaled).multipliedReportingOverflow(by: rest)
        return overflow ? nil : units
      }
    }
    return value.isFinite ? units(text: value.description) : nil
  }

  static func units(_ value: Float) -> Int64? { value.isFinite ? units(text: value.description) : nil }

  private static let steps: [(Double, Int64)] = [
    (1, 1_000_000_000), (1e2, 10_000_000), (1e4, 100_000), (1e6, 1_000), (1e9, 1),
  ]

  /// Reads `-12.5e-3` digit by digit.
  private static func units(text: String) -> Int64? {
    var (digits, decimals, exponent, isNegative) = (UInt64(0), 0, 0, false)
    var (isBehindPoint, inExponent, exponentIsNegative) = (false, false, false)
    for byte in text.utf8 {
      switch byte {
      case 45: if inExponent { exponentIsNegative = true } else { isNegative = true }
      case 43: continue
      case 46: isBehindPoint = true
      case 101: inExponent = true
      case 48...57 where inExponent: exponent = min(1000, exponent * 10 + Int(byte - 48))
      case 48...57:
        // The shortest text has at most 17 digits that count; the zeros behind them are of large numbers.
        guard digits < UInt64.max / 10 - 9 else { return nil }
        digits = digits * 10 + UInt64(byte - 48)
        if isBehindPoint { decimals += 1 }
      default: return nil
      }
    }
    if digits == 0 { return 0 }
    var shift = 9 - decimals + (exponentIsNegative ? -exponent : exponent)
    while shift < 0 {
      if digits % 10 != 0 { return nil }
      digits /= 10
      shift += 1
    }
    guard shift <= 18 else { return nil }
    let (units, overflow) = digits.multipliedReportingOverflow(by: UInt64(TenPower[shift]))
    if overflow { return nil }
    if isNegative { return units <= UInt64(Int64.max) + 1 ? Int64(truncatingIfNeeded: 0 &- units) : nil }
    return Int64(exactly: units)
  }
}
