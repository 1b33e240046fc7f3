internal import MarketData

/// Fast reading of values in their usual forms. Each function moves the pointer past the value and returns true, or leaves the pointer and
/// returns false: then the value has to be read by the general functions, which handle every form and every error.
///
/// Each function gets the byte that follows the value, repeated eight times in a word; there may also be a carriage return instead.
///
/// Unsafe: bytes after the value must be readable, as `LineReader` guarantees.
extension ValueDecoder {
  /// A name of up to eight bytes that has been seen before.
  @inline(always)
  mutating func quickSymbol(_ p: inout UnsafePointer<UInt8>, _ field: Int, stop: UInt64) -> Bool {
    let word = ByteWords.load(p)
    let ends = ByteWords.zeros(word ^ stop)
    let count = ends.trailingZeroBitCount &>> 3
    // Without a mark all eight bytes belong to the name; otherwise the bytes before the first mark.
    if ends == 0, p[8] != UInt8(truncatingIfNeeded: stop) { return false }
    let id = symbols.find(ends == 0 ? word : word & (ends ^ (ends &- 1)) &>> 8, count)
    if id == 0 { return false }
    p += count
    row.set(field, Int64(id))
    return true
  }

  /// A price of up to eight digits before the point and as many after it.
  @inline(always)
  mutating func quickPrice(_ p: inout UnsafePointer<UInt8>, _ field: Int, stop: UInt64) -> Bool {
    let isNegative = p.pointee == 45
    var q = isNegative ? p + 1 : p
    var places = 0
    guard let magnitude = Self.billionths(&q, &places, stop) else { return false }
    row.set(field, isNegative ? 0 &- magnitude : magnitude, places: UInt8(truncatingIfNeeded: places))
    p = q
    return true
  }

  /// An amount of up to eight digits before the point and as many after it.
  @inline(always)
  mutating func quickQuantity(_ p: inout UnsafePointer<UInt8>, _ field: Int, stop: UInt64) -> Bool {
    var places = 0
    guard let raw = Self.billionths(&p, &places, stop) else { return false }
    row.set(field, raw, places: UInt8(truncatingIfNeeded: places))
    return true
  }

  @inline(always)
  private static func billionths(_ p: inout UnsafePointer<UInt8>, _ places: inout Int, _ stop: UInt64) -> Int64? {
    let whole = Digits.Group(p)
    let count = whole.count
    // Leading zeros are left to the general functions, which know where they are allowed.
    if count == 0 || (whole.beginsWithZero && count > 1) { return nil }
    var q = p + count
    var raw = whole.value &* 1_000_000_000
    if q.pointee == 46 {
      let decimals = Digits.Group(q + 1)
      places = decimals.count
      if places == 0 { return nil }
      raw &+= decimals.padded &* 10
      q += 1 &+ places
    }
    if !Self.ends(q, stop) { return nil }
    p = q
    return Int64(truncatingIfNeeded: raw)
  }

  /// A whole number since the epoch. Consecutive times begin with the same digits, so the first eight digits are read only when they
  /// change.
  @inline(always)
  mutating func quickTime(_ p: inout UnsafePointer<UInt8>, _ field: Int, stop: UInt64) -> Bool {
    if !times.isEpoch { return false }
    let text = ByteWords.load(p)
    if text != front.text, !readFront(p) { return quickShortTime(&p, field, stop) }
    var whole = front.value
    var count = 8
    let second = Digits.Group(p + 8)
    count &+= second.count
    if second.count == 8 {
      whole = whole &* 100_000_000 &+ second.value
      count &+= Digits.read(p + 16, &whole)
      // Nineteen digits always fit.
      if count > 19 { return false }
    } else if second.count > 0 {
      whole = whole &* Digits.power(second.count) &+ second.value
    }
    // Fractions of a unit, and dates, are left to the general functions.
    guard Self.ends(p + count, stop), let ns = times.quick(whole) else { return false }
    row.set(field, ns)
    p += count
    return true
  }

  /// Stores the first eight digits of a time; returns false if there are fewer, or the first is a zero.
  @inline(never)
  private mutating func readFront(_ p: UnsafePointer<UInt8>) -> Bool {
    let digits = Digits.Group(p)
    if digits.count < 8 || digits.beginsWithZero { return false }
    front = TimeFront(text: ByteWords.load(p), value: digits.value)
    return true
  }

  /// A time of less than eight digits.
  private mutating func quickShortTime(_ p: inout UnsafePointer<UInt8>, _ field: Int, _ stop: UInt64) -> Bool {
    let digits = Digits.Group(p)
    if digits.count == 0 || (digits.beginsWithZero && digits.count > 1) { return false }
    guard Self.ends(p + digits.count, stop), let ns = times.quick(digits.value) else { return false }
    row.set(field, ns)
    p += digits.count
    return true
  }

  @inline(always)
  private static func ends(_ p: UnsafePointer<UInt8>, _ stop: UInt64) -> Bool {
    p.pointee == UInt8(truncatingIfNeeded: stop) || p.pointee == 13
  }
}

/// The first eight bytes of a time, all digits, and their value.
struct TimeFront {
  /// At first not eight digits, so that it matches no time.
  var text: UInt64 = 0
  var value: UInt64 = 0
}
