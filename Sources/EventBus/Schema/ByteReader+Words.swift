internal import MarketData

// What is read eight bytes at a time. A word holds its bytes from the lowest on, in the order in which they stand.
//
// Unsafe because words are loaded by address: before each load stands a check that so many bytes are left.
extension ByteReader {
  /// Goes past these bytes, at least eight, and answers true, or stays and answers false.
  @inline(__always)
  mutating func goPast(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard end - at >= bytes.count, let wanted = bytes.baseAddress else { return false }
    var done = 0
    while done < bytes.count &- 8 {
      if ByteWords.load(at + done) != ByteWords.load(wanted + done) { return false }
      done &+= 8
    }
    // The last word may begin before the one before it has ended.
    done = bytes.count &- 8
    if ByteWords.load(at + done) != ByteWords.load(wanted + done) { return false }
    at += bytes.count
    return true
  }

  /// Goes past fewer than eight bytes, which `start` holds and `mask` covers, and answers true, or stays and answers false; nil where the
  /// text ends too soon to tell.
  @inline(__always)
  mutating func goPast(_ start: UInt64, _ mask: UInt64, count: Int) -> Bool? {
    guard end - at >= 8 else { return nil }
    guard (ByteWords.load(at) ^ start) & mask == 0 else { return false }
    at += count
    return true
  }

  /// How many bytes from `first` on are neither a quotation mark nor a backslash nor below 32, as far as whole words reach: what follows
  /// may still be such bytes.
  @inline(__always)
  func plainBytes(from first: UnsafePointer<UInt8>) -> Int {
    var done = 0
    while end - first >= done &+ 8 {
      let found = ByteWords.endsOfText(ByteWords.load(first + done))
      if found != 0 { return done &+ found.trailingZeroBitCount / 8 }
      done &+= 8
    }
    return done
  }

  /// A time between quotation marks in the form in which nearly all are written, `"2013-10-08T13:30:00.012Z"`, from 1970 to 2261; of
  /// anything else, right or wrong, nothing is read.
  mutating func usualTime() -> Int64? {
    // The shortest has a quotation mark, 20 bytes, and a quotation mark.
    guard end - at >= 22, at.pointee == 34 else { return nil }
    // Exclusive-or leaves a digit's value of a digit and zero of the sign that has to stand there.
    let date = ByteWords.load(at + 1) ^ 0x2d30_302d_3030_3030  // YYYY-MM-
    let time = ByteWords.load(at + 9) ^ 0x3030_3a30_3054_3030  // DDTHH:MM
    guard Self.areDigits(date, signs: 0xff00_00ff_0000_0000), Self.areDigits(time, signs: 0x0000_ff00_00ff_0000), at[17] == 58 else {
      return nil
    }
    let tens = at[18] &- 48
    let ones = at[19] &- 48
    guard tens < 6, ones < 10 else { return nil }
    // Each byte becomes ten times itself and the one after it.
    let dates = date &* 10 &+ date >> 8
    let times = time &* 10 &+ time >> 8
    let year = Int(dates & 0xff) &* 100 &+ Int(dates >> 16 & 0xff)
    let (month, day) = (Int(dates >> 40 & 0xff), Int(times & 0xff))
    let (hour, minute) = (Int(times >> 24 & 0xff), Int(times >> 48 & 0xff))
    guard year >= 1970, year < 2262, hour < 24, minute < 60 else { return nil }
    guard let date = CivilDate(year: year, month: month, day: day) else { return nil }
    var p = at + 20
    var fraction: Int64 = 0
    if p.pointee == 46 {
      guard end - p >= 10 else { return nil }
      let digits = Digits.Group(p + 1)
      var count = digits.count
      guard count > 0 else { return nil }
      fraction = Int64(digits.value)
      if count == 8, p[9] &- 48 < 10 {
        fraction = fraction &* 10 &+ Int64(p[9] &- 48)
        count = 9
      }
      switch count {
      case 3: fraction &*= 1_000_000
      case 6: fraction &*= 1000
      case 9: break
      default: return nil
      }
      p += count &+ 1
    }
    guard end - p >= 2, p.pointee == 90, p[1] == 34 else { return nil }
    at = p + 2
    let seconds = date.daysSinceEpoch &* 86_400 &+ hour &* 3600 &+ minute &* 60 &+ Int(tens) &* 10 &+ Int(ones)
    return Int64(seconds) &* 1_000_000_000 &+ fraction
  }

  /// Whether each byte is below ten, and zero where `signs` has a byte.
  @inline(__always)
  private static func areDigits(_ word: UInt64, signs: UInt64) -> Bool {
    // Six more than a digit stays below sixteen. A carry comes only from a byte that shows itself.
    ((word | (word &+ 0x0606_0606_0606_0606)) & 0xf0f0_f0f0_f0f0_f0f0) | (word & signs) == 0
  }
}
