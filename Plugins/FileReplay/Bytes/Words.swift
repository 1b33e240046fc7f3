/// Eight or sixteen bytes at a time, for scanners that run over lines.
///
/// Unsafe inside: they load whole words and so may read up to sixteen bytes behind a line, which `LineReader` keeps readable.
enum Words {
  /// Eight bytes, the first in the lowest.
  @inline(always)
  static func load(_ p: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
  }

  /// The lowest `count` bytes of a word set, `count` in 0...8.
  @inline(always)
  static func mask(_ count: Int) -> UInt64 { count >= 8 ? ~0 : (1 &<< (8 &* UInt64(truncatingIfNeeded: count))) &- 1 }

  /// A byte in all eight places.
  @inline(always)
  static func all(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

  /// The high bit of the bytes below 0x20, of quotation marks and of backslashes; exact up to and with the first.
  @inline(always)
  static func endsOfText(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ all(34)
    let slashes = word ^ all(92)
    let found = ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes) | ((word &- all(32)) & ~word)
    return found & 0x8080_8080_8080_8080
  }

  /// Where a field of a row ends: at the delimiter, the newline behind the row, or a quotation mark.
  @inline(always)
  static func fieldEnd(_ p: UnsafePointer<UInt8>, _ delimiters: UInt64) -> UnsafePointer<UInt8> {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var p = p
    while true {
      let word = load(p)
      let (a, b, c) = (word ^ delimiters, word ^ all(34), word ^ all(10))
      // Marks above the first may be wrong, the first never is.
      let found = ((a &- ones) & ~a | (b &- ones) & ~b | (c &- ones) & ~c) & 0x8080_8080_8080_8080
      if found != 0 { return p + found.trailingZeroBitCount >> 3 }
      p += 8
    }
  }

  /// Reads up to eight digits: adds them to `value` and answers how many there were.
  ///
  /// Daniel Lemire, "Quickly parsing eight digits", with fewer than eight moved up so that zeros stand in front.
  @inline(always)
  static func digits(_ p: UnsafePointer<UInt8>, _ value: inout UInt64) -> Int {
    let word = load(p) ^ 0x3030_3030_3030_3030
    let others = ((word &+ 0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080
    if others == 0 {
      value = value &* 100_000_000 &+ eight(word)
      return 8
    }
    let bits = UInt64(truncatingIfNeeded: others.trailingZeroBitCount & ~7)
    if bits == 0 { return 0 }
    let count = Int(truncatingIfNeeded: bits >> 3)
    value = value &* power(count) &+ eight(word &<< (64 &- bits))
    return count
  }

  @inline(always)
  private static func eight(_ digits: UInt64) -> UInt64 {
    let pairs = (digits &* 10) &+ (digits >> 8)
    let even = (pairs & 0x0000_00ff_0000_00ff) &* 0x000f_4240_0000_0064
    let odd = ((pairs >> 16) & 0x0000_00ff_0000_00ff) &* 0x0000_2710_0000_0001
    return (even &+ odd) >> 32 & 0xffff_ffff
  }

  /// 10 to the power of `n`, for 0...19.
  @inline(always)
  static func power(_ n: Int) -> UInt64 {
    switch n {
    case 0: 1
    case 1: 10
    case 2: 100
    case 3: 1000
    case 4: 10_000
    case 5: 100_000
    case 6: 1_000_000
    case 7: 10_000_000
    case 8: 100_000_000
    case 9: 1_000_000_000
    case 10: 10_000_000_000
    case 11: 100_000_000_000
    case 12: 1_000_000_000_000
    case 13: 10_000_000_000_000
    case 14: 100_000_000_000_000
    case 15: 1_000_000_000_000_000
    case 16: 10_000_000_000_000_000
    case 17: 100_000_000_000_000_000
    case 18: 1_000_000_000_000_000_000
    default: 10_000_000_000_000_000_000
    }
  }
}
