internal import StockbusNetwork
internal import NIOCore

/// An operation from a server.
enum NATSOperation: Sendable {
  case info(NATSServerInfo)
  case message(NATSMessage)
  case ping
  case pong
  case ok
  /// An error, without its quotation marks.
  case error(String)
}

/// Parses bytes into operations and enforces limits: the client protocol of NATS, https://docs.nats.io/reference/nats-protocols.
///
/// A pure value. It stores at most the limits and one chunk of the socket: a message that is too large is refused when its line is read.
struct NATSReader {
  let limits: NATSLimits
  private var buffer = ByteBuffer()
  /// How many bytes have been searched for the end of a line, so that a line that arrives byte by byte is not searched again each time.
  private var searched = 0
  /// A message whose payload is incomplete.
  private var head: Head?

  /// A message's line, and the number of its bytes including what follows the line.
  private struct Head {
    var subscription: Int
    var subject: Range<Int>
    var reply: Range<Int>
    /// The number of bytes from the beginning of the frame.
    var payload: Int
    var headers: Int
    var total: Int
    var frame: Int { payload + total + 2 }
  }

  init(limits: NATSLimits) { self.limits = limits }

  /// The number of stored bytes.
  var held: Int { buffer.readableBytes }

  mutating func append(_ bytes: consuming ByteBuffer) {
    if buffer.readableBytes == 0 { buffer = bytes } else { buffer.writeBuffer(&bytes) }
  }

  /// The next operation; nil if more bytes are needed. Not to be called after a throw.
  mutating func next() throws(NATSError) -> NATSOperation? {
    if let head {
      guard buffer.readableBytes >= head.frame else { return nil }
      self.head = nil
      return .message(try message(head))
    }
    guard let line = try lineLength() else {
      compact()
      return nil
    }
    // Most lines are messages.
    if let head = try messageHead(line) {
      if buffer.readableBytes < head.frame {
        self.head = head
        compact()
        return nil
      }
      return .message(try message(head))
    }
    return try other(line)
  }

  /// Takes the next acknowledgements, as far as `form` can read them.
  mutating func take(_ form: AcknowledgementReader, into runs: inout [StoredRun]) {
    if head != nil { return }
    let taken = buffer.withUnsafeReadableBytes { form.take($0.bindMemory(to: UInt8.self), into: &runs) }
    if taken == 0 { return }
    buffer.moveReaderIndex(forwardBy: taken)
    searched = 0
  }

  /// The bytes of the next line without its end; nil if it is incomplete.
  private mutating func lineLength() throws(NATSError) -> Int? {
    let (found, count) = Self.lineFeed(in: buffer, from: searched)
    guard let end = found else {
      if count > limits.line { throw .tooLarge("a line", bytes: count, limit: limits.line) }
      searched = count
      return nil
    }
    searched = 0
    if end > limits.line { throw .tooLarge("a line", bytes: end, limit: limits.line) }
    return end
  }

  private static func lineFeed(in buffer: ByteBuffer, from start: Int) -> (Int?, Int) {
    let bytes = buffer.readableBytesUInt8Span
    var i = start
    while i < bytes.count {
      if bytes[i] == 10 { return (i, bytes.count) }
      i += 1
    }
    return (nil, bytes.count)
  }

  /// The arguments of `MSG subject sid [reply] bytes` or `HMSG subject sid [reply] headers bytes`; nil if the line is another.
  private func messageHead(_ end: Int) throws(NATSError) -> Head? {
    let bytes = buffer.readableBytesUInt8Span
    var at = 0
    let hasHeaders = bytes[0] == UInt8(ascii: "H")
    if hasHeaders { at = 1 }
    guard end >= at + 4, bytes[at] == UInt8(ascii: "M"), bytes[at + 1] == UInt8(ascii: "S"), bytes[at + 2] == UInt8(ascii: "G"),
      bytes[at + 3] == 32 || bytes[at + 3] == 9
    else { return nil }
    at += 4
    let last = bytes[end - 1] == 13 ? end - 1 : end
    // At most five arguments, kept without an array, which would be allocated for each message.
    var words = (0..<0, 0..<0, 0..<0, 0..<0, 0..<0)
    var count = 0
    while at < last {
      if bytes[at] == 32 || bytes[at] == 9 {
        at += 1
        continue
      }
      let begin = at
      while at < last, bytes[at] != 32, bytes[at] != 9 { at += 1 }
      switch count {
      case 0: words.0 = begin..<at
      case 1: words.1 = begin..<at
      case 2: words.2 = begin..<at
      case 3: words.3 = begin..<at
      case 4: words.4 = begin..<at
      default: throw malformed(end)
      }
      count += 1
    }
    let least = hasHeaders ? 4 : 3
    guard count == least || count == least + 1, words.0.count <= NATSLimits.subject, words.1.count <= 18 else { throw malformed(end) }
    let hasReply = count == least + 1
    let reply = hasReply ? words.2 : 0..<0
    let sizes = hasReply ? (words.3, words.4) : (words.2, words.3)
    guard reply.count <= NATSLimits.subject, let subscription = Self.number(bytes, words.1), let first = Self.number(bytes, sizes.0),
      let total = hasHeaders ? Self.number(bytes, sizes.1) : first
    else { throw malformed(end) }
    let headers = hasHeaders ? first : 0
    if headers > limits.headers { throw .tooLarge("headers", bytes: headers, limit: limits.headers) }
    if total > limits.payload { throw .tooLarge("a message", bytes: total, limit: limits.payload) }
    if headers > total { throw malformed(end) }
    return Head(subscription: subscription, subject: words.0, reply: reply, payload: end + 1, headers: headers, total: total)
  }

  /// Digits only, at most 18 of them.
  private static func number(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Int? {
    guard !range.isEmpty, range.count <= 18 else { return nil }
    var value = 0
    for i in range {
      guard bytes[i] >= 48, bytes[i] <= 57 else { return nil }
      value = value * 10 + Int(bytes[i] - 48)
    }
    return value
  }

  private mutating func message(_ head: Head) throws(NATSError) -> NATSMessage {
    guard let frame = buffer.readSlice(length: head.frame) else { throw .protocolViolation("a message is cut") }
    let body = head.payload + head.total
    let ends = frame.readableBytesUInt8Span
    guard ends[body] == 13, ends[body + 1] == 10 else { throw .protocolViolation("a message is not as long as its line says") }
    return NATSMessage(
      subscription: head.subscription, frame: frame, subjectRange: head.subject, replyRange: head.reply,
      headerRange: head.payload..<head.payload + head.headers, payloadRange: head.payload + head.headers..<body)
  }

  private mutating func other(_ end: Int) throws(NATSError) -> NATSOperation {
    guard var line = buffer.readString(length: end) else { throw .protocolViolation("a line is cut") }
    buffer.moveReaderIndex(forwardBy: 1)
    // One character in Swift, two bytes here: the line feed has already been removed.
    if line.utf8.last == 13 { line = String(decoding: line.utf8.dropLast(), as: UTF8.self) }
    let word = line.prefix { $0 != " " && $0 != "\t" }
    let rest = line.dropFirst(word.count).drop { $0 == " " || $0 == "\t" }
    switch word.uppercased() {
    case "PING": return .ping
    case "PONG": return .pong
    case "+OK": return .ok
    case "-ERR": return .error(rest.trimmingApostrophes)
    case "INFO": return .info(try NATSServerInfo(json: rest.utf8))
    default: throw .protocolViolation("an unknown line: \(line.printable.prefix(64))")
    }
  }

  private func malformed(_ end: Int) -> NATSError {
    let beginning = buffer.getSlice(at: buffer.readerIndex, length: min(end, 64)) ?? ByteBuffer()
    let line = String(decoding: beginning.readableBytesView.filter { $0 != 13 }, as: UTF8.self)
    return .protocolViolation("a malformed line: \(line.printable)")
  }

  /// Releases a chunk of which only the end is left, so that messages that share it are not copied when more bytes arrive.
  private mutating func compact() {
    if buffer.readableBytes == 0 {
      buffer = ByteBuffer()
    } else if buffer.readerIndex > 0 {
      buffer = ByteBuffer(bytes: buffer.readableBytesView)
    }
  }
}

extension Substring {
  fileprivate var trimmingApostrophes: String {
    guard count >= 2, first == "'", last == "'" else { return String(self) }
    return String(dropFirst().dropLast())
  }
}
