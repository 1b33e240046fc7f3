/// How a number with more decimals than fit is read.
package enum FinerNumbers: Sendable {
  /// The number is an error.
  case reject
  /// Digits beyond a billionth are cut off.
  case cut
  /// The number is rounded to the nearest billionth, half away from zero.
  case round
}

extension ByteReader {
  /// A decimal number divided by `scale`, in billionths, of any length: the general form of `fixedPoint`, which accepts the same texts.
  ///
  /// A number that is finer is treated as `finer` says, and sets `isFiner`. Sets `decimals` to the number of decimals it was written with,
  /// at most 9. Throws `outOfRange`, and `tooManyDecimals` where finer numbers are errors.
  @inline(never)
  package mutating func scaled(
    by scale: UInt64, finer: FinerNumbers = .reject, decimals: inout UInt8, isFiner: inout Bool
  ) throws(TextError) -> Int64 {
    let isNegative = peek == 45
    if isNegative { try skip(45) }
    var number = LongDecimal()
    var digits = 0
    var hasPoint = false
    while true {
      if peek == 46, !hasPoint, digits > 0 {
        hasPoint = true
        try skip(46)
        guard peek &- 48 < 10 else { throw TextError(.unexpected, at: offset) }
      }
      guard peek &- 48 < 10 else { break }
      digits += 1
      number.add(peek - 48, isDecimal: hasPoint)
      try skip(peek)
    }
    if digits == 0 { throw TextError(.unexpected, at: offset) }
    decimals = UInt8(min(9, number.written))
    if peek | 0x20 == 101 {
      try skip(peek)
      if peek == 43 {
        try skip(43)
        guard peek &- 48 < 10 else { throw TextError(.unexpected, at: offset) }
      }
      var isSmall = false
      var exponent = 0
      if peek == 45 {
        isSmall = true
        try skip(45)
      }
      let first = offset
      while peek &- 48 < 10 {
        exponent = min(exponent * 10 + Int(peek - 48), 10_000)
        try skip(peek)
      }
      if offset == first { throw TextError(.unexpected, at: offset) }
      number.places -= isSmall ? -exponent : exponent
    }
    let (magnitude, isInexact) = try number.billionths(scale, finer)
    if isInexact {
      isFiner = true
      decimals = 9
    }
    return isNegative ? -magnitude : magnitude
  }
}

/// The first 37 digits of a number, where its point is, and whether others follow.
private struct LongDecimal {
  private var mantissa: UInt128 = 0
  /// The value is `mantissa` × 10^-`places`.
  var places = 0
  /// The number of decimals in the text.
  private(set) var written = 0
  private var isLonger = false
  private static let limit: UInt128 = 1_000_000_000_000_000_000_000_000_000_000_000_000

  mutating func add(_ digit: UInt8, isDecimal: Bool) {
    if isDecimal { written += 1 }
    if mantissa < Self.limit {
      mantissa = mantissa * 10 + UInt128(digit)
      if isDecimal { places += 1 }
    } else {
      if !isDecimal { places -= 1 }
      if digit != 0 { isLonger = true }
    }
  }

  /// `mantissa` × 10^(9 - `places`) / `scale`, and whether that is not exact.
  func billionths(_ scale: UInt64, _ finer: FinerNumbers) throws(TextError) -> (raw: Int64, isInexact: Bool) {
    if mantissa == 0 { return (0, false) }
    var (value, divisor) = (mantissa, UInt128(scale))
    var isInexact = isLonger
    if places < 9 {
      // Forty places are beyond the range of any number of billionths.
      guard places > -60 else { throw TextError(.outOfRange, at: 0) }
      for _ in 0..<(9 - places) {
        // A factor of ten in the divisor cancels a multiplication by ten.
        if divisor % 10 == 0 {
          divisor /= 10
        } else {
          let (product, isOver) = value.multipliedReportingOverflow(by: 10)
          if isOver { throw TextError(.outOfRange, at: 0) }
          value = product
        }
      }
    } else {
      // Of the digits that the divisor does not reach, only their presence matters.
      var left = min(places - 9, 100)
      while left > 28, value > 0 {
        if value % 10 != 0 { isInexact = true }
        value /= 10
        left -= 1
      }
      if value > 0 { for _ in 0..<left { divisor *= 10 } }
    }
    var (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
    isInexact = isInexact || rest != 0
    if finer == .round, rest >= divisor - rest { quotient += 1 }
    guard let raw = Int64(exactly: quotient) else { throw TextError(.outOfRange, at: 0) }
    if isInexact, finer == .reject { throw TextError(.tooManyDecimals, at: 0) }
    return (raw, isInexact)
  }
}
