extension ByteWriter {
  /// A whole number; reserve 20.
  @inlinable
  public mutating func put(digits value: UInt64) {
    if value < 100_000_000 { return put(few: value) }
    let upper = value / 100_000_000
    if upper < 100_000_000 {
      put(few: upper)
    } else {
      put(few: upper / 100_000_000)
      put(word: Self.eightDigits(upper % 100_000_000) | Self.zeros, counting: 8)
    }
    put(word: Self.eightDigits(value &- upper &* 100_000_000) | Self.zeros, counting: 8)
  }

  /// A whole number of at most eight digits; reserve 8.
  @inlinable @inline(__always)
  mutating func put(few value: UInt64) {
    let digits = Self.eightDigits(value)
    // The digits begin where the zeros end; a zero alone is a digit.
    let leading = min(digits.trailingZeroBitCount / 8, 7)
    put(word: (digits | Self.zeros) >> UInt64(leading &* 8), counting: 8 &- leading)
  }

  /// Eight bytes, the lowest first, of which `n` count; the others are written over by what comes next. Reserve 8.
  @inlinable @inline(__always)
  mutating func put(word: UInt64, counting n: Int) {
    UnsafeMutableRawPointer(base + count).storeBytes(of: word.littleEndian, as: UInt64.self)
    count &+= n
  }

  /// Eight times the digit zero.
  @inlinable @inline(__always)
  static var zeros: UInt64 { 0x3030_3030_3030_3030 }

  /// The eight digits of a number below 10^8 as eight bytes of 0 to 9, the first digit in the lowest. Splits fours, pairs and digits, all
  /// of them at once: the multiplications are by 2^20 / 100 and 2^10 / 10, rounded up, which is exact for so few digits.
  @inlinable @inline(__always)
  static func eightDigits(_ value: UInt64) -> UInt64 {
    let fours = value / 10_000 | (value % 10_000) << 32
    let hundreds = ((fours &* 10_486) >> 20) & 0x0000_007f_0000_007f
    let pairs = hundreds | (fours &- hundreds &* 100) << 16
    let tens = ((pairs &* 103) >> 10) & 0x000f_000f_000f_000f
    return tens | (pairs &- tens &* 10) << 8
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
    let rest = magnitude &- whole &* 1_000_000_000
    put(digits: whole)
    let wanted = Int(min(decimals, 9))
    if rest == 0, wanted == 0 { return }
    put(46)
    put(billionths: rest, atLeast: wanted)
  }

  /// The nine digits of a number below 10^9 without the zeros at its end, but at least `wanted` of them; reserve 9.
  @inlinable @inline(__always)
  mutating func put(billionths rest: UInt64, atLeast wanted: Int) {
    let upper = rest / 10
    let last = rest &- upper &* 10
    let digits = Self.eightDigits(upper)
    let needed = last == 0 ? 8 &- digits.leadingZeroBitCount / 8 : 9
    put(word: digits | Self.zeros, counting: 8)
    put(48 &+ UInt8(truncatingIfNeeded: last))
    count &-= 9 &- max(needed, wanted)
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
    if second.number != seconds { second = SecondText(seconds) }
    put(word: second.words.0, counting: 8)
    put(word: second.words.1, counting: 8)
    put(word: second.words.2, counting: 3)
    if form == .shortest ? rest != 0 : form != .seconds {
      put(46)
      let begin = count
      put(billionths: UInt64(rest), atLeast: 0)
      // Cut or filled up to the form's width, the shortest's in groups of three: after the digits that count stand the zeros left out.
      count = begin &+ (form == .shortest ? (count &- begin &+ 2) / 3 * 3 : Int(form.rawValue))
    }
    put(90)
  }

  /// Text between quotation marks, escaped as RFC 8259 asks, and so that no terminal obeys it: DEL and C1 too; makes its own room.
  public mutating func append(json text: UnsafeBufferPointer<UInt8>) {
    reserve(2 &+ text.count &* 6)
    put(34)
    var previous: UInt8 = 0
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
      case 127: for c in "\\u007f".utf8 { put(c) }
      case 0x80..<0xa0 where previous == 0xc2:
        // U+0080 to U+009F: the byte before is taken back.
        count &-= 1
        for c in "\\u00".utf8 { put(c) }
        put(byte < 0x90 ? 56 : 57)
        put(byte & 15 < 10 ? 48 &+ (byte & 15) : 87 &+ (byte & 15))
      default: put(byte)
      }
      previous = byte
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
