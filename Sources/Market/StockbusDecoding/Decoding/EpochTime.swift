internal import MarketData

/// Times that are numbers since the epoch.
package enum EpochTime {
  /// The unit, as configurations name it, in which a number is a time from 1990 to 2100; nil if there is none, or if it is `unit`, in
  /// nanoseconds. In seconds, milliseconds, microseconds and nanoseconds these years have numbers that do not overlap.
  package static func unit(meantBy text: String, insteadOf unit: UInt64) -> String? {
    guard unit > 0, let number = Double(text) else { return nil }
    let units: [(name: String, nanoseconds: UInt64)] = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000), ("ns", 1)]
    let seconds = 631_152_000.0..<4_102_444_800.0
    return units.first { $0.nanoseconds != unit && seconds.contains(number / 1e9 * Double($0.nanoseconds)) }?.name
  }

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
