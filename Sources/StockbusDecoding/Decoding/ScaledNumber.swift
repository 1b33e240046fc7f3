internal import MarketData

/// Numbers that a venue writes as multiples of a small unit, such as 13830000 for a price of 1383 with a scale of 10,000.
enum ScaledNumber {
  /// A decimal number divided by `scale`, in billionths; exact, or an error. Sets `decimals` to the number of decimals it was written with,
  /// at most 9. Accepts the same texts as `fixedPoint`.
  @inline(never)
  static func read(_ reader: inout ByteReader, _ scale: UInt64, decimals: inout UInt8) throws(TextError) -> Int64 {
    let isNegative = reader.peek == 45
    if isNegative { try reader.skip(45) }
    var mantissa: UInt128 = 0
    var places = 0
    var written = 0
    var digits = 0
    var zeros = 0
    var hasPoint = false
    while true {
      if reader.peek == 46, !hasPoint, digits > 0 {
        hasPoint = true
        try reader.skip(46)
        guard reader.peek &- 48 < 10 else { throw TextError(.unexpected, at: reader.offset) }
        continue
      }
      guard reader.peek &- 48 < 10 else { break }
      digits += 1
      if hasPoint { written += 1 }
      // Zeros count only if another digit follows.
      if reader.peek == 48 {
        zeros += 1
        if !hasPoint { places -= 1 }
      } else {
        for _ in 0..<(mantissa == 0 ? 0 : zeros) { mantissa = try tenfold(mantissa) }
        mantissa = try tenfold(mantissa) + UInt128(reader.peek - 48)
        zeros = 0
        places = written
      }
      try reader.skip(reader.peek)
    }
    if digits == 0 { throw TextError(.unexpected, at: reader.offset) }
    if reader.peek | 0x20 == 101 {
      try reader.skip(reader.peek)
      if reader.peek == 43 {
        try reader.skip(43)
        guard reader.peek &- 48 < 10 else { throw TextError(.unexpected, at: reader.offset) }
      }
      let exponent = try reader.integer()
      places -= Int(max(-1000, min(1000, exponent)))
    }
    decimals = UInt8(min(9, written))
    return try quotient(mantissa, places, scale, isNegative)
  }

  /// `mantissa` × 10^(9 - `places`) / `scale`.
  private static func quotient(_ mantissa: UInt128, _ places: Int, _ scale: UInt64, _ isNegative: Bool) throws(TextError) -> Int64 {
    if mantissa == 0 { return 0 }
    var (value, divisor) = (mantissa, UInt128(scale))
    guard abs(places) <= 60 else { throw TextError(places > 0 ? .tooManyDecimals : .outOfRange, at: 0) }
    for _ in 0..<max(0, 9 - places) {
      // A factor of ten in the divisor cancels a multiplication by ten.
      if divisor % 10 == 0 { divisor /= 10 } else { value = try tenfold(value) }
    }
    for _ in 0..<max(0, places - 9) {
      guard value % 10 == 0 else { throw TextError(.tooManyDecimals, at: 0) }
      value /= 10
    }
    guard value % divisor == 0 else { throw TextError(.tooManyDecimals, at: 0) }
    guard let raw = Int64(exactly: value / divisor) else { throw TextError(.outOfRange, at: 0) }
    return isNegative ? -raw : raw
  }

  private static func tenfold(_ value: UInt128) throws(TextError) -> UInt128 {
    let (product, overflow) = value.multipliedReportingOverflow(by: 10)
    if overflow || product > .max - 9 { throw TextError(.outOfRange, at: 0) }
    return product
  }
}
