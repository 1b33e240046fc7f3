package import NIOCore
internal import NIOTLS

extension TLSHandler {
  /// How long a channel that is closed waits for the peer's farewell.
  private static var patience: TimeAmount { .seconds(5) }

  package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    switch mode {
    case .input: promise?.fail(ChannelError.operationUnsupported)
    case .output where stage == .open && isClosing, .all where stage == .open && isClosing:
      if let promise { closePromises.append(promise) }
    case .output where stage == .open && !isInputOver, .output where stage == .shaking:
      if isOutputOver { return context.close(mode: .output, promise: promise) }
      isOutputCloseWaiting = true
      isFlushWaiting = true
      if let promise { outputClosePromises.append(promise) }
      if stage == .open { closeOutput(context) }
    case .output where stage == .idle || stage == .closed: context.close(mode: .output, promise: promise)
    case .output, .all: closeAll(context, promise)
    }
  }

  /// Sends what waits and the farewell, and closes our side of the socket.
  func closeOutput(_ context: ChannelHandlerContext) {
    sendWaiting(context)
    // One that is being sent comes first.
    guard stage == .open, !isClosing, !isOutputOver, !isWriting else { return }
    isOutputCloseWaiting = false
    sayFarewell(context)
    let promises = outputClosePromises
    outputClosePromises = []
    context.close(mode: .output, promise: promises.joined(on: context.eventLoop))
  }

  private func closeAll(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
    guard stage == .open else {
      // There is nobody to whom a farewell could be said, or it was said.
      end(context, ChannelError.ioOnClosedChannel)
      return context.close(promise: promise)
    }
    if let promise { closePromises.append(promise) }
    isClosing = true
    discardWaiting(ChannelError.ioOnClosedChannel)
    sayFarewell(context)
    if isInputOver { return finish(context) }
    guard stage == .open else { return }
    alarm = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { self.finish(context) }
    // Nobody above asks for more, but the other farewell has to come.
    context.read()
  }

  private func sayFarewell(_ context: ChannelHandlerContext) {
    if isOutputOver { return }
    isOutputOver = true
    session.sayFarewell()
    sendOutput(context)
  }

  /// Closes the socket of a channel that is being closed.
  private func finish(_ context: ChannelHandlerContext) {
    guard stage == .open else { return }
    let isComplete = isInputOver && isOutputOver && hasHeardFarewell
    end(context, ChannelError.ioOnClosedChannel)
    if isComplete { context.fireUserInboundEventTriggered(TLSUserEvent.shutdownCompleted) }
    context.close(promise: nil)
  }

  /// The peer has said farewell.
  func takeFarewell(_ context: ChannelHandlerContext) {
    isInputOver = true
    hasHeardFarewell = true
    if isClosing { return finish(context) }
    let mayBeHalf = (try? context.channel.syncOptions?.getOption(.allowRemoteHalfClosure)) ?? false
    if mayBeHalf { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    if stage == .open, !isClosing, isOutputOver || !mayBeHalf { closeAll(context, nil) }
  }

  /// The peer's side of the socket is closed.
  func takeEnd(_ context: ChannelHandlerContext) {
    switch stage {
    case .idle, .closed: context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    case .shaking: fail(Self.endOfHandshake, context)
    case .open where isInputOver: break
    case .open:
      isInputOver = true
      if isClosing { return finish(context) }
      context.fireErrorCaught(TLSFailure.uncleanShutdown)
      context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }
  }

  /// Tells the peer and the handlers above of an error, and closes the channel.
  func fail(_ failure: TLSFailure, _ context: ChannelHandlerContext) {
    guard stage != .closed else { return }
    let isWanted = !isClosing
    end(context, failure)
    sendOutput(context)
    if isWanted { context.fireErrorCaught(failure) }
    context.close(promise: nil)
  }

  /// Nothing more is encrypted or decrypted.
  func end(_ context: ChannelHandlerContext, _ error: any Error) {
    stage = .closed
    alarm?.cancel()
    alarm = nil
    discardWaiting(error)
    let (closing, output) = (closePromises, outputClosePromises)
    (closePromises, outputClosePromises) = ([], [])
    output.fail(error)
    // The channel is closed now, by whomever.
    for promise in closing { context.channel.closeFuture.cascade(to: promise) }
  }
}
