internal import NIOCore
internal import NIOHTTP1
internal import NIOTLS

/// The last handler of an HTTP client's channel: returns the parts of responses, one for each call of `next`, and reads from the socket
/// only when a part is requested. Used only on its channel's thread.
final class HTTPParts: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  /// The connection has ended at a point where the protocol does not allow it.
  struct Closed: Error {}

  private let loop: any EventLoop
  private var context: ChannelHandlerContext?
  /// The parts of one read that have not been requested yet.
  private var arrived = CircularBuffer<HTTPClientResponsePart>()
  private var asked: EventLoopPromise<HTTPClientResponsePart>?
  private var failure: (any Error)?
  private var isSecured = false
  private var securing: EventLoopPromise<Void>?
  /// Between two exchanges: closes the connection after a while.
  private var rest: Scheduled<Void>?

  init(on loop: any EventLoop) { self.loop = loop }

  /// The next part, as soon as it has arrived.
  func next() -> EventLoopFuture<HTTPClientResponsePart> {
    if let part = arrived.popFirst() { return loop.makeSucceededFuture(part) }
    if let failure { return loop.makeFailedFuture(failure) }
    let promise = loop.makePromise(of: HTTPClientResponsePart.self)
    asked = promise
    context?.read()
    return promise.futureResult
  }

  /// Succeeds once TLS has been set up.
  func secured() -> EventLoopFuture<Void> {
    if isSecured { return loop.makeSucceededVoidFuture() }
    if let failure { return loop.makeFailedFuture(failure) }
    let promise = loop.makePromise(of: Void.self)
    securing = promise
    context?.read()
    return promise.futureResult
  }

  func send(_ head: HTTPRequestHead, _ body: ByteBuffer?) {
    guard let context else { return }
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if let body { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  /// Ends the exchange; the connection waits this long for the next one.
  func beginRest(_ time: TimeAmount) {
    let channel = context?.channel
    rest = loop.scheduleTask(in: time) { channel?.close(promise: nil) }
    // So that a close by the server is noticed.
    context?.read()
  }

  /// Returns false if the connection can no longer be used.
  func endRest() -> Bool {
    rest?.cancel()
    rest = nil
    return failure == nil && context?.channel.isActive == true
  }

  private func fail(_ error: any Error) {
    if failure == nil { failure = error }
    asked?.fail(failure ?? error)
    asked = nil
    securing?.fail(failure ?? error)
    securing = nil
  }

  // MARK: The channel

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    // The channel was connected before, so it has been closed meanwhile, and no further event follows.
    if !context.channel.isActive { fail(Closed()) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    if rest != nil {
      // No part was requested.
      context.close(promise: nil)
    } else if let asked {
      self.asked = nil
      asked.succeed(part)
    } else {
      arrived.append(part)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if asked != nil || securing != nil { context.read() }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent {
      isSecured = true
      securing?.succeed()
      securing = nil
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    fail(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { fail(Closed()) }
}
