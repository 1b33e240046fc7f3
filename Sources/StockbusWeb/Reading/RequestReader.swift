internal import NIOCore

/// Parses bytes into requests: heads within their limits, bodies with a length or in chunks (RFC 9112).
///
/// A pure value. It holds at most a head and a body at their limits, and one chunk of the socket.
struct RequestReader {
  /// A head with its whole body.
  struct Whole {
    let head: RequestHead
    let body: [UInt8]
  }

  /// What it waits for.
  enum Phase: Sendable, Hashable {
    /// The first byte of a request.
    case idle
    case head, body
  }

  private enum State {
    case head
    case length(RequestHead, Int)
    case chunkSize(RequestHead)
    case chunk(RequestHead, Int)
    /// After the last chunk: fields, which are discarded, and an empty line.
    case trailer(RequestHead, Int)
  }

  private let limits: WebLimits
  private let bodyLimit: @Sendable (RequestHead) -> Int
  private var buffer = ByteBuffer()
  private var state = State.head
  /// How many bytes of a head have been searched for its end.
  private var searched = 0
  /// True if the empty line that may be before a request has come.
  private var hasOverlooked = false
  private var body: [UInt8] = []
  private var limit = 0
  /// True once after a head whose client waits for 100.
  private var owesContinue = false

  /// - Parameter bodyLimit: the most bytes of the body after this head.
  init(limits: WebLimits, bodyLimit: @escaping @Sendable (RequestHead) -> Int) {
    self.limits = limits
    self.bodyLimit = bodyLimit
  }

  var phase: Phase {
    switch state {
    case .head: buffer.readableBytes == 0 ? .idle : .head
    default: .body
    }
  }

  /// The number of bytes that it holds.
  var held: Int { buffer.readableBytes + body.count }

  mutating func append(_ bytes: consuming ByteBuffer) {
    if buffer.readableBytes == 0 { buffer = bytes } else { buffer.writeBuffer(&bytes) }
  }

  /// What has come after the last request.
  mutating func takeRest() -> ByteBuffer {
    defer { buffer = ByteBuffer() }
    return buffer
  }

  /// Returns true once if the client waits for 100 before it sends the body.
  mutating func takeContinue() -> Bool {
    defer { owesContinue = false }
    return owesContinue
  }

  /// The next request; nil if more bytes are needed. Not to be called after a throw.
  mutating func next() throws(RequestFault) -> Whole? {
    while true {
      switch state {
      case .head:
        guard let head = try readHead() else { return nil }
        limit = bodyLimit(head)
        body = []
        switch head.body {
        case .length(let length):
          if length > limit { throw tooLarge }
          state = .length(head, length)
        case .chunked: state = .chunkSize(head)
        }
        owesContinue = head.expectsContinue && buffer.readableBytes == 0 && head.body != .length(0)
      case .length(let head, let length):
        guard let part = take(upTo: length - body.count) else { return length == 0 ? end(head) : nil }
        body += part
        if body.count == length { return end(head) }
      case .chunkSize(let head):
        // A size of eight digits; what may follow it after a semicolon is not for us.
        guard let line = try readLine(limit: 64, "a chunk's size") else { return nil }
        let digits = line.prefix { hexadecimal($0) != nil }
        let rest = line.dropFirst(digits.count)
        guard !digits.isEmpty, digits.count <= 8, rest.first.map({ $0 == 59 || $0 == 32 || $0 == 9 }) ?? true else {
          throw .malformed("a chunk without a proper size")
        }
        let size = digits.reduce(0) { $0 << 4 | Int(hexadecimal($1) ?? 0) }
        if body.count + size > limit { throw tooLarge }
        state = size == 0 ? .trailer(head, 0) : .chunk(head, size)
      case .chunk(let head, let left):
        if left > 0 {
          guard let part = take(upTo: left) else { return nil }
          body += part
          state = .chunk(head, left - part.count)
        } else {
          guard let line = try readLine(limit: 2, "the end of a chunk") else { return nil }
          if !line.isEmpty { throw .malformed("a chunk that is longer than its size") }
          state = .chunkSize(head)
        }
      case .trailer(let head, let bytes):
        guard let line = try readLine(limit: 1024 - bytes, "the fields after a body") else { return nil }
        if line.isEmpty { return end(head) }
        state = .trailer(head, bytes + line.count + 2)
      }
    }
  }

  private var tooLarge: RequestFault { RequestFault(413, .body, "a body of more than \(limit) bytes") }

  private mutating func end(_ head: RequestHead) -> Whole {
    defer {
      state = .head
      body = []
      owesContinue = false
      // What follows does not keep the socket's whole chunk alive.
      buffer = buffer.readableBytes == 0 ? ByteBuffer() : ByteBuffer(bytes: buffer.readableBytesView)
    }
    return Whole(head: head, body: body)
  }

  private mutating func readHead() throws(RequestFault) -> RequestHead? {
    // One empty line before a request is overlooked (RFC 9112, section 2.2).
    if !hasOverlooked, buffer.readableBytesView.first == 13 {
      guard let pair = buffer.getInteger(at: buffer.readerIndex, as: UInt16.self) else { return nil }
      if pair == 0x0d0a { buffer.moveReaderIndex(forwardBy: 2) }
      hasOverlooked = true
    }
    if let first = buffer.readableBytesView.first, !(65...90).contains(first) { throw .malformed("no HTTP") }
    let view = buffer.readableBytesView.prefix(limits.head + 4)
    var at = view.startIndex + max(0, searched - 3)
    while at + 4 <= view.endIndex {
      if view[at] == 13, view[at + 1] == 10, view[at + 2] == 13, view[at + 3] == 10 {
        let head = try RequestHead(view[view.startIndex..<(at + 2)].dropLast(), limits: limits)
        buffer.moveReaderIndex(forwardBy: at + 4 - view.startIndex)
        searched = 0
        hasOverlooked = false
        return head
      }
      at += 1
    }
    searched = view.count
    if buffer.readableBytes >= limits.head + 4 {
      throw RequestFault(431, .head, "a head of more than \(limits.head) bytes")
    }
    return nil
  }

  /// A line without its end; nil if it is incomplete.
  private mutating func readLine(limit: Int, _ what: String) throws(RequestFault) -> [UInt8]? {
    let view = buffer.readableBytesView.prefix(limit + 2)
    guard let end = view.firstIndex(of: 10) else {
      if view.count > limit + 1 { throw .malformed("\(what) is too long") }
      return nil
    }
    guard end > view.startIndex, view[end - 1] == 13 else { throw .malformed("\(what) does not end with CR LF") }
    let line = Array(view[view.startIndex..<(end - 1)])
    buffer.moveReaderIndex(forwardBy: end + 1 - view.startIndex)
    return line
  }

  private mutating func take(upTo count: Int) -> [UInt8]? {
    let length = min(count, buffer.readableBytes)
    return length == 0 ? nil : buffer.readBytes(length: length)
  }
}
