package import NIOCore
package import StockbusPlugin
internal import StockbusText
internal import Synchronization

/// The server's side of a WebSocket on a channel whose handshake another server reads and replies to.
package enum WebSocketUpgrade {
  /// The value of `Sec-WebSocket-Accept` for the request's key; nil if the key is not sixteen bytes in Base64 (RFC 6455, section 4.2.1).
  package static func accept(key: String) -> String? {
    guard key.utf8.count == 24, Base64.decode(key)?.count == 16 else { return nil }
    return UpgradeRequest.accept(key)
  }

  /// A connection to which `install` gives its channel. Reading pauses when this many messages, or this many bytes, wait to be received.
  package static func connection(clock: any Timekeeper, messages: Int, bytes: Int) -> WebSocketConnection {
    let connection = WebSocketConnection(clock: clock, isClient: false)
    connection.state.withLock { $0.most = (messages, bytes) }
    return connection
  }

  /// Passes the channel to `connection`, after 101 was written: frames are read from `rest`, which came with the request, and then from the
  /// socket. Called by a handler, on its channel's thread, which removes itself afterwards.
  /// - Parameter limit: the largest message in bytes.
  package static func install(
    _ connection: WebSocketConnection, after handler: any ChannelHandler, in context: ChannelHandlerContext, rest: ByteBuffer, limit: Int
  ) throws {
    try context.pipeline.syncOperations.addHandler(WebSocketHandler(connection, .upgraded, limit: limit), position: .after(handler))
    if rest.readableBytes > 0 { context.fireChannelRead(NIOAny(rest)) }
    context.fireChannelReadComplete()
  }
}

extension WebSocketConnection {
  /// Begins to close the connection, unless this has begun: a second close would cut it, and the client would lose earlier messages.
  package func beginCloseOnce(_ code: CloseCode, _ reason: String = "") {
    let isClosing = state.withLock { if case .closing = $0.phase { true } else { false } }
    if !isClosing { beginClose(code, reason) }
  }

  /// Closes the connection once, and waits like `close`.
  package func closeOnce(_ code: CloseCode, within limit: Duration) async {
    beginCloseOnce(code)
    await finish(within: limit)
  }

  /// Queues whole frames of a server for the next flush, or before a close frame.
  package func queue(_ frames: WebSocketFrames) {
    var bytes = frames.bytes
    state.withLock { state in
      guard case .open = state.phase else { return }
      // The bytes may be shared by many connections.
      if state.outgoing.readableBytes == 0 { state.outgoing = bytes } else { state.outgoing.writeBuffer(&bytes) }
    }
  }

  /// Sends whole frames of a server and returns when they have been written to the socket. Throws like `receive`.
  package nonisolated(nonsending) func send(_ frames: WebSocketFrames) async throws {
    let (channel, verdict) = state.withLock { ($0.channel, $0.verdict) }
    if let verdict { throw verdict }
    guard let channel else { throw WebSocketError.closed(nil, reason: "") }
    do { try await channel.writeAndFlush(frames.bytes).get() } catch {
      throw state.withLock { $0.verdict } ?? .closed(nil, reason: systemWords(error))
    }
  }
}

/// Messages of a server as the bytes of their frames: created once, sent to any number of connections.
package struct WebSocketFrames: Sendable {
  fileprivate(set) var bytes = ByteBuffer()

  package init() {}

  /// The frames of one text message.
  package init(text: String) { add(text: text) }

  /// The number of bytes that are sent.
  package var count: Int { bytes.readableBytes }

  package mutating func add(text: String) {
    var text = text
    text.withUTF8 { bytes.writeFrame(.text, UnsafeRawBufferPointer($0), mask: nil) }
  }

  package mutating func add(binary: [UInt8]) { binary.withUnsafeBytes { bytes.writeFrame(.binary, $0, mask: nil) } }
}
