internal import StockbusPlugin

/// An event on its way: `{"seq":17,"event":{"symbol":"AAPL",…}}`.
enum EchoEnvelope<E: Event> {
  /// What a message is.
  enum Reading {
    case answer(Int64, E)
    /// The number can be told, the event not.
    case altered(Int64, reason: String)
    case malformed(reason: String)
  }

  static func write(_ number: Int64, _ event: E, to out: inout ByteWriter) {
    out.append(#"{"seq":"#)
    out.reserve(24)
    out.put(integer: number)
    out.append(#","event":"#)
    E.schema.encodeJSON(event, to: &out)
    out.reserve(1)
    out.put(125)
  }

  /// Reads one; members in either order, blanks where JSON allows them.
  static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Reading {
    var text = ByteReader(bytes)
    var number: Int64?
    var event: E?
    var isAltered = false
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
          let start = text.offset
          do { event = try E.schema.decodeJSON(&text) } catch {
            isAltered = true
            var error = error
            error.field = "event" + (error.field.map { ".\($0)" } ?? "")
            if error.offset < start { error.offset = start }
            throw error
          }
        } else {
          throw TextError(.unexpected, at: text.offset)
        }
      }
      try text.open(125)
      text.blanks()
      try text.expectEnd()
    } catch {
      if isAltered, let number { return .altered(number, reason: "\(error)") }
      return .malformed(reason: "\(error)")
    }
    guard let number, let event else { return .malformed(reason: "a member is missing") }
    return .answer(number, event)
  }
}

extension ByteReader {
  fileprivate mutating func blanks() { while at < end, [32, 9, 10, 13].contains(at.pointee) { at += 1 } }

  /// Goes past blanks and this byte.
  fileprivate mutating func open(_ byte: UInt8) throws(TextError) {
    blanks()
    try skip(byte)
  }

  /// Goes past blanks and this word, or stays.
  fileprivate mutating func isNext(_ word: StaticString) -> Bool {
    blanks()
    return matches(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }
}
