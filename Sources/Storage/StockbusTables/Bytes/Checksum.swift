internal import CZlib

/// Checksums in files: CRC-32 of pages, as Parquet has it, and XXH64 of what this module adds, which costs a quarter of the time.
enum Checksum {
  /// CRC-32 (ISO 3309) by zlib.
  static func crc32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    // zlib takes a missing pointer as the wish to begin anew.
    guard !bytes.isEmpty, let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
    return UInt32(truncatingIfNeeded: crc32_z(0, start, bytes.count))
  }

  /// The bytes of a checksum's digits.
  static let size = 16
  /// What stands in the place of the digits while the checksum is computed.
  static let blank = [UInt8](repeating: 48, count: size)
  private static let hexDigits = Array("0123456789abcdef".utf8)

  /// The digits of a checksum.
  static func digits(_ sum: XXH64) -> [UInt8] {
    let value = sum.value
    return (0..<size).map { hexDigits[Int(value >> UInt64(60 - 4 * $0) & 15)] }
  }

  /// True if the digits at `place` are the checksum of the bytes with zeros in their place, and of `rest`. The zeros remain.
  static func holds(in bytes: UnsafeMutableRawBufferPointer, rest: UnsafeRawBufferPointer, at place: Int) -> Bool {
    guard let part = UnsafeRawBufferPointer(bytes).part(place, size) else { return false }
    let written = Array(part)
    for i in 0..<size { bytes[place + i] = blank[i] }
    var sum = XXH64()
    sum.update(UnsafeRawBufferPointer(bytes))
    sum.update(rest)
    return written == digits(sum)
  }
}
