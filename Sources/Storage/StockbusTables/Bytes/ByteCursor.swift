/// Reads numbers of a part of memory, one behind the other, and never outside of it.
///
/// Unsafe, since it points to memory that its user keeps; every read is checked against the end.
struct ByteCursor {
  let bytes: UnsafeRawBufferPointer
  private(set) var at: Int
  let end: Int

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    at = 0
    end = bytes.count
  }

  var left: Int { end - at }

  static let short = TableError("the data ends within a value")

  @inline(__always)
  mutating func byte() throws(TableError) -> UInt8 {
    guard at < end else { throw Self.short }
    at += 1
    return bytes[at - 1]
  }

  @inline(__always)
  mutating func little<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type = Number.self) throws(TableError) -> Number {
    guard left >= MemoryLayout<Number>.size else { throw Self.short }
    at += MemoryLayout<Number>.size
    return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: at - MemoryLayout<Number>.size, as: Number.self))
  }

  /// The next bytes.
  @inline(__always)
  mutating func take(_ count: Int) throws(TableError) -> UnsafeRawBufferPointer {
    guard count >= 0, count <= left else { throw Self.short }
    at += count
    return UnsafeRawBufferPointer(rebasing: bytes[at - count..<at])
  }

  mutating func varint() throws(TableError) -> UInt64 {
    var (value, shift) = (UInt64(0), UInt64(0))
    while shift < 64 {
      let byte = try byte()
      value |= UInt64(byte & 127) << shift
      if byte < 128 { return value }
      shift += 7
    }
    throw TableError("a number has more than ten bytes")
  }

  mutating func zigzag() throws(TableError) -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }
}

extension UnsafeRawBufferPointer {
  /// A number at an offset, the lowest byte first; nil if it does not lie inside.
  @inline(__always)
  func little<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _: Number.Type = Number.self) -> Number? {
    guard offset >= 0, offset <= count - MemoryLayout<Number>.size else { return nil }
    return Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// A part; nil if it does not lie inside.
  @inline(__always)
  func part(_ offset: Int, _ length: Int) -> UnsafeRawBufferPointer? {
    guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { return nil }
    return UnsafeRawBufferPointer(rebasing: self[offset..<offset + length])
  }
}
