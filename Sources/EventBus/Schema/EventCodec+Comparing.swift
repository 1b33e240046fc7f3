public import MarketData

// Compares an event with JSON that should be the same event, such as an echo from a remote end. No event is built from the text and no
// symbol is created: names are compared as bytes.
extension EventCodec {
  /// The first field, in the order of the text, whose value differs; nil if none does.
  @usableFromInline
  func firstDifference(_ event: UnsafeRawPointer, _ copy: UnsafeMutableRawPointer, _ text: inout ByteReader) throws(TextError) -> String? {
    var seen: UInt64 = 0
    text.skipBlanks()
    try text.skip(123)
    text.skipBlanks()
    for n in 0...count {
      if n == 0, text.peek == 125 { break }
      if n > 0 {
        text.skipBlanks()
        try text.skip(44)
        text.skipBlanks()
      }
      let at = text.offset
      let hit = try search(&text)
      if seen & (1 &<< UInt64(hit)) != 0 { throw TextError(.unexpected, at: at, field: fields[hit].name) }
      text.skipBlanks()
      do throws(TextError) {
        if try !isSame(hit, event, copy, &text) { return fields[hit].name }
      } catch { throw TextError(error.code, at: error.offset, field: fields[hit].name) }
      seen |= 1 &<< UInt64(hit)
      text.skipBlanks()
      if text.peek == 125 { break }
    }
    if seen != all { throw TextError(.missing, at: text.offset, field: fields[(~seen).trailingZeroBitCount].name) }
    try text.skip(125)
    return nil
  }

  /// Reads the value of field `i`; returns false if it differs from the event's.
  private func isSame(
    _ i: Int, _ event: UnsafeRawPointer, _ copy: UnsafeMutableRawPointer, _ text: inout ByteReader
  ) throws(TextError) -> Bool {
    let at = event + steps[i].offset
    switch steps[i].layout {
    case .symbol: return try isText(at.load(as: Symbol.self).utf8, &text)
    case .fixedPoint:
      var decimals: UInt8 = 0
      return try text.fixedPoint(decimals: &decimals) == at.load(as: Int64.self)
    case .time: return try time(&text) == at.load(as: Int64.self)
    case .int64: return try text.integer() == at.load(as: Int64.self)
    case .text:
      var own = at.assumingMemoryBound(to: String.self).pointee
      let said = try text.jsonString()
      return own.withUTF8 { said.utf8.elementsEqual($0) }
    case .other where steps[i].isQuoted: return try written(i, at).withBytes { own throws(TextError) in try isText(own, &text) }
    case .uint32, .other:
      // A number of any other type: decoded into a copy of the event, and compared by its written form.
      try fields[i].read(copy + steps[i].offset, &text)
      let said = written(i, UnsafeRawPointer(copy + steps[i].offset))
      return written(i, at).withBytes { own in said.withBytes { $0.elementsEqual(own) } }
    }
  }

  /// A whole number of nanoseconds, or a date between quotation marks.
  private func time(_ text: inout ByteReader) throws(TextError) -> Int64 {
    if text.peek != 34 { return try text.integer() }
    if let time = text.usualTime() { return time }
    let first = text.offset
    guard let bytes = try text.plainJSONString() else { throw TextError(.badTime, at: first) }
    var inner = ByteReader(bytes)
    do throws(TextError) {
      let time = try inner.iso8601()
      try inner.expectEnd()
      return time.ns
    } catch { throw TextError(error.code, at: first + 1 + error.offset) }
  }

  /// True if the next JSON string has this text, with or without escapes.
  private func isText(_ own: UnsafeBufferPointer<UInt8>, _ text: inout ByteReader) throws(TextError) -> Bool {
    if let bytes = try text.plainJSONString() { return bytes.elementsEqual(own) }
    return try text.jsonString().utf8.elementsEqual(own)
  }

  /// The value as the field writes it, without quotation marks.
  private func written(_ i: Int, _ at: UnsafeRawPointer) -> ByteWriter {
    var out = ByteWriter(capacity: fields[i].width(at) + 16)
    out.reserve(fields[i].width(at) + 16)
    fields[i].write(at, &out)
    return out
  }
}

extension EventSchema {
  /// The first field of the next JSON object whose value differs from `event`'s; nil if the object equals `event`, with any order of keys,
  /// blanks, escapes, and forms of numbers and times.
  ///
  /// For text that should come back as it was sent: it builds no event, so no name in the text becomes a symbol. Throws as decoding does if
  /// the text is no such object; what follows the first difference is not read.
  @inlinable
  package func firstDifference(from event: E, json text: inout ByteReader) throws(TextError) -> String? {
    var copy = event
    return try withUnsafePointer(to: event) { own throws(TextError) in
      try withUnsafeMutablePointer(to: &copy) { at throws(TextError) in try codec.firstDifference(own, at, &text) }
    }
  }
}
