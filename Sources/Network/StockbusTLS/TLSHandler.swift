package import NIOCore
internal import NIOTLS

/// The handler of a channel that has TLS, for either side. Used only on its channel's thread.
///
/// It begins the handshake when the channel is active, or at once if it already is. Data written before the end of the handshake wait. It
/// fires `TLSUserEvent.handshakeCompleted`, and `shutdownCompleted` once both sides have sent close_notify; its errors are `TLSFailure`s,
/// and all of them except `uncleanShutdown` close the channel.
package final class TLSHandler: ChannelDuplexHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  enum Stage {
    case idle, shaking, open, closed
  }

  let session: TLSSession
  var stage = Stage.idle
  /// True if the peer sends no more data: it has sent close_notify, or its side of the socket is closed.
  var isInputOver = false
  var hasReceivedCloseNotify = false
  /// True if this side has sent close_notify.
  var isOutputOver = false

  /// How many bytes have arrived since the last one that was passed on. Tickets, changes of keys and the handshake are small, so a limit on
  /// this number bounds a peer that sends only such data.
  private var bytesWithoutProgress = 0
  private static let fruitlessLimit = 256 << 10
  private var hasDelivered = false

  // The state of TLSHandler+Writing.
  var waiting: [ByteBuffer] = []
  var waitingPromises: [EventLoopPromise<Void>] = []
  var isFlushWaiting = false
  var isWriting = false

  // The state of TLSHandler+Closing.
  var isClosing = false
  var closePromises: [EventLoopPromise<Void>] = []
  var alarm: Scheduled<Void>?
  var isOutputCloseWaiting = false
  var outputClosePromises: [EventLoopPromise<Void>] = []

  /// Creates the handler for the client's side.
  /// - Parameter host: the name or the IP address that the server's certificate must contain.
  package init(client context: TLSContext, host: String) throws(TLSFailure) { session = try TLSSession(context, host: host) }

  /// Creates the handler for the server's side.
  package init(server context: TLSContext) throws(TLSFailure) { session = try TLSSession(context, host: nil) }

  // MARK: The handshake

  package func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { begin(context) } }

  package func channelActive(context: ChannelHandlerContext) {
    // First, so that a failure of the handshake does not overtake it.
    context.fireChannelActive()
    begin(context)
  }

  private func begin(_ context: ChannelHandlerContext) {
    guard stage == .idle else { return }
    stage = .shaking
    shake(context)
  }

  private func shake(_ context: ChannelHandlerContext) {
    switch session.shake() {
    case .done:
      stage = .open
      bytesWithoutProgress = 0
      sendOutput(context)
      guard stage == .open else { return }
      context.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: session.negotiatedProtocol))
      if stage == .open, isFlushWaiting { sendWaiting(context) }
      if stage == .open, isOutputCloseWaiting { closeOutput(context) }
    case .hungry: sendOutput(context)
    case .farewell: fail(.handshake("the other side has ended the handshake"), context)
    case .failed(let failure): fail(failure, context)
    }
  }

  // MARK: Reading

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var data = Self.unwrapInboundIn(data)
    var plain = ByteBuffer()
    var step = TLSSession.Step.hungry
    while data.readableBytes > 0, case .hungry = step {
      if stage == .idle { begin(context) }
      guard stage == .shaking || stage == .open, !isInputOver else { return }
      let before = data.readableBytes
      guard session.feed(from: &data) else { return fail(.damaged("out of memory"), context) }
      bytesWithoutProgress += before - data.readableBytes
      if stage == .shaking { shake(context) }
      if stage == .open { step = session.read(into: &plain, rest: data.readableBytes) }
      if plain.readableBytes > 0 { bytesWithoutProgress = 0 }
      if bytesWithoutProgress > Self.fruitlessLimit { step = .failed(stage == .open ? .damaged(Self.tooMuch) : .handshake(Self.tooMuch)) }
    }
    sendOutput(context)
    // Code that closes the channel wants no more data.
    if plain.readableBytes > 0, stage == .open, !isClosing {
      hasDelivered = true
      context.fireChannelRead(Self.wrapInboundOut(plain))
      // The next step may close the channel.
      if case .hungry = step {} else { completeRead(context) }
    }
    guard stage == .open || stage == .shaking else { return }
    switch step {
    case .done, .hungry: break
    case .farewell: handleCloseNotify(context)
    case .failed(let failure): fail(failure, context)
    }
  }

  private static let tooMuch = "too many TLS records without data"

  package func channelReadComplete(context: ChannelHandlerContext) {
    if hasDelivered {
      completeRead(context)
    } else if stage == .shaking || stage == .open {
      // The handlers above were not notified of new data, so none of them asks for more.
      context.read()
    }
  }

  private func completeRead(_ context: ChannelHandlerContext) {
    hasDelivered = false
    context.fireChannelReadComplete()
  }

  // MARK: The end

  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case .some(.inputClosed) = event as? ChannelEvent else { return context.fireUserInboundEventTriggered(event) }
    takeEnd(context)
  }

  package func channelInactive(context: ChannelHandlerContext) {
    let failure: TLSFailure? =
      switch stage {
      case .shaking: Self.endOfHandshake
      case .open where !isInputOver && !isClosing: .uncleanShutdown
      case .idle, .open, .closed: nil
      }
    end(context, failure ?? ChannelError.ioOnClosedChannel)
    if let failure { context.fireErrorCaught(failure) }
    context.fireChannelInactive()
  }

  static let endOfHandshake = TLSFailure.handshake("the connection was closed in the handshake")

  package func handlerRemoved(context: ChannelHandlerContext) { end(context, ChannelError.ioOnClosedChannel) }
}
