/// Eight bytes at a time, for scanners that run over text.
///
/// Unsafe inside: it loads whole words, so up to eight bytes from the pointer on must be readable; whoever scans keeps that many
/// behind its text.
public enum ByteWords {
  /// Eight bytes, the first in the lowest.
  @inlinable @inline(__always)
  public static func load(_ p: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
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
