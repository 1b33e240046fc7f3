/// The bytes of a frame: `Documentation/maintain/formats.md`, "The binary frame".
struct FrameBytes {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ byte: UInt8) { bytes.append(byte) }

  /// Unsigned LEB128.
  mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Zigzag: small numbers of either sign are short.
  mutating func append(svarint value: Int64) { append(varint: UInt64(bitPattern: (value << 1) ^ (value >> 63))) }

  mutating func append(contentsOf other: [UInt8]) { bytes.append(contentsOf: other) }

  mutating func append(name: String) {
    append(varint: UInt64(name.utf8.count))
    bytes.append(contentsOf: name.utf8)
  }
}
