internal import MarketData

extension EventCodec {
  /// Keys in the declared order at full speed, in any other order by search.
  func decodeJSON(_ event: UnsafeMutableRawPointer, _ text: inout ByteReader) throws(TextError) {
    var seen: UInt64 = 0
    text.skipBlanks()
    try text.skip(123)
    for n in 0..<count {
      if n > 0 {
        text.skipBlanks()
        try text.skip(44)
      }
      let hit = text.matches(steps[n].key, from: 1) ? n : try search(&text)
      if seen & (1 << UInt64(hit)) != 0 { throw TextError(.unexpected, at: text.offset, field: fields[hit].name) }
      text.skipBlanks()
      do { try getJSON(hit, event, &text) } catch { throw TextError(error.code, at: error.offset, field: fields[hit].name) }
      seen |= 1 << UInt64(hit)
      text.skipBlanks()
      if text.peek == 125 { break }
    }
    if let missing = (0..<count).first(where: { seen & (1 << UInt64($0)) == 0 }) {
      throw TextError(.missing, at: text.offset, field: fields[missing].name)
    }
    try text.skip(125)
  }

  @inline(never)
  private func search(_ text: inout ByteReader) throws(TextError) -> Int {
    text.skipBlanks()
    let at = text.offset
    let name = try text.jsonString()
    text.skipBlanks()
    try text.skip(58)
    guard let hit = fields.firstIndex(where: { $0.name == name }) else { throw TextError(.unexpected, at: at, field: name) }
    return hit
  }

  private func getJSON(_ i: Int, _ event: UnsafeMutableRawPointer, _ text: inout ByteReader) throws(TextError) {
    let at = event + steps[i].offset
    switch steps[i].layout {
    case .text: at.assumingMemoryBound(to: String.self).pointee = try text.jsonString()
    case .time where text.peek != 34: at.storeBytes(of: try text.integer(), as: Int64.self)
    case .symbol, .time, .other:
      guard steps[i].isQuoted || steps[i].layout == .time else { return try fields[i].read(at, &text) }
      let bytes = try text.plainJSONString()
      var inner = ByteReader(bytes)
      try fields[i].read(at, &inner)
      try inner.expectEnd()
    case .fixedPoint, .int64, .uint32: try getNumber(i, event, &text)
    }
  }

  private func getNumber(_ i: Int, _ event: UnsafeMutableRawPointer, _ text: inout ByteReader) throws(TextError) {
    let at = event + steps[i].offset
    guard steps[i].layout == .fixedPoint else { return try fields[i].read(at, &text) }
    var decimals: UInt8 = 0
    at.storeBytes(of: try text.fixedPoint(decimals: &decimals), as: Int64.self)
    let d = steps[i].decimalsOffset
    if d >= 0 { event.storeBytes(of: decimals, toByteOffset: d, as: UInt8.self) }
  }

  func decodeCSV(_ event: UnsafeMutableRawPointer, _ text: inout ByteReader) throws(TextError) {
    for i in 0..<count {
      do {
        if i > 0 { try text.skip(44) }
        try getCSV(i, event, &text)
      } catch { throw TextError(error.code, at: error.offset, field: fields[i].name) }
    }
    if !text.isAtEnd { try text.skip(10) }
  }

  private func getCSV(_ i: Int, _ event: UnsafeMutableRawPointer, _ text: inout ByteReader) throws(TextError) {
    let at = event + steps[i].offset
    if text.peek == 34 {
      let unquoted = try text.quotedCSV()
      guard steps[i].layout == .text else { throw TextError(.unexpected, at: text.offset) }
      at.assumingMemoryBound(to: String.self).pointee = unquoted
      return
    }
    switch steps[i].layout {
    case .fixedPoint, .int64, .uint32: try getNumber(i, event, &text)
    default:
      let start = text.offset
      let bytes = text.csvField()
      var inner = ByteReader(bytes)
      do {
        if steps[i].layout == .time, bytes.count < 5 || !bytes.dropFirst(4).starts(with: [45]) {
          at.storeBytes(of: try inner.integer(), as: Int64.self)
        } else {
          try fields[i].read(at, &inner)
        }
        try inner.expectEnd()
      } catch { throw TextError(error.code, at: start + error.offset) }
    }
  }
}

extension ByteReader {
  @inline(__always)
  mutating func skipBlanks() {
    while at < end, at.pointee == 32 || at.pointee == 9 || at.pointee == 10 || at.pointee == 13 { at += 1 }
  }

  /// The bytes between two quotation marks, where nothing is escaped.
  mutating func plainJSONString() throws(TextError) -> UnsafeBufferPointer<UInt8> {
    try skip(34)
    let first = at
    while at < end, at.pointee != 34 {
      if at.pointee == 92 || at.pointee < 32 { throw TextError(.badEscape, at: offset) }
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

  /// The bytes up to the next comma or line end.
  mutating func csvField() -> UnsafeBufferPointer<UInt8> {
    let first = at
    while at < end, at.pointee != 44, at.pointee != 10 { at += 1 }
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
