internal import MarketData

/// JetStream's reply to a published message.
package struct PublishAcknowledgement: Sendable, Hashable {
  /// The message's number in the stream.
  package let sequence: UInt64
  /// True if a message with this id was in the stream already.
  package let isDuplicate: Bool

  package init(sequence: UInt64, isDuplicate: Bool = false) {
    self.sequence = sequence
    self.isDuplicate = isDuplicate
  }

  /// Reads a reply. Throws a `NATSError`: that of JetStream, or `noResponders`.
  package init(_ message: NATSMessage) throws(NATSError) {
    if message.headers?.status == 503 { throw .noResponders(subject: "") }
    if let sequence = message.withPayload({ Self.sequence($0) }) {
      self.init(sequence: sequence)
    } else {
      self = try message.withPayload { bytes throws(NATSError) in try Self.read(bytes) }
    }
  }

  /// The number in `{"stream":"NAME","seq":17}`, with or without a blank after the comma, as servers write it; nil for any other text.
  static func sequence(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64? {
    var text = ByteReader(bytes)
    guard text.matches(#"{"stream":""#) else { return nil }
    while text.at < text.end, text.at.pointee != 34 { text.at += 1 }
    guard text.matches("\",") else { return nil }
    if text.peek == 32 { text.at += 1 }
    guard text.matches(#""seq":"#), let value = try? text.integer(), text.matches("}"), text.isAtEnd, value > 0 else { return nil }
    return UInt64(value)
  }

  private struct Document: Decodable {
    var seq: StreamNumber?
    var duplicate: Bool?
    var error: JetStreamFault?
  }

  private static func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(NATSError) -> PublishAcknowledgement {
    let document = try JetStreamJSON.decode(Document.self, Array(bytes))
    if let error = document.error { throw .jetStream(error.problem) }
    guard let sequence = document.seq?.value, sequence > 0 else { throw .protocolViolation("an acknowledgement without a number") }
    return PublishAcknowledgement(sequence: sequence, isDuplicate: document.duplicate ?? false)
  }
}

extension NATSMessage {
  /// The number at the end of the subject, after the last dot; nil if there is none.
  package var subjectNumber: Int? {
    withSubject { subject in
      guard let dot = subject.lastIndex(of: 46) else { return nil }
      let digits = subject[(dot + 1)...]
      guard !digits.isEmpty, digits.count <= 18 else { return nil }
      var value = 0
      for digit in digits {
        guard digit >= 48, digit <= 57 else { return nil }
        value = value * 10 + Int(digit - 48)
      }
      return value
    }
  }
}

extension ByteReader {
  mutating func matches(_ word: StaticString) -> Bool {
    matches(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }
}
