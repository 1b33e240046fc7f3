internal import NIOCore

/// Parses bytes into messages and control frames: it joins fragments, enforces limits and checks text (RFC 6455, section 5).
///
/// A pure value. It stores at most `limit` bytes and one chunk of the socket: a frame that is too large is refused when its header is read,
/// before its payload is stored, and so are fragments that would be too large together.
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
  private var parts: (kind: WebSocketMessage.Kind, payload: ByteBuffer, isCompressed: Bool)?
  /// Nil if compressed messages have not been agreed on.
  private let inflation: Inflation?

  /// How compressed messages are read.
  struct Inflation {
    let inflater: Inflater
    /// True if each message is compressed without reference to earlier ones.
    let forgets: Bool
  }

  init(limit: Int, expectsMask: Bool, inflation: Inflation? = nil) {
    self.limit = limit
    self.expectsMask = expectsMask
    self.inflation = inflation
  }

  /// The number of stored bytes.
  var held: Int { buffer.readableBytes + (parts?.payload.readableBytes ?? 0) }

  mutating func append(_ bytes: consuming ByteBuffer) {
    if buffer.readableBytes == 0 { buffer = bytes } else { buffer.writeBuffer(&bytes) }
  }

  /// The next piece; nil if more bytes are needed. Not to be called after a throw.
  mutating func next() throws(WebSocketError) -> Piece? {
    while true {
      if head == nil {
        guard let head = try FrameHeader(&buffer, allowsCompression: inflation != nil) else { break }
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
    case .continuation where parts == nil: throw .protocolViolation("a continuation frame without a message")
    case .text where parts != nil, .binary where parts != nil: throw .protocolViolation("a new message inside another one")
    default: break
    }
    if head.opcode.isControl { return }
    let (total, overflow) = head.length.addingReportingOverflow(parts?.payload.readableBytes ?? 0)
    if overflow || total > limit { throw .tooLarge(bytes: overflow ? .max : total, limit: limit, beginning: beginning(of: head)) }
  }

  /// The first bytes of a refused message, as far as they have arrived: the header suffices to refuse it.
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
    case .text where head.isFinal: return .message(try message(.text, payload, head.isCompressed))
    case .binary where head.isFinal: return .message(try message(.binary, payload, head.isCompressed))
    case .text, .binary:
      // Copied, so that small fragments do not keep the socket's large chunks alive.
      parts = (head.opcode == .text ? .text : .binary, ByteBuffer(bytes: payload.readableBytesView), head.isCompressed)
      return nil
    case .continuation:
      var payload = payload
      parts?.payload.writeBuffer(&payload)
      guard head.isFinal, let whole = parts else { return nil }
      parts = nil
      return .message(try message(whole.kind, whole.payload, whole.isCompressed))
    }
  }

  private func message(
    _ kind: WebSocketMessage.Kind, _ payload: ByteBuffer, _ isCompressed: Bool
  ) throws(WebSocketError) -> WebSocketMessage {
    let payload = isCompressed ? try inflated(payload) : payload
    let message = WebSocketMessage(kind, payload)
    if kind == .text, !payload.isUTF8 {
      // Some venues send gzip as text.
      if payload.readableBytesView.starts(with: [0x1f, 0x8b]) { return WebSocketMessage(.binary, payload) }
      throw .invalidText(beginning: message.beginning())
    }
    return message
  }

  @inline(never)
  private func inflated(_ payload: ByteBuffer) throws(WebSocketError) -> ByteBuffer {
    guard let inflation else { return payload }
    if inflation.forgets { inflation.inflater.forget() }
    // A result instead of a throw inside, because the buffer's closure cannot throw a typed error.
    let result: Result<ByteBuffer, Inflater.Fault> = payload.withUnsafeReadableBytes { bytes in
      do throws(Inflater.Fault) { return .success(try inflation.inflater.message(bytes, limit: limit)) } catch { return .failure(error) }
    }
    do throws(Inflater.Fault) { return try result.get() } catch {
      switch error {
      case .damaged(let words): throw .protocolViolation("a compressed message that is damaged: \(words)")
      case .endsTooEarly: throw .protocolViolation("a compressed message that ends too early")
      case .tooLarge(let beginning):
        throw .tooLarge(bytes: limit + 1, limit: limit, beginning: String(decoding: beginning, as: UTF8.self))
      }
    }
  }

  private static func close(_ payload: ByteBuffer) throws(WebSocketError) -> Piece {
    var payload = payload
    if payload.readableBytes == 0 { return .close(nil, "") }
    guard let code = payload.readInteger(as: UInt16.self).map(CloseCode.init), code.isSendable else {
      throw .protocolViolation("a close frame with an invalid code")
    }
    guard payload.isUTF8 else { throw .invalidText(beginning: String(buffer: payload)) }
    return .close(code, String(buffer: payload))
  }
}

extension ByteBuffer {
  /// True if all readable bytes together are valid UTF-8.
  var isUTF8: Bool { (try? UTF8Span(validating: readableBytesUInt8Span)) != nil }
}
