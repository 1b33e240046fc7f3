internal import MarketData

/// Escape sequences in JSON text (RFC 8259, section 7).
///
/// Unsafe inside: it reads up to twelve bytes from a backslash on by pointer. A text that has not been checked must be followed by bytes
/// that end a sequence.
package enum JSONEscapes {
  /// Why an escape sequence is not valid.
  package enum Fault: Error {
    case badEscape, loneSurrogate
  }

  /// The number of bytes of the sequence that begins with the backslash at `q`; a surrogate pair counts as one sequence.
  package static func length(_ q: UnsafePointer<UInt8>) throws(Fault) -> Int {
    switch q[1] {
    case 34, 47, 92, 98, 102, 110, 114, 116: return 2
    case 117:
      guard let unit = unit(q + 2) else { throw .badEscape }
      if unit & 0xf800 != 0xd800 { return 6 }
      guard unit < 0xdc00, q[6] == 92, q[7] == 117, let low = Self.unit(q + 8), low & 0xfc00 == 0xdc00 else { throw .loneSurrogate }
      return 12
    default: throw .badEscape
    }
  }

  /// The UTF-16 unit given by four hexadecimal digits.
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

  /// Writes a checked text without its escapes to `out`, which must have room for the text with its escapes. Returns the number of bytes
  /// written.
  package static func resolve(_ text: UnsafeBufferPointer<UInt8>, to out: UnsafeMutablePointer<UInt8>) -> Int {
    guard var q = text.baseAddress else { return 0 }
    let end = q + text.count
    var at = out
    func put(_ byte: UInt8) {
      at.pointee = byte
      at += 1
    }
    while q < end {
      guard q.pointee == 92 else {
        put(q.pointee)
        q += 1
        continue
      }
      switch q[1] {
      case 98: put(8)
      case 102: put(12)
      case 110: put(10)
      case 114: put(13)
      case 116: put(9)
      case 117:
        var scalar = unit(q + 2) ?? 0xfffd
        if scalar & 0xf800 == 0xd800 {
          scalar = 0x10000 + (scalar & 0x3ff) << 10 + (unit(q + 8) ?? 0) & 0x3ff
          q += 6
        }
        // At most four bytes, while the sequence has six or twelve.
        for byte in UTF8.encode(Unicode.Scalar(scalar) ?? "\u{fffd}").unsafelyUnwrapped { put(byte) }
        q += 4
      default: put(q[1])
      }
      q += 2
    }
    return at - out
  }

  /// Writes a checked text without its escapes.
  static func resolve(_ text: UnsafeBufferPointer<UInt8>, into out: inout ByteWriter) {
    out.append(upTo: text.count) { resolve(text, to: $0) }
  }
}
