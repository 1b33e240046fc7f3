// The position is kept in a local while reading: through `self` every byte would be a store and a load.
extension ByteReader {
  /// A whole number with an optional minus sign.
  @inlinable
  public mutating func integer() throws(TextError) -> Int64 {
    var p = at
    let negative = p < end && p.pointee == 45
    if negative { p += 1 }
    let first = p
    var v: UInt64 = 0
    var overflow = false
    while p < end, p.pointee &- 48 < 10 {
      let digit = UInt64(p.pointee &- 48)
      let (tens, o) = v.multipliedReportingOverflow(by: 10)
      let (sum, o2) = tens.addingReportingOverflow(digit)
      overflow = overflow || o || o2
      v = sum
      p += 1
    }
    if p == first { throw fail(.unexpected) }
    if overflow || v > UInt64(Int64.max) + (negative ? 1 : 0) { throw fail(.outOfRange) }
    at = p
    return negative ? Int64(truncatingIfNeeded: 0 &- v) : Int64(v)
  }

  /// A decimal number in billionths, exact or an error; `decimals` becomes the count of decimals it was written with, at most 9.
  ///
  /// Takes what JSON takes (RFC 8259, section 6): a minus sign, digits, a point with digits, an exponent; leading zeros as well. More
  /// than 400 digits are out of range whatever they say.
  @inlinable
  public mutating func fixedPoint(decimals: inout UInt8) throws(TextError) -> Int64 {
    var p = at
    let negative = p < end && p.pointee == 45
    if negative { p += 1 }
    let first = p
    var v: UInt64 = 0
    while p < end, p.pointee &- 48 < 10 {
      v = v &* 10 &+ UInt64(p.pointee &- 48)
      p += 1
    }
    var digits = p - first
    var places = 0
    if digits == 0 { throw TextError(.unexpected, at: p - start) }
    if p < end, p.pointee == 46 {
      p += 1
      let point = p
      while p < end, p.pointee &- 48 < 10 {
        v = v &* 10 &+ UInt64(p.pointee &- 48)
        p += 1
      }
      places = p - point
      if places == 0 { throw TextError(.unexpected, at: p - start) }
      digits &+= places
    }
    // Eighteen digits cannot have overflowed; longer ones and exponents are rare enough to be read again, slowly.
    if digits > 18 || places > 9 || (p < end && p.pointee | 0x20 == 101) { return try longFixedPoint(decimals: &decimals) }
    let (scaled, overflow) = v.multipliedReportingOverflow(by: Digits.power(9 &- places))
    if overflow || scaled > UInt64(Int64.max) { throw fail(.outOfRange) }
    at = p
    decimals = UInt8(truncatingIfNeeded: places)
    return negative ? 0 &- Int64(scaled) : Int64(scaled)
  }

  /// The general form: any number of digits, leading and trailing zeros, an exponent.
  @usableFromInline @inline(never)
  mutating func longFixedPoint(decimals: inout UInt8) throws(TextError) -> Int64 {
    var p = at
    let negative = p.pointee == 45
    if negative { p += 1 }
    var digits: [UInt8] = []  // without leading zeros
    var places = 0
    var seenPoint = false
    while p < end {
      if p.pointee == 46, !seenPoint {
        seenPoint = true
      } else if p.pointee &- 48 < 10 {
        if seenPoint { places += 1 }
        if !digits.isEmpty || p.pointee != 48 { digits.append(p.pointee &- 48) }
        if digits.count > 400 || places > 400 { throw fail(.outOfRange) }
      } else {
        break
      }
      p += 1
    }
    let written = places
    if p < end, p.pointee | 0x20 == 101 {
      p += 1
      let minus = p < end && p.pointee == 45
      if p < end, p.pointee == 45 || p.pointee == 43 { p += 1 }
      let first = p
      var exponent = 0
      while p < end, p.pointee &- 48 < 10 {
        exponent = min(exponent * 10 + Int(p.pointee &- 48), 10_000)
        p += 1
      }
      if p == first { throw TextError(.unexpected, at: p - start) }
      places -= minus ? -exponent : exponent
    }
    while let last = digits.last, last == 0 {
      digits.removeLast()
      places -= 1
    }
    if digits.isEmpty { places = 0 }
    if places > 9 { throw fail(.tooManyDecimals) }
    var v: UInt64 = 0
    for digit in digits {
      let (tens, o) = v.multipliedReportingOverflow(by: 10)
      let (sum, o2) = tens.addingReportingOverflow(UInt64(digit))
      if o || o2 { throw fail(.outOfRange) }
      v = sum
    }
    while v != 0, places < 9 {
      let (tens, overflow) = v.multipliedReportingOverflow(by: 10)
      if overflow { throw fail(.outOfRange) }
      v = tens
      places += 1
    }
    if v > UInt64(Int64.max) + (negative ? 1 : 0) { throw fail(.outOfRange) }
    at = p
    decimals = UInt8(min(9, written))
    return negative ? Int64(truncatingIfNeeded: 0 &- v) : Int64(v)
  }

  /// Exactly `width` digits.
  mutating func digits(_ width: Int) throws(TextError) -> Int {
    var v = 0
    for _ in 0..<width {
      guard at < end, at.pointee &- 48 < 10 else { throw fail(.badTime) }
      v = v * 10 + Int(at.pointee &- 48)
      at += 1
    }
    return v
  }

  /// A date `2013-10-08`.
  public mutating func date() throws(TextError) -> CivilDate {
    let begin = at
    let year = try digits(4)
    try separator(45)
    let month = try digits(2)
    try separator(45)
    let day = try digits(2)
    guard let date = CivilDate(year: year, month: month, day: day) else { throw TextError(.badTime, at: begin - start) }
    return date
  }

  private mutating func separator(_ byte: UInt8) throws(TextError) {
    if at < end, at.pointee == byte { at += 1 } else { throw fail(.badTime) }
  }

  /// A time in ISO-8601 (RFC 3339): `2013-10-08T13:30:00.012Z`, a blank for the `T`, `+02:00` for the `Z`, up to nine decimals.
  ///
  /// `zone` is added where the text has none (seconds east of Greenwich); without it a zone is required.
  public mutating func iso8601(zone: Int? = nil) throws(TextError) -> Timestamp {
    let begin = at
    let date = try date()
    guard peek == 84 || peek == 116 || peek == 32 else { throw fail(.badTime) }
    at += 1
    let hour = try digits(2)
    try separator(58)
    let minute = try digits(2)
    var second = 0
    if peek == 58 {
      at += 1
      second = try digits(2)
    } else if peek == 46 || peek == 44 {
      throw fail(.badTime)  // a part of a minute, which ISO-8601 allows and nobody writes: never to be taken for one of a second
    }
    guard hour < 24, minute < 60, second < 60 else { throw TextError(.badTime, at: begin - start) }
    var fraction = 0
    if peek == 46 || peek == 44 {
      at += 1
      var width = 0
      while at < end, at.pointee &- 48 < 10 {
        guard width < 9 || at.pointee == 48 else { throw fail(.tooManyDecimals) }
        if width < 9 {
          fraction = fraction * 10 + Int(at.pointee &- 48)
          width += 1
        }
        at += 1
      }
      if width == 0 { throw fail(.badTime) }
      while width < 9 {
        fraction *= 10
        width += 1
      }
    }
    let offset = try zoneOffset(default: zone)
    let seconds = date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second - offset
    // Before the epoch the fraction is taken off the next second: the earliest second begins before the earliest time.
    let borrow = seconds < 0 && fraction > 0
    let (ns, overflow) = Int64(borrow ? seconds + 1 : seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow2) = ns.addingReportingOverflow(Int64(borrow ? fraction - 1_000_000_000 : fraction))
    if overflow || overflow2 { throw TextError(.outOfRange, at: begin - start) }
    return Timestamp(ns: sum)
  }

  /// `Z`, `+02:00`, `-0530`, `+02`: seconds east of Greenwich.
  private mutating func zoneOffset(default zone: Int?) throws(TextError) -> Int {
    switch peek {
    case 90, 122:
      at += 1
      return 0
    case 43, 45:
      let sign = peek == 45 ? -1 : 1
      at += 1
      let hours = try digits(2)
      var minutes = 0
      if peek == 58 {
        at += 1
        minutes = try digits(2)
      } else if at < end, at.pointee &- 48 < 10 {
        minutes = try digits(2)
      }
      guard hours <= 23, minutes < 60 else { throw fail(.badTime) }
      return sign * (hours * 3600 + minutes * 60)
    default:
      guard let zone else { throw fail(.badTime) }
      return zone
    }
  }
}
