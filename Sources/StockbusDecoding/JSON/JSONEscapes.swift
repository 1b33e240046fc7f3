internal import MarketData

/// Escape sequences of JSON text (RFC 8259, section 7).
///
/// Unsafe inside: it reads texts that the tape has checked, by pointer.
enum JSONEscapes {
  /// The 16-bit unit that four hexadecimal digits write.
  static func unit(_ q: UnsafePointer<UInt8>) -> UInt32? {
    var unit: UInt32 = 0
    for i in 0..<4 {
      switch q[i] {
      case 48...57: unit = unit << 4 | UInt32(q[i] - 48)
      case 65...70: unit = unit << 4 | UInt32(q[i] - 55)
      case 97...102: unit = unit << 4 | UInt32(q[i] - 87)
      default: return nil
      }
    }
    return unit
  }

  /// Writes a checked text without its escapes.
  static func resolve(_ text: UnsafeBufferPointer<UInt8>, into out: inout ByteWriter) {
    out.reserve(text.count)
    guard var q = text.baseAddress else { return }
    let end = q + text.count
    while q < end {
      guard q.pointee == 92 else {
        out.put(q.pointee)
        q += 1
        continue
      }
      switch q[1] {
      case 98: out.put(8)
      case 102: out.put(12)
      case 110: out.put(10)
      case 114: out.put(13)
      case 116: out.put(9)
      case 117:
        var scalar = unit(q + 2) ?? 0xfffd
        if scalar & 0xf800 == 0xd800 {
          scalar = 0x10000 + (scalar & 0x3ff) << 10 + (unit(q + 8) ?? 0) & 0x3ff
          q += 6
        }
        for byte in String(Unicode.Scalar(scalar) ?? "\u{fffd}").utf8 { out.put(byte) }
        q += 4
      default: out.put(q[1])
      }
      q += 2
    }
  }
}
