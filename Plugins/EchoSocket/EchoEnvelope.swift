internal import StockbusPlugin

/// The message that carries an event: `{"seq":17,"event":{"symbol":"AAPL",…}}`.
///
/// A reply is split into number and event without decoding the event. Once the number is known, the event is compared with the one that was
/// sent; an event that was never sent must not be decoded.
enum EchoEnvelope {
  /// The contents of a message.
  enum Reading: Hashable {
    /// The number, and the range of the event in the message.
    case answer(Int64, event: Range<Int>)
    case malformed(reason: String)
  }

  static func write<E: Event>(_ number: Int64, _ event: E, to out: inout ByteWriter) {
    out.append(#"{"seq":"#)
    out.reserve(24)
    out.put(integer: number)
    out.append(#","event":"#)
    E.schema.encodeJSON(event, to: &out)
    out.reserve(1)
    out.put(125)
  }

  /// The number of a message that begins exactly as `write` begins one; nil for any other, which may be a valid reply too.
  static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    var text = ByteReader(bytes)
    guard text.matches(#"{"seq":"#) else { return nil }
    return try? text.integer()
  }

  /// Splits a message; the members may be in either order, with blanks where JSON allows them.
  static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Reading {
    var text = ByteReader(bytes)
    var number: Int64?
    var event: Range<Int>?
    do throws(TextError) {
      try text.open(123)
      for n in 0..<2 {
        if n > 0 { try text.open(44) }
        if number == nil, text.isNext(#""seq""#) {
          try text.open(58)
          text.blanks()
          number = try text.integer()
        } else if event == nil, text.isNext(#""event""#) {
          try text.open(58)
          text.blanks()
          let start = text.offset
          try text.skipValue()
          event = start..<text.offset
        } else {
          throw TextError(.unexpected, at: text.offset)
        }
      }
      try text.open(125)
      text.blanks()
      try text.expectEnd()
    } catch { return .malformed(reason: "\(error)") }
    guard let number, let event else { return .malformed(reason: "a member is missing") }
    return .answer(number, event: event)
  }

  /// Why the event in the range differs from the sent one; nil if it is equal, even if it is written differently.
  static func difference<E: Event>(_ bytes: UnsafeBufferPointer<UInt8>, at range: Range<Int>, from sent: E) -> String? {
    var text = ByteReader(bytes)
    text.at += range.lowerBound
    do throws(TextError) {
      if let field = try E.schema.firstDifference(from: sent, json: &text) { return "'event.\(field)' differs" }
      return text.offset == range.upperBound ? nil : "\(TextError(.unexpected, at: text.offset, field: "event"))"
    } catch {
      var error = error
      error.field = "event" + (error.field.map { ".\(visible($0, limit: 64))" } ?? "")
      return "\(error)"
    }
  }
}

extension ByteReader {
  fileprivate mutating func blanks() { while at < end, [32, 9, 10, 13].contains(at.pointee) { at += 1 } }

  /// Skips blanks and this byte.
  fileprivate mutating func open(_ byte: UInt8) throws(TextError) {
    blanks()
    try skip(byte)
  }

  /// Skips blanks and this word; returns false and stays if something else follows.
  fileprivate mutating func isNext(_ word: StaticString) -> Bool {
    blanks()
    return matches(word)
  }

  fileprivate mutating func matches(_ word: StaticString) -> Bool {
    matches(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  /// Skips a value, by its brackets and quotation marks alone; other errors are found when the value is decoded.
  fileprivate mutating func skipValue() throws(TextError) {
    let first = at
    var depth = 0
    while at < end {
      switch at.pointee {
      case 34:
        at += 1
        while at < end, at.pointee != 34 { at += at.pointee == 92 && end - at > 1 ? 2 : 1 }
        if at == end { throw TextError(.unterminated, at: offset) }
      case 123, 91: depth += 1
      case 125, 93, 44, 32, 9, 10, 13:
        if depth == 0 {
          if at == first { throw TextError(.unexpected, at: offset) }
          return
        }
        if at.pointee == 125 || at.pointee == 93 { depth -= 1 }
      default: break
      }
      at += 1
      // An object, a list or a text is complete with its closing byte.
      if depth == 0, [125, 93, 34].contains(at[-1]) { return }
    }
    throw TextError(.unterminated, at: offset)
  }
}
