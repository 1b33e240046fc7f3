internal import LibC

/// The functions of the C library that parsing needs.
enum Platform {
  /// The first newline in `count` bytes.
  @inline(always)
  static func newline(in bytes: UnsafePointer<UInt8>, count: Int) -> UnsafePointer<UInt8>? { find(10, in: bytes, count: count) }

  /// The first occurrence of a byte in `count` bytes.
  @inline(always)
  static func find(_ byte: UInt8, in bytes: UnsafePointer<UInt8>, count: Int) -> UnsafePointer<UInt8>? {
    memchr(bytes, Int32(byte), count).map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) }
  }
}
