public import MarketData

extension EventCodec {
  /// Decodes keys in the declared order at full speed, and in any other order by search.
  @usableFromInline
  func decodeJSON(_ event: UnsafeMutableRawPointer, _ text: inout ByteReader) throws(TextError) {
    forgetDecimals(event)
    omitOthers(event)
    var seen: UInt64 = 0
    text.skipBlanks()
    try text.skip(123)
    text.skipBlanks()
    // One round more than there are fields, so that an extra key is reported by name as unknown or doubled.
    for n in 0...count {
      if n == 0, text.peek == 125 { break }
      if n > 0 {
        text.skipBlanks()
        try text.skip(44)
        text.skipBlanks()
      }
      let at = text.offset
      let hit = n < count && isNext(n, &text) ? n : try search(&text)
      if seen & (1 &<< UInt64(hit)) != 0 { throw TextError(.unexpected, at: at, field: fields[hit].name) }
      text.skipBlanks()
      do { try getJSON(hit, event, &text) } catch { throw TextError(error.code, at: error.offset, field: fields[hit].name) }
      seen |= 1 &<< UInt64(hit)
      text.skipBlanks()
      if text.peek == 125 { break }
    }
    seen |= omittable
    if seen != all {
      throw TextError(.missing, at: text.offset, field: fields[(~seen).trailingZeroBitCount].name)
    }
    try text.skip(125)
  }

  /// Skips the key of field `n`, without its leading comma, if it comes next.
  @inline(__always)
  private func isNext(_ n: Int, _ text: inout ByteReader) -> Bool {
    let key = steps[n].key
    if key.count < 9 { return text.goPast(steps[n].keyStart, steps[n].keyMask, count: key.count &- 1) ?? text.matches(key, from: 1) }
    return text.goPast(UnsafeBufferPointer(rebasing: key[1...]))
  }

  /// Reads the next key with its colon, and returns the index of its field.
  @inline(never)
  func search(_ text: inout ByteReader) throws(TextError) -> Int {
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
    case .symbol:
      let first = text.offset
      guard let bytes = try text.plainJSONString() else { return try read(i, at, from: try text.jsonString(), at: first) }
      do { at.storeBytes(of: try Symbol(utf8: bytes), as: Symbol.self) } catch { throw TextError(error.code, at: first + 1 + error.offset) }
    case .time where text.peek != 34: at.storeBytes(of: try text.integer(), as: Int64.self)
    case .time, .other:
      if steps[i].layout == .time, let time = text.usualTime() { return at.storeBytes(of: time, as: Int64.self) }
      guard steps[i].isQuoted || steps[i].layout == .time else { return try fields[i].read(at, &text) }
      let first = text.offset
      guard let bytes = try text.plainJSONString() else { return try read(i, at, from: try text.jsonString(), at: first) }
      if let byte = steps[i].choices?.byte(of: bytes) { return at.storeBytes(of: byte, as: UInt8.self) }
      try read(i, at, bytes, at: first + 1)
    case .fixedPoint, .int64, .uint32: try getNumber(i, event, &text)
    }
  }

  /// Reads a value from all of `bytes`, which begin at offset `start` of the text.
  private func read(
    _ i: Int, _ at: UnsafeMutableRawPointer, _ bytes: UnsafeBufferPointer<UInt8>, at start: Int
  ) throws(TextError) {
    var inner = ByteReader(bytes)
    do {
      try fields[i].read(at, &inner)
      try inner.expectEnd()
    } catch { throw TextError(error.code, at: start + error.offset) }
  }

  /// Reads a value from text whose escapes have been resolved. An error is located at `start`, the beginning of the value.
  @inline(never)
  private func read(_ i: Int, _ at: UnsafeMutableRawPointer, from text: String, at start: Int) throws(TextError) {
    var text = text
    let code: TextError.Code? = text.withUTF8 { bytes in
      do throws(TextError) {
        try read(i, at, bytes, at: 0)
        return nil
      } catch { return error.code }
    }
    if let code { throw TextError(code, at: start) }
  }

  private func getNumber(_ i: Int, _ event: UnsafeMutableRawPointer, _ text: inout ByteReader) throws(TextError) {
    let at = event + steps[i].offset
    guard steps[i].layout == .fixedPoint else { return try fields[i].read(at, &text) }
    var decimals: UInt8 = 0
    at.storeBytes(of: try text.fixedPoint(decimals: &decimals), as: Int64.self)
    keepDecimals(i, event, decimals)
  }

  /// Several numbers may share one property: it keeps the largest number of decimals among them.
  @inline(__always)
  private func keepDecimals(_ i: Int, _ event: UnsafeMutableRawPointer, _ decimals: UInt8) {
    let d = steps[i].decimalsOffset
    if d >= 0, decimals > event.load(fromByteOffset: d, as: UInt8.self) { event.storeBytes(of: decimals, toByteOffset: d, as: UInt8.self) }
  }

  /// The bits of the fields that may be left out.
  var omittable: UInt64 { all & ~(all >> UInt64(count - constantCount)) }

  /// Sets the fields that may be left out to what they are then.
  @inline(__always)
  private func omitOthers(_ event: UnsafeMutableRawPointer) {
    for i in constantCount..<count { event.storeBytes(of: 0, toByteOffset: steps[i].offset, as: UInt8.self) }
  }

  @inline(__always)
  private func forgetDecimals(_ event: UnsafeMutableRawPointer) {
    for i in 0..<decimalsCount { event.storeBytes(of: 0, toByteOffset: decimalsOffsets[i], as: UInt8.self) }
  }

  @usableFromInline
  func decodeCSV(_ event: UnsafeMutableRawPointer, _ text: inout ByteReader) throws(TextError) {
    forgetDecimals(event)
    omitOthers(event)
    for i in 0..<count {
      do throws(TextError) {
        // Files of before a field was added end without it.
        if i >= constantCount, isAtLineEnd(text) { break }
        if i > 0 { try text.skip(44) }
        if i >= constantCount, isAtLineEnd(text) || text.peek == 44 { continue }
        try getCSV(i, event, &text)
        // Checked here, so that text behind a value is reported as that field's error.
        guard isAtLineEnd(text) || text.peek == 44 else { throw TextError(.unexpected, at: text.offset) }
      } catch { throw TextError(error.code, at: error.offset, field: fields[i].name) }
    }
    if text.peek == 13 { text.at += 1 }
    if !text.isAtEnd { try text.skip(10) }
  }

  private func isAtLineEnd(_ text: borrowing ByteReader) -> Bool { text.isAtEnd || text.peek == 10 || text.peek == 13 }

  private func getCSV(_ i: Int, _ event: UnsafeMutableRawPointer, _ text: inout ByteReader) throws(TextError) {
    let at = event + steps[i].offset
    let start = text.offset
    if text.peek == 34 {
      let unquoted = try text.quotedCSV()
      if unquoted.isEmpty, i >= constantCount { return }
      if steps[i].layout == .text {
        at.assumingMemoryBound(to: String.self).pointee = unquoted
      } else {
        try getQuoted(i, event, unquoted, start)
      }
      return
    }
    switch steps[i].layout {
    case .fixedPoint, .int64, .uint32: try getNumber(i, event, &text)
    case .time: try readTime(i, at, text.csvField(), at: start)
    default: try read(i, at, text.csvField(), at: start)
    }
  }

  /// A date, or a whole number of nanoseconds.
  private func readTime(
    _ i: Int, _ at: UnsafeMutableRawPointer, _ bytes: UnsafeBufferPointer<UInt8>, at start: Int
  ) throws(TextError) {
    // The fifth byte of an ISO date is a hyphen; that of a whole number is not.
    if bytes.count >= 5, bytes[4] == 45 { return try read(i, at, bytes, at: start) }
    var inner = ByteReader(bytes)
    do {
      at.storeBytes(of: try inner.integer(), as: Int64.self)
      try inner.expectEnd()
    } catch { throw TextError(error.code, at: start + error.offset) }
  }

  /// Reads a value between quotation marks that need none, because some programs quote all of theirs.
  @inline(never)
  private func getQuoted(_ i: Int, _ event: UnsafeMutableRawPointer, _ text: String, _ start: Int) throws(TextError) {
    var text = text
    let code: TextError.Code? = text.withUTF8 { bytes in
      var inner = ByteReader(bytes)
      do throws(TextError) {
        switch steps[i].layout {
        case .fixedPoint, .int64, .uint32: try getNumber(i, event, &inner)
        case .time: try readTime(i, event + steps[i].offset, inner.rest(), at: 0)
        default: try read(i, event + steps[i].offset, inner.rest(), at: 0)
        }
        try inner.expectEnd()
        return nil
      } catch { return error.code }
    }
    if let code { throw TextError(code, at: start) }
  }
}
