internal import MarketData

// Numbers, percentages, durations and times: everything that begins with a digit.
extension Lexer {
  mutating func literal() throws(ExpressionError) -> Token {
    if let time = try time() { return .time(time) }
    try refuseTimeOfDay()
    let begin = at
    let value = try number()
    try refuseNameBehindNumber(from: begin)
    if peek() == UInt8(ascii: "%") {
      skip()
      return .percent(value)
    }
    guard let byte = peek(), Self.beginsWord(byte) else { return .number(value) }
    return .duration(try duration(begin))
  }

  /// A number in billionths: digits with `_` between them, decimals, an exponent.
  private mutating func number() throws(ExpressionError) -> Int128 {
    let begin = at
    var digits: [UInt8] = []
    var places = 0
    try self.digits { digits.append($0) }
    if peek() == UInt8(ascii: "."), Self.isDigit(peek(1)) {
      skip()
      try self.digits {
        digits.append($0)
        places += 1
      }
    }
    places -= exponent()
    return try value(digits, places: places, unit: 1_000_000_000, from: begin)
  }

  /// `unit` times the decimal number of these digits; exact, or an error.
  private func value(_ digits: [UInt8], places: Int, unit: Int128, from begin: Int) throws(ExpressionError) -> Int128 {
    var digits = digits
    var places = places
    while digits.count > 1, digits.last == 48 {
      digits.removeLast()
      places -= 1
    }
    var value: Int128 = 0
    // Of the literals' size there are 28 digits: beyond it, no product of two has to be feared.
    for digit in digits {
      if value > Self.largest { throw fail(.range, "the number is too large", from: begin) }
      value = value * 10 + Int128(digit - 48)
    }
    if value == 0 { return 0 }
    var unit = unit
    while places > 0, unit % 10 == 0 {
      unit /= 10
      places -= 1
    }
    if places > 0 { throw fail(.range, "more than nine decimals", from: begin) }
    while places < 0 {
      if value > Self.largest { throw fail(.range, "the number is too large", from: begin) }
      value *= 10
      places += 1
    }
    let (product, overflow) = value.multipliedReportingOverflow(by: unit)
    if overflow || product > Self.largest { throw fail(.range, "the number is too large", from: begin) }
    return product
  }

  /// The largest whole number of 64 bits, in billionths.
  private static let largest = Int128(Int64.max) * 1_000_000_000

  private mutating func digits(_ body: (UInt8) -> Void) throws(ExpressionError) {
    while let byte = peek() {
      if Self.isDigit(byte) {
        body(byte)
      } else if byte != UInt8(ascii: "_") || !Self.isDigit(peek(1)) {
        return
      }
      skip()
    }
  }

  /// `e6`, `E-3`: zero where there is none.
  private mutating func exponent() -> Int {
    guard let letter = peek(), letter | 0x20 == UInt8(ascii: "e") else { return 0 }
    let sign = peek(1)
    let isSigned = sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+")
    guard Self.isDigit(peek(isSigned ? 2 : 1)) else { return 0 }
    skip(isSigned ? 2 : 1)
    var value = 0
    while let byte = peek(), Self.isDigit(byte) {
      value = min(value * 10 + Int(byte - 48), 10_000)
      skip()
    }
    return sign == UInt8(ascii: "-") ? -value : value
  }

  private static let units: [(names: [String], nanoseconds: Int128)] = [
    (["d"], 86_400_000_000_000), (["h"], 3_600_000_000_000), (["m"], 60_000_000_000), (["s"], 1_000_000_000), (["ms"], 1_000_000),
    (["us", "\u{b5}s", "\u{3bc}s"], 1000), (["ns"], 1),
  ]

  /// `250ms`, `1h30m`: from its first digit, again.
  private mutating func duration(_ begin: Int) throws(ExpressionError) -> Int128 {
    skip(begin - at)
    var total: Int128 = 0
    var smallest = Int128.max
    while Self.isDigit(peek()) {
      var digits: [UInt8] = []
      var places = 0
      try self.digits { digits.append($0) }
      if peek() == UInt8(ascii: "."), Self.isDigit(peek(1)) {
        skip()
        try self.digits {
          digits.append($0)
          places += 1
        }
      }
      let nameBegin = at
      while let byte = peek(), Self.beginsWord(byte) { skip() }
      let name = written(nameBegin..<at)
      guard let unit = Self.units.first(where: { $0.names.contains(name) }) else {
        if name.isEmpty { throw fail(.syntax, "a duration needs a unit: d, h, m, s, ms, us or ns", from: begin) }
        if let hint = Foreign.unitHint(name) { throw fail(.syntax, hint, from: nameBegin) }
        throw fail(
          .syntax, "unknown unit '\(visible(name, limit: 20))'; units are %, d, h, m, s, ms, us and ns", from: nameBegin,
          isIncomplete: peek() == nil && Self.units.contains { $0.names.contains { $0.hasPrefix(name) } })
      }
      guard unit.nanoseconds < smallest else {
        throw fail(.syntax, "write each unit of a duration once, the larger ones first", from: begin)
      }
      smallest = unit.nanoseconds
      do throws(ExpressionError) {
        total += try value(digits, places: places, unit: unit.nanoseconds, from: begin)
      } catch {
        throw fail(.range, error.message == "more than nine decimals" ? "finer than a nanosecond" : "the duration is too long", from: begin)
      }
    }
    if total > Int128(Int64.max) { throw fail(.range, "the duration is too long", from: begin) }
    return total
  }

  /// A date and time in ISO-8601 with a zone; nil where no date stands here.
  private mutating func time() throws(ExpressionError) -> Int64? {
    let shape = [0, 1, 2, 3, 5, 6, 8, 9]
    guard shape.allSatisfy({ Self.isDigit(peek($0)) }), peek(4) == UInt8(ascii: "-"), peek(7) == UInt8(ascii: "-") else { return nil }
    let begin = at
    // More than any time has.
    let rest = Array(text.utf8.dropFirst(begin).prefix(64))
    let result: Result<(ns: Int64, count: Int), TextError> = rest.withUnsafeBufferPointer { bytes in
      var reader = ByteReader(bytes)
      do throws(TextError) {
        let time = try reader.iso8601()
        return .success((time.ns, reader.offset))
      } catch { return .failure(error) }
    }
    switch result {
    case .success(let (ns, count)):
      skip(count)
      return ns
    case .failure(let error):
      skip(10)
      while let byte = peek(), Self.continuesWord(byte) || [46, 58, 43, 45].contains(byte) { skip() }
      switch error.code {
      case .tooManyDecimals, .outOfRange: throw fail(.range, error.reason, from: begin)
      default:
        throw fail(.syntax, "a time is written with its zone, as in 2013-10-08T13:30:00Z", from: begin, isIncomplete: peek() == nil)
      }
    }
  }

  /// `09:45`: somebody means a moment, but an event's times have a date and a zone.
  private mutating func refuseTimeOfDay() throws(ExpressionError) {
    let begin = at
    let hourDigits = Self.isDigit(peek(1)) ? 2 : 1
    guard peek(hourDigits) == UInt8(ascii: ":"), Self.isDigit(peek(hourDigits + 1)) else { return }
    while let byte = peek(), Self.isDigit(byte) || byte == UInt8(ascii: ":") { skip() }
    let parts = written(begin..<at).split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    var clock = "09:45:00"
    if let hour = Int(parts[0]), hour < 24, parts.count <= 3, parts.dropFirst().allSatisfy({ $0.count == 2 && $0 < "60" }) {
      clock = (hour < 10 ? "0" : "") + "\(hour):\(parts[1]):\(parts.count == 3 ? parts[2] : "00")"
    }
    throw fail(.syntax, "a time is written with its date and zone, as in 2013-10-08T\(clock)Z or 2013-10-08T\(clock)-04:00", from: begin)
  }

  /// `0700.HK`: the name of an instrument, not a number.
  private mutating func refuseNameBehindNumber(from begin: Int) throws(ExpressionError) {
    guard peek() == UInt8(ascii: "."), let next = peek(1), Self.beginsWord(next) else { return }
    skip()
    while let byte = peek(), Self.continuesWord(byte) || byte == UInt8(ascii: ".") { skip() }
    let name = visible(written(begin..<at), limit: 40)
    throw fail(.syntax, "a name that begins with a digit is written in quotation marks: \"\(name)\"", from: begin)
  }
}
