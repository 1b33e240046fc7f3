internal import NIOCore
internal import StockbusNetwork

/// What the task of a connection asks of its channel.
enum WebCommand: Sendable {
  /// Reads the next request.
  case proceed
  /// Reads and discards what still comes, so that the response before is not lost by a reset.
  case discard
  /// Makes it a WebSocket.
  case upgrade(WebSocketConnection, limit: Int)
}

/// The last handler of a channel's pipeline: bytes to requests. Used only on its channel's thread. It reads no further while a request is
/// being answered.
final class WebHandler: ChannelInboundHandler, ChannelOutboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum Mode {
    case reading
    /// A request, or a fault, is being answered.
    case waiting
    case discarding(Int)
    case upgraded
  }

  private let connection: WebConnection
  private var reader: RequestReader
  private var mode = Mode.reading
  private var isInputClosed = false
  /// The most bytes that are discarded after a refusal.
  private static let discarded = 1 << 20

  init(_ connection: WebConnection, _ reader: RequestReader) {
    self.connection = connection
    self.reader = reader
  }

  func channelActive(context: ChannelHandlerContext) {
    if connection.connected(context.channel) { context.read() } else { context.close(promise: nil) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    switch mode {
    case .reading, .waiting: reader.append(bytes)
    case .discarding(let count):
      mode = .discarding(count + bytes.readableBytes)
      bytes.clear()
      if count > Self.discarded { context.close(promise: nil) }
    case .upgraded: context.fireChannelRead(data)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    switch mode {
    case .reading: advance(context)
    case .waiting: break
    case .discarding: context.read()
    case .upgraded: context.fireChannelReadComplete()
    }
  }

  /// Parses what has come; reads on if it is not a whole request.
  private func advance(_ context: ChannelHandlerContext) {
    do throws(RequestFault) {
      if let whole = try reader.next() {
        mode = .waiting
        return connection.deliver(whole)
      }
      if reader.takeContinue() {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
      }
      if isInputClosed { return context.close(promise: nil) }
      connection.note(reader.phase)
      context.read()
    } catch {
      mode = .waiting
      connection.deliver(error)
    }
  }

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    guard let command = event as? WebCommand else { return context.triggerUserOutboundEvent(event, promise: promise) }
    switch command {
    case .proceed:
      mode = .reading
      advance(context)
    case .discard:
      mode = .discarding(0)
      context.close(mode: .output, promise: nil)
      if isInputClosed { context.close(promise: nil) } else { context.read() }
    case .upgrade(let socket, let limit):
      mode = .upgraded
      do {
        try WebSocketUpgrade.install(socket, after: self, in: context, rest: reader.takeRest(), limit: limit)
        // From now on the end of what the client sends is the end of the connection.
        try context.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: false)
        if isInputClosed { context.close(promise: nil) }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
      } catch { context.close(promise: nil) }
    }
    promise?.succeed()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case .some(.inputClosed) = event as? ChannelEvent else { return context.fireUserInboundEventTriggered(event) }
    // The client sends nothing more, but may still read the response to what it has sent.
    isInputClosed = true
    switch mode {
    case .reading, .discarding: context.close(promise: nil)
    case .waiting: break
    case .upgraded: context.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    connection.gone()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if case .upgraded = mode { return context.fireErrorCaught(error) }
    connection.failed(error)
    context.close(promise: nil)
  }
}
