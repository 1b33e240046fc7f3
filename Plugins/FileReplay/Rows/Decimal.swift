internal import MarketData

/// A decimal number: `mantissa` × 10^-`places`, at most nineteen digits.
struct Decimal: Hashable, Sendable {
  var mantissa: UInt64 = 0
  var places: UInt8 = 0
  var isNegative = false
  /// True for more than nineteen digits or an exponent: the text has to be read by the general reader.
  var isLong = false

  /// The part before the point.
  var whole: UInt64 { places == 0 ? mantissa : mantissa / Digits.power(Int(places)) }

  /// The value divided by `scale`, in units of 1e-9; nil if that is not exact or does not fit.
  func billionths(scale: UInt64) -> Int64? {
    if scale == 1, places <= 9 {
      let (raw, overflow) = mantissa.multipliedReportingOverflow(by: Digits.power(9 &- Int(places)))
      return overflow ? nil : signed(raw)
    }
    return quotient(multiplier: 1_000_000_000, scale: scale)
  }

  /// The value in nanoseconds, with `unit` nanoseconds in one unit; nil if that is not whole or does not fit.
  func nanoseconds(unit: UInt64) -> Int64? {
    if places == 0 {
      let (raw, overflow) = mantissa.multipliedReportingOverflow(by: unit)
      return overflow ? nil : signed(raw)
    }
    return quotient(multiplier: unit, scale: 1)
  }

  /// `mantissa` × `multiplier` / (10^`places` × `scale`) if that is exact; otherwise nil.
  private func quotient(multiplier: UInt64, scale: UInt64) -> Int64? {
    let (divisor, overflow) = Digits.power(Int(places)).multipliedReportingOverflow(by: scale)
    let product = mantissa.multipliedFullWidth(by: multiplier)
    guard !overflow, divisor > product.high else { return nil }
    let (quotient, remainder) = divisor.dividingFullWidth(product)
    return remainder == 0 ? signed(quotient) : nil
  }

  private func signed(_ magnitude: UInt64) -> Int64? {
    // The largest number is left to the general functions, because it may stand for a value that is not defined.
    if magnitude >= UInt64(Int64.max) { return nil }
    return isNegative ? 0 &- Int64(truncatingIfNeeded: magnitude) : Int64(truncatingIfNeeded: magnitude)
  }
}

/// Which texts are numbers.
enum NumberGrammar {
  /// RFC 8259, section 6.
  case json
  /// Also with a plus sign, `.5` and `5.`, as written by spreadsheets and databases.
  case loose
}

extension Decimal {
  /// Reads the number at `p` and moves `p` past it; nil if there is none, with `p` at the first wrong byte.
  ///
  /// Unsafe: the byte after the number must be readable, as `LineReader` guarantees, and must not be a digit.
  static func scan(_ p: inout UnsafePointer<UInt8>, _ grammar: NumberGrammar) -> Decimal? {
    var number = Decimal()
    if p.pointee == 45 {
      number.isNegative = true
      p += 1
    } else if grammar == .loose, p.pointee == 43 {
      p += 1
    }
    let first = p
    var step = Digits.read(p, &number.mantissa)
    p += step
    while step == 8 {
      step = Digits.read(p, &number.mantissa)
      p += step
    }
    var digits = p - first
    if digits == 0, grammar == .json || p.pointee != 46 { return nil }
    if grammar == .json, digits > 1, first.pointee == 48 {
      p = first
      return nil
    }
    if p.pointee == 46 {
      p += 1
      let point = p
      repeat {
        step = Digits.read(p, &number.mantissa)
        p += step
      } while step == 8
      let places = p - point
      if places == 0, grammar == .json || digits == 0 { return nil }
      digits &+= places
      number.places = UInt8(truncatingIfNeeded: min(places, 255))
    }
    if digits > 19 || p.pointee | 0x20 == 101 { return scanLong(&p, number) }
    return number
  }

  @inline(never)
  private static func scanLong(_ p: inout UnsafePointer<UInt8>, _ number: Decimal) -> Decimal? {
    var number = number
    number.isLong = true
    if p.pointee | 0x20 == 101 {
      p += 1
      if p.pointee == 43 || p.pointee == 45 { p += 1 }
      let first = p
      while p.pointee &- 48 < 10 { p += 1 }
      if p == first { return nil }
    }
    return number
  }

  /// A number of any length divided by `scale`, in units of 1e-9, from its text. The same texts are read as by `scan`.
  static func general(
    _ text: UnsafeBufferPointer<UInt8>, scale: UInt64, finer: FinerNumbers = .reject
  ) throws(TextError) -> (raw: Int64, places: UInt8) {
    let plain = try inJSON(text)
    let result: Result<(raw: Int64, places: UInt8), TextError> = plain.withUnsafeBufferPointer { bytes in
      var reader = ByteReader(bytes)
      do throws(TextError) {
        var decimals: UInt8 = 0
        var isFiner = false
        let raw = try reader.scaled(by: scale, finer: finer, decimals: &decimals, isFiner: &isFiner)
        try reader.expectEnd()
        return .success((raw, decimals))
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// The text of a number as JSON writes it, which is what the general readers accept.
  private static func inJSON(_ text: UnsafeBufferPointer<UInt8>) throws(TextError) -> [UInt8] {
    var plain: [UInt8] = []
    for byte in text.prefix(1024) {
      if byte == 43, plain.isEmpty { continue }
      if byte == 46, plain.last.map({ $0 &- 48 >= 10 }) ?? true { plain.append(48) }
      if byte | 0x20 == 101, plain.last == 46 { plain.append(48) }
      plain.append(byte)
    }
    if plain.last == 46 { plain.append(48) }
    if text.count > 1024 { throw TextError(.outOfRange, at: 0) }
    return plain
  }
}
