internal import NIOCore

/// Parses bytes into messages and control frames: it joins fragments, enforces limits and checks text (RFC 6455, section 5).
///
/// A pure value. It holds at most `limit` bytes and one chunk of the socket: a frame that is too large is refused by its header, before its
/// payload is stored, and so are fragments that would be too large together.
struct FrameReader {
  enum Piece {
    case message(WebSocketMessage)
    case ping(ByteBuffer)
    case pong
    case close(CloseCode?, String)
  }

  /// The largest message in bytes.
  let limit: Int
  /// True on a server: clients must mask their frames, and servers must not.
  let expectsMask: Bool
  private var buffer = ByteBuffer()
  /// The header of a frame whose payload is incomplete.
  private var head: FrameHeader?
  /// The fragments that have been joined so far.
  private var parts: (kind: WebSocketMessage.Kind, payload: ByteBuffer)?

  init(limit: Int, expectsMask: Bool) {
    self.limit = limit
    self.expectsMask = expectsMask
  }

  /// The number of bytes that it holds.
  var held: Int { buffer.readableBytes + (parts?.payload.readableBytes ?? 0) }

  mutating func append(_ bytes: consuming ByteBuffer) {
    if buffer.readableBytes == 0 { buffer = bytes } else { buffer.writeBuffer(&bytes) }
  }

  /// The next piece; nil if more bytes are needed. Not to be called after a throw.
  mutating func next() throws(WebSocketError) -> Piece? {
    while true {
      if head == nil {
        guard let head = try FrameHeader(&buffer) else { break }
        try check(head)
        self.head = head
      }
      guard let head, var payload = buffer.readSlice(length: head.length) else { break }
      self.head = nil
      if let mask = head.mask { payload.apply(mask: mask) }
      if let piece = try piece(head, payload) { return piece }
    }
    compact()
    return nil
  }

  /// Releases a chunk of which only the end is left, so that messages that share it are not copied when more bytes arrive.
  private mutating func compact() {
    if buffer.readableBytes == 0 {
      buffer = ByteBuffer()
    } else if buffer.readerIndex > 0 {
      buffer = ByteBuffer(bytes: buffer.readableBytesView)
    }
  }

  private func check(_ head: FrameHeader) throws(WebSocketError) {
    if expectsMask, head.mask == nil { throw .protocolViolation("a frame without a mask from a client") }
    if !expectsMask, head.mask != nil { throw .protocolViolation("a masked frame from a server") }
    switch head.opcode {
    case .continuation where parts == nil: throw .protocolViolation("a continuation of nothing")
    case .text where parts != nil, .binary where parts != nil: throw .protocolViolation("a new message inside another one")
    default: break
    }
    if head.opcode.isControl { return }
    let (total, overflow) = head.length.addingReportingOverflow(parts?.payload.readableBytes ?? 0)
    if overflow || total > limit { throw .tooLarge(bytes: overflow ? .max : total, limit: limit, beginning: beginning(of: head)) }
  }

  /// The first bytes of a message that is refused, as far as they have arrived: its header is enough to refuse it.
  private func beginning(of head: FrameHeader) -> String {
    var start = parts.map { ByteBuffer(bytes: $0.payload.readableBytesView.prefix(Self.shown)) } ?? ByteBuffer()
    let length = min(Self.shown - start.readableBytes, head.length, buffer.readableBytes)
    var rest = ByteBuffer(bytes: buffer.readableBytesView.prefix(length))
    if let mask = head.mask { rest.apply(mask: mask) }
    start.writeBuffer(&rest)
    return String(buffer: start)
  }

  /// How many bytes of a refused message are kept for the error.
  private static let shown = 512

  private mutating func piece(_ head: FrameHeader, _ payload: ByteBuffer) throws(WebSocketError) -> Piece? {
    switch head.opcode {
    case .ping: return .ping(payload)
    case .pong: return .pong
    case .close: return try Self.close(payload)
    case .text where head.isFinal: return .message(try Self.message(.text, payload))
    case .binary where head.isFinal: return .message(try Self.message(.binary, payload))
    case .text, .binary:
      // Copied, so that small fragments do not keep the socket's large chunks alive.
      parts = (head.opcode == .text ? .text : .binary, ByteBuffer(bytes: payload.readableBytesView))
      return nil
    case .continuation:
      var payload = payload
      parts?.payload.writeBuffer(&payload)
      guard head.isFinal, let whole = parts else { return nil }
      parts = nil
      return .message(try Self.message(whole.kind, whole.payload))
    }
  }

  private static func message(_ kind: WebSocketMessage.Kind, _ payload: ByteBuffer) throws(WebSocketError) -> WebSocketMessage {
    let message = WebSocketMessage(kind, payload)
    if kind == .text, !payload.isUTF8 { throw .invalidText(beginning: message.beginning()) }
    return message
  }

  private static func close(_ payload: ByteBuffer) throws(WebSocketError) -> Piece {
    var payload = payload
    if payload.readableBytes == 0 { return .close(nil, "") }
    guard let code = payload.readInteger(as: UInt16.self).map(CloseCode.init), code.isSendable else {
      throw .protocolViolation("a close frame without a proper code")
    }
    guard payload.isUTF8 else { throw .invalidText(beginning: String(buffer: payload)) }
    return .close(code, String(buffer: payload))
  }
}

extension ByteBuffer {
  /// True if all readable bytes together are valid UTF-8.
  var isUTF8: Bool { (try? UTF8Span(validating: readableBytesUInt8Span)) != nil }
}
