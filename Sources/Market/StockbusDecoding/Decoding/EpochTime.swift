internal import MarketData

/// Times that are numbers since the epoch.
enum EpochTime {
  /// Reads a whole or decimal number of units of `unit` nanoseconds; exact, or an error. Zeros beyond the nanosecond are accepted.
  @inline(__always)
  static func read(_ reader: inout ByteReader, unit: UInt64) throws(TextError) -> Timestamp {
    let isNegative = reader.peek == 45
    let whole = try reader.integer()
    if reader.peek != 46 {
      let (ns, overflow) = whole.multipliedReportingOverflow(by: Int64(unit))
      if overflow { throw TextError(.outOfRange, at: 0) }
      return Timestamp(ns: ns)
    }
    return try fractional(whole, isNegative, &reader, unit)
  }

  @inline(never)
  private static func fractional(_ whole: Int64, _ isNegative: Bool, _ reader: inout ByteReader, _ unit: UInt64) throws(TextError)
    -> Timestamp
  {
    try reader.skip(46)
    var place = unit
    var part: UInt64 = 0
    var digits = 0
    while reader.peek &- 48 < 10 {
      let digit = UInt64(reader.peek - 48)
      place /= 10
      if place == 0, digit != 0 { throw TextError(.tooManyDecimals, at: reader.offset) }
      part += digit * place
      digits += 1
      try reader.skip(reader.peek)
    }
    if digits == 0 { throw TextError(.badTime, at: reader.offset) }
    let (ns, overflow) = whole.multipliedReportingOverflow(by: Int64(unit))
    let (sum, overflow2) = isNegative ? ns.subtractingReportingOverflow(Int64(part)) : ns.addingReportingOverflow(Int64(part))
    if overflow || overflow2 { throw TextError(.outOfRange, at: 0) }
    return Timestamp(ns: sum)
  }
}
