internal import NIOCore
internal import NIOHTTP1
internal import StockbusTLS

/// The handler in front of NIO's reader of requests: reports when bytes arrive, ends connections whose bytes give no request, discards
/// unwanted bytes, and cuts the connection. Used only on its channel's thread.
final class WebIntake: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let connection: WebConnection
  /// The most bytes from which NIO's reader produces no part of a request. Its own limits do not count blanks, line ends and the text after
  /// a chunk's size, but it may keep them. Nil once the connection is a WebSocket.
  private var limit: Int?
  private var bytesWithoutProgress = 0
  /// How many bytes have been discarded; nil while they are wanted.
  private var discarded: Int?
  private var isInputClosed = false
  /// The most bytes that are discarded after a refusal.
  private static let discardLimit = 1 << 20

  init(_ connection: WebConnection, limit: Int) {
    self.connection = connection
    self.limit = limit
  }

  /// Notes that NIO's reader has produced a part of a request.
  func noteProgress() { bytesWithoutProgress = 0 }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard let discarded else {
      connection.noteBytes()
      bytesWithoutProgress += Self.unwrapInboundIn(data).readableBytes
      context.fireChannelRead(data)
      if let limit, bytesWithoutProgress > limit {
        bytesWithoutProgress = 0
        context.fireErrorCaught(HTTPParserError.headerOverflow)
      }
      return
    }
    self.discarded = discarded + Self.unwrapInboundIn(data).readableBytes
    if discarded > Self.discardLimit { context.close(promise: nil) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if discarded == nil { context.fireChannelReadComplete() } else { context.read() }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .some(.inputClosed) = event as? ChannelEvent {
      isInputClosed = true
      if discarded != nil { return context.close(promise: nil) }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    switch event as? WebCommand {
    case .discard:
      discarded = 0
      if isInputClosed {
        context.close(promise: nil)
      } else {
        context.close(mode: .output, promise: nil)
        context.read()
      }
      promise?.succeed()
    case .cut:
      // TLS would wait for the client's close_notify.
      let tls = try? context.pipeline.syncOperations.context(handlerType: TLSHandler.self)
      (tls ?? context).close(promise: nil)
      promise?.succeed()
    case .upgrade:
      limit = nil
      promise?.succeed()
    case .proceed, .stream, nil: context.triggerUserOutboundEvent(event, promise: promise)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if discarded == nil { context.fireErrorCaught(error) } else { context.close(promise: nil) }
  }
}
