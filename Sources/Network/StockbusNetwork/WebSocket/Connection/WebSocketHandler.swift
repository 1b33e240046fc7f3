internal import NIOCore
internal import StockbusPlugin
internal import Synchronization

/// The last handler of a channel's pipeline: transfers bytes to and from a `WebSocketConnection`. Used only on its channel's thread.
final class WebSocketHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  enum Role {
    case client(UpgradeRequest)
    /// `echoes`: messages are sent back at once, without involving the connection's owner.
    case server(echoes: Bool)
    /// The server's side of a channel on which another handler has already accepted the handshake.
    case upgraded
  }

  private let connection: WebSocketConnection
  private let role: Role
  private let limit: Int
  /// Nil before the handshake, and after the end.
  private var reader: FrameReader?
  private var head = ByteBuffer()
  /// How many bytes of the head have been searched for its end, so that a head that arrives byte by byte is not searched again each time.
  private var searched = 0
  private var isShaking = true
  private var failure: WebSocketError?
  // The results of one read.
  private var messages: [WebSocketMessage] = []
  private var bytes = 0
  private var hasMessage = false
  /// The payload of the last ping without a pong; one pong for it serves all earlier pings (RFC 6455, section 5.5.3).
  private var ping: ByteBuffer?
  private var echo = ByteBuffer()
  private(set) var echoed = 0
  private let countEchoes: @Sendable (Int) -> Void

  init(_ connection: WebSocketConnection, _ role: Role, limit: Int, countEchoes: @escaping @Sendable (Int) -> Void = { _ in }) {
    self.connection = connection
    self.role = role
    self.limit = limit
    self.countEchoes = countEchoes
  }

  func handlerAdded(context: ChannelHandlerContext) {
    guard case .upgraded = role else { return }
    isShaking = false
    reader = FrameReader(limit: limit, expectsMask: true)
    guard connection.connected(context.channel), connection.opened() else { return context.close(promise: nil) }
  }

  func channelActive(context: ChannelHandlerContext) {
    guard connection.connected(context.channel) else { return context.close(promise: nil) }
    if case .client(let request) = role { context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request.text)), promise: nil) }
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var data = unwrapInboundIn(data)
    if isShaking {
      head.writeBuffer(&data)
      guard shake(context) else { return }
      data = head
      head = ByteBuffer()
    }
    if reader == nil || connection.state.withLock({ $0.isStalled }) { return }
    reader?.append(data)
    do throws(WebSocketError) {
      while let piece = try reader?.next() { take(piece) }
    } catch {
      reader = nil
      failure = error
    }
  }

  private func take(_ piece: FrameReader.Piece) {
    switch piece {
    case .message(let message):
      hasMessage = true
      if case .server(echoes: true) = role {
        echo.writeFrame(message)
        echoed += 1
        return
      }
      messages.append(message)
      bytes += message.count
    case .ping(let payload): ping = payload
    case .pong: break
    case .close(let code, let reason):
      reader = nil
      finishRead()
      connection.closeReceived(code, reason)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    reply(context)
    let mayRead = finishRead()
    if let failure {
      self.failure = nil
      connection.fail(failure)
    }
    // An echo must not continue reading while the peer does not take its messages.
    if mayRead, context.channel.isWritable || !isEcho { context.read() }
    context.fireChannelReadComplete()
  }

  private var isEcho: Bool { if case .server(echoes: true) = role { true } else { false } }

  @discardableResult
  private func finishRead() -> Bool {
    if isShaking { return true }
    defer {
      messages = []
      bytes = 0
      hasMessage = false
    }
    return connection.deliver(messages, bytes: bytes, hasMessage: hasMessage) || reader == nil
  }

  private func reply(_ context: ChannelHandlerContext) {
    var out = echo
    if echoed > 0 {
      echo = ByteBuffer()
      countEchoes(echoed)
      echoed = 0
    }
    // A peer that sends pings without reading the replies must not fill the memory.
    if let ping, context.channel.isWritable {
      let mask = connection.isClient ? connection.state.withLock { $0.masks.next() } : nil
      ping.withUnsafeReadableBytes { out.writeFrame(.pong, $0, mask: mask) }
      self.ping = nil
    }
    if out.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(out), promise: nil) }
  }

  /// Checks whether the handshake is complete; returns true if frames may follow.
  private func shake(_ context: ChannelHandlerContext) -> Bool {
    // Input that does not begin with an HTTP method, such as TLS, is refused at once.
    if case .server = role, let first = head.readableBytesView.first, !(65...90).contains(first) {
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: UpgradeResponse.refusal("400 Bad Request").text)), promise: nil)
      refuse(context, .badHandshake("not HTTP"))
      return false
    }
    guard let end = head.readableBytesView.firstRange(ofBlankLine: max(0, searched - 3)) else {
      searched = head.readableBytes
      if head.readableBytes > HTTPHead.limit { refuse(context, .badHandshake("more than \(HTTPHead.limit) bytes without an end")) }
      return false
    }
    let text = head.readSlice(length: end) ?? ByteBuffer()
    head.moveReaderIndex(forwardBy: 4)
    guard end <= HTTPHead.limit, let parsed = HTTPHead(text.readableBytesView) else {
      refuse(context, .badHandshake("the head is malformed"))
      return false
    }
    var inflation: FrameReader.Inflation?
    do throws(WebSocketError) {
      switch role {
      case .client(let request):
        if let terms = try request.check(parsed, now: connection.clock.wall) {
          guard let inflater = Inflater(.bare) else { throw .badHandshake("no memory for decompression") }
          inflation = FrameReader.Inflation(inflater: inflater, forgets: terms.forgets)
        }
      case .server, .upgraded:
        let reply = UpgradeResponse.reply(parsed)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: reply.text)), promise: nil)
        if !reply.isAccepted { throw .badHandshake("not a WebSocket request: \(parsed.firstLine.printable)") }
      }
    } catch {
      refuse(context, error)
      return false
    }
    isShaking = false
    reader = FrameReader(limit: limit, expectsMask: !connection.isClient, inflation: inflation)
    return connection.opened()
  }

  private func refuse(_ context: ChannelHandlerContext, _ error: WebSocketError) {
    isShaking = false
    head = ByteBuffer()
    _ = connection.end(error)
    context.close(promise: nil)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      connection.room.ring()
      if isEcho { context.read() }
    }
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    finishRead()
    connection.gone(isShaking ? .badHandshake("the connection was closed before its end") : .closed(nil, reason: ""))
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let host = if case .client(let request) = role { request.url.host } else { "the client" }
    finishRead()
    if let words = tlsFailure(error, host: host, plain: "ws://"), isShaking {
      _ = connection.end(.tls(words))
    } else {
      _ = connection.end(.closed(nil, reason: systemWords(error)))
    }
    context.close(promise: nil)
  }
}

extension Collection<UInt8> where Index == Int {
  /// The number of bytes before the first empty line; nil if there is none. The first `offset` bytes have been searched already.
  fileprivate func firstRange(ofBlankLine offset: Int) -> Int? {
    var at = startIndex + offset
    while at + 4 <= endIndex {
      if self[at] == 13, self[at + 1] == 10, self[at + 2] == 13, self[at + 3] == 10 { return at - startIndex }
      at += 1
    }
    return nil
  }
}

extension ByteBuffer {
  mutating func writeFrame(_ message: WebSocketMessage) {
    message.payload.withUnsafeReadableBytes { writeFrame(message.kind == .text ? .text : .binary, $0, mask: nil) }
  }
}
