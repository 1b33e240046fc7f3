internal import MarketData

// How fields stand in JSON and CSV, before they are values.
extension ByteReader {
  @inline(__always)
  mutating func skipBlanks() {
    while at < end, at.pointee == 32 || at.pointee == 9 || at.pointee == 10 || at.pointee == 13 { at += 1 }
  }

  /// The bytes between two quotation marks; nil, and nothing is read, where something is escaped.
  @inline(__always)
  mutating func plainJSONString() throws(TextError) -> UnsafeBufferPointer<UInt8>? {
    let quote = at
    try skip(34)
    let first = at
    at += plainBytes(from: first)
    while at < end, at.pointee != 34 {
      if at.pointee == 92 {
        at = quote
        return nil
      }
      if at.pointee < 32 { throw TextError(.unexpected, at: offset) }
      at += 1
    }
    if at == end { throw TextError(.unterminated, at: offset) }
    defer { at += 1 }
    return UnsafeBufferPointer(start: first, count: at - first)
  }

  /// A JSON string with its escapes resolved (RFC 8259, section 7).
  mutating func jsonString() throws(TextError) -> String {
    try skip(34)
    var bytes: [UInt8] = []
    while at < end, at.pointee != 34 {
      if at.pointee < 32 { throw TextError(.unexpected, at: offset) }
      guard at.pointee == 92 else {
        bytes.append(at.pointee)
        at += 1
        continue
      }
      at += 1
      guard at < end else { throw TextError(.unterminated, at: offset) }
      let escape = at.pointee
      at += 1
      switch escape {
      case 34, 47, 92: bytes.append(escape)
      case 98: bytes.append(8)
      case 102: bytes.append(12)
      case 110: bytes.append(10)
      case 114: bytes.append(13)
      case 116: bytes.append(9)
      case 117: bytes += Array(String(try unicodeEscape()).utf8)
      default: throw TextError(.badEscape, at: offset - 1)
      }
    }
    if at == end { throw TextError(.unterminated, at: offset) }
    at += 1
    guard let text = String(validating: bytes, as: UTF8.self) else { throw TextError(.badUTF8, at: offset) }
    return text
  }

  private mutating func unicodeEscape() throws(TextError) -> Unicode.Scalar {
    let high = try hex4()
    if let scalar = Unicode.Scalar(high) { return scalar }
    guard high < 0xdc00, at + 1 < end, at.pointee == 92, at[1] == 117 else { throw TextError(.badEscape, at: offset) }
    at += 2
    let low = try hex4()
    guard (0xdc00...0xdfff).contains(low), let scalar = Unicode.Scalar(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)) else {
      throw TextError(.badEscape, at: offset)
    }
    return scalar
  }

  private mutating func hex4() throws(TextError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard at < end, let digit = Character(Unicode.Scalar(at.pointee)).hexDigitValue else { throw TextError(.badEscape, at: offset) }
      value = value << 4 | UInt32(digit)
      at += 1
    }
    return value
  }

  /// The bytes up to the next comma or line end, LF or CRLF.
  mutating func csvField() -> UnsafeBufferPointer<UInt8> {
    let first = at
    while at < end, at.pointee != 44, at.pointee != 10, at.pointee != 13 { at += 1 }
    return UnsafeBufferPointer(start: first, count: at - first)
  }

  /// A field between quotation marks; doubled ones are one (RFC 4180).
  mutating func quotedCSV() throws(TextError) -> String {
    try skip(34)
    var bytes: [UInt8] = []
    while true {
      guard at < end else { throw TextError(.unterminated, at: offset) }
      if at.pointee == 34 {
        at += 1
        if at == end || at.pointee != 34 { break }
      }
      bytes.append(at.pointee)
      at += 1
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw TextError(.badUTF8, at: offset) }
    return text
  }
}
