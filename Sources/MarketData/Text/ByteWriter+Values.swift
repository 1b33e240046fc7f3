extension ByteWriter {
  /// A whole number; reserve 20.
  @inlinable
  public mutating func put(digits value: UInt64) {
    var v = value
    var n = 1
    var bound: UInt64 = 10
    while n < 20, v >= bound {
      n &+= 1
      bound = n < 20 ? bound &* 10 : .max
    }
    count &+= n
    var at = count
    while v >= 10 {
      at &-= 1
      let q = v / 10
      base[at] = 48 &+ UInt8(truncatingIfNeeded: v &- q &* 10)
      v = q
    }
    base[at &- 1] = 48 &+ UInt8(truncatingIfNeeded: v)
  }

  /// Exactly `width` digits, zeros in front; reserve `width`.
  @inlinable
  public mutating func put(digits value: Int, width: Int) {
    count &+= width
    var at = count
    var v = value
    for _ in 0..<width {
      at &-= 1
      base[at] = 48 &+ UInt8(truncatingIfNeeded: v % 10)
      v /= 10
    }
  }

  /// A whole number with its sign; reserve 20.
  @inlinable
  public mutating func put(integer value: Int64) {
    if value < 0 { put(45) }
    put(digits: value.magnitude)
  }

  /// A number of billionths with at least `decimals` decimals (at most 9), more where the value has more; reserve 24.
  @inlinable
  public mutating func put(fixedPoint value: Int64, decimals: UInt8 = 0) {
    if value < 0 { put(45) }
    let magnitude = value.magnitude
    let whole = magnitude / 1_000_000_000
    var rest = UInt32(truncatingIfNeeded: magnitude &- whole &* 1_000_000_000)
    put(digits: whole)
    let wanted = Int(min(decimals, 9))
    if rest == 0, wanted == 0 { return }
    put(46)
    var n = 9
    while n > wanted, rest % 10 == 0 {
      rest /= 10
      n &-= 1
    }
    count &+= n
    var at = count
    while n > 0 {
      at &-= 1
      base[at] = 48 &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      n &-= 1
    }
  }

  /// How many decimals of a second a time is written with.
  public enum TimeForm: UInt8, BitwiseCopyable, Sendable, CaseIterable {
    case seconds = 0
    case milliseconds = 3
    case microseconds = 6
    case nanoseconds = 9
    /// As many as the time needs, in groups of three.
    case shortest = 255
  }

  /// A time in ISO-8601, UTC; reserve 32. A fixed form cuts what it does not show.
  public mutating func put(iso8601 time: Timestamp, form: TimeForm) {
    var seconds = time.ns / 1_000_000_000
    var rest = time.ns % 1_000_000_000
    if rest < 0 {
      rest += 1_000_000_000
      seconds -= 1
    }
    var days = seconds / 86_400
    var ofDay = Int(seconds % 86_400)
    if ofDay < 0 {
      ofDay += 86_400
      days -= 1
    }
    let date = CivilDate(daysSinceEpoch: Int(days))
    put(digits: date.year, width: 4)
    put(45)
    put(digits: date.month, width: 2)
    put(45)
    put(digits: date.day, width: 2)
    put(84)
    put(digits: ofDay / 3600, width: 2)
    put(58)
    put(digits: ofDay / 60 % 60, width: 2)
    put(58)
    put(digits: ofDay % 60, width: 2)
    var width = Int(form.rawValue)
    if form == .shortest { width = rest == 0 ? 0 : rest % 1_000_000 == 0 ? 3 : rest % 1000 == 0 ? 6 : 9 }
    if width > 0 {
      put(46)
      put(digits: Int(rest) / (width == 3 ? 1_000_000 : width == 6 ? 1000 : 1), width: width)
    }
    put(90)
  }

  /// Text between quotation marks, escaped as RFC 8259 asks; makes its own room.
  public mutating func append(json text: UnsafeBufferPointer<UInt8>) {
    reserve(2 &+ text.count &* 6)
    put(34)
    for byte in text {
      switch byte {
      case 34, 92:
        put(92)
        put(byte)
      case 10:
        put(92)
        put(110)
      case 13:
        put(92)
        put(114)
      case 9:
        put(92)
        put(116)
      case 0..<32:
        for c in "\\u00".utf8 { put(c) }
        put(byte < 16 ? 48 : 49)
        put(byte & 15 < 10 ? 48 &+ (byte & 15) : 87 &+ (byte & 15))
      default: put(byte)
      }
    }
    put(34)
  }

  /// Text as a CSV field, between quotation marks only where RFC 4180 asks; makes its own room.
  public mutating func append(csv text: UnsafeBufferPointer<UInt8>) {
    reserve(2 &+ text.count &* 2)
    guard text.contains(where: { $0 == 34 || $0 == 44 || $0 == 10 || $0 == 13 }) else { return put(text) }
    put(34)
    for byte in text {
      if byte == 34 { put(34) }
      put(byte)
    }
    put(34)
  }
}
