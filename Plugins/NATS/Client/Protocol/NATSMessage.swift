package import NIOCore

/// A message of a subscription. Its parts are slices of the buffer that was read; bytes are copied only when they are requested.
package struct NATSMessage: Sendable {
  /// The number of the subscription.
  package let subscription: Int
  /// The line's arguments, headers and payload.
  let frame: ByteBuffer
  // Offsets from the frame's first readable byte.
  let subjectRange: Range<Int>
  let replyRange: Range<Int>
  let headerRange: Range<Int>
  let payloadRange: Range<Int>

  package var subject: String { text(subjectRange) }
  /// The subject for a reply or an acknowledgement; nil if none is wanted.
  package var reply: String? { replyRange.isEmpty ? nil : text(replyRange) }
  /// The headers; nil if the message has none.
  package var headers: NATSHeaders? {
    guard !headerRange.isEmpty else { return nil }
    return slice(headerRange).map { NATSHeaders($0) }
  }
  package var payload: ByteBuffer { slice(payloadRange) ?? ByteBuffer() }
  /// Bytes of headers and payload.
  package var count: Int { headerRange.count + payloadRange.count }

  /// Calls `body` with the payload's bytes.
  package func withPayload<R, E: Error>(_ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R) throws(E) -> R {
    try lend(payloadRange, body)
  }

  /// Calls `body` with the subject's bytes.
  package func withSubject<R, E: Error>(_ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R) throws(E) -> R {
    try lend(subjectRange, body)
  }

  /// Calls `body` with the bytes of `reply`, none if there is no reply subject.
  package func withReply<R, E: Error>(_ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R) throws(E) -> R {
    try lend(replyRange, body)
  }

  /// Calls `body` with the value of the first field of this name, without surrounding blanks; nil if there is none. Creates no text,
  /// because every message has such fields.
  package func withHeader<R>(_ name: StaticString, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R? {
    let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    return lend(headerRange) { bytes in
      var at = 0
      while at < bytes.count {
        var end = at
        while end < bytes.count, bytes[end] != 10 { end += 1 }
        // A line: name, colon, value.
        if end - at > name.count, bytes[at + name.count] == 58, bytes[at..<at + name.count].elementsEqual(name) {
          var first = at + name.count + 1
          var last = end
          while first < last, bytes[first] == 32 || bytes[first] == 9 { first += 1 }
          while last > first, [13, 32, 9].contains(bytes[last - 1]) { last -= 1 }
          return body(UnsafeBufferPointer(rebasing: bytes[first..<last]))
        }
        at = end + 1
      }
      return nil
    }
  }

  /// The beginning of the payload, for a dead letter; invalid UTF-8 is replaced.
  package func beginning(_ limit: Int = 4096) -> String {
    withPayload { String(decoding: $0.prefix(limit), as: UTF8.self) }
  }

  private func lend<R, E: Error>(_ range: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R) throws(E) -> R {
    // A result instead of a throw inside, because the buffer's closure cannot throw a typed error.
    let result: Result<R, E> = frame.withUnsafeReadableBytes { bytes in
      // The reader has taken the range from the frame's own bytes.
      let part = UnsafeRawBufferPointer(rebasing: bytes[range]).bindMemory(to: UInt8.self)
      do throws(E) { return .success(try body(part)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private func slice(_ range: Range<Int>) -> ByteBuffer? { frame.getSlice(at: frame.readerIndex + range.lowerBound, length: range.count) }

  private func text(_ range: Range<Int>) -> String { lend(range) { String(decoding: $0, as: UTF8.self) } }
}
