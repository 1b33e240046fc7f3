/// Eight bytes at a time, for scanners that run over text.
///
/// Unsafe inside: it loads whole words, so up to eight bytes from the pointer on must be readable, save where a count is given; whoever
/// scans keeps that many behind its text.
public enum ByteWords {
  /// Eight bytes, the first in the lowest.
  @inlinable @inline(__always)
  public static func load(_ p: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
  }

  /// As many bytes as `count` says, fewer than eight, the first in the lowest, with zeros behind them; reads none behind these.
  @inline(__always)
  static func short(_ p: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
    let bytes = UnsafeRawPointer(p)
    // Two halves that overlap, where they say the same.
    if count >= 4 {
      let first = UInt64(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
      let last = UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)))
      return first | last &<< (8 &* UInt64(truncatingIfNeeded: count &- 4))
    }
    if count >= 2 {
      let first = UInt64(UInt16(littleEndian: bytes.loadUnaligned(as: UInt16.self)))
      let last = UInt64(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: count &- 2, as: UInt16.self)))
      return first | last &<< (8 &* UInt64(truncatingIfNeeded: count &- 2))
    }
    return count == 1 ? UInt64(p.pointee) : 0
  }

  /// True where two names are the same, byte for byte; reads nothing behind them.
  @inline(__always)
  package static func areSame(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
    let count = a.count
    guard count == b.count else { return false }
    guard count > 0 else { return true }
    let (p, q) = (a.baseAddress.unsafelyUnwrapped, b.baseAddress.unsafelyUnwrapped)
    if count < 8 { return short(p, count) == short(q, count) }
    var i = 0
    while i &+ 8 <= count {
      if load(p + i) != load(q + i) { return false }
      i &+= 8
    }
    return load(p + (count &- 8)) == load(q + (count &- 8))
  }

  /// The lowest `count` bytes of a word set, `count` in 0...8.
  @inlinable @inline(__always)
  public static func mask(_ count: Int) -> UInt64 { count >= 8 ? ~0 : (1 &<< (8 &* UInt64(truncatingIfNeeded: count))) &- 1 }

  /// A byte in all eight places.
  @inlinable @inline(__always)
  public static func all(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

  /// The high bit of the bytes that are zero; exact up to and with the first.
  @inlinable @inline(__always)
  public static func zeros(_ word: UInt64) -> UInt64 { (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 }

  /// The high bit of the bytes below 0x20, of quotation marks and of backslashes; exact up to and with the first.
  @inlinable @inline(__always)
  public static func endsOfText(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ all(34)
    let slashes = word ^ all(92)
    let found = ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes) | ((word &- all(32)) & ~word)
    return found & 0x8080_8080_8080_8080
  }

  /// Where a field of a row ends: at the delimiter (given in all eight places), a newline, or a quotation mark, one of which must
  /// follow.
  @inlinable @inline(__always)
  public static func fieldEnd(_ p: UnsafePointer<UInt8>, _ delimiters: UInt64) -> UnsafePointer<UInt8> {
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
}
