package import NIOCore
internal import NIOTLS

extension TLSHandler {
  /// How long a closed channel waits for the peer's close_notify alert.
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

  /// Sends the waiting data and the close_notify alert, and closes this side of the socket.
  func closeOutput(_ context: ChannelHandlerContext) {
    sendWaiting(context)
    // A buffer that is being sent comes first.
    guard stage == .open, !isClosing, !isOutputOver, !isWriting else { return }
    isOutputCloseWaiting = false
    sendCloseNotify(context)
    let promises = outputClosePromises
    outputClosePromises = []
    context.close(mode: .output, promise: promises.joined(on: context.eventLoop))
  }

  private func closeAll(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
    guard stage == .open else {
      // No close_notify can be sent, or it was sent already.
      end(context, ChannelError.ioOnClosedChannel)
      return context.close(promise: promise)
    }
    if let promise { closePromises.append(promise) }
    isClosing = true
    discardWaiting(ChannelError.ioOnClosedChannel)
    sendCloseNotify(context)
    if isInputOver { return finish(context) }
    guard stage == .open else { return }
    alarm = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { self.finish(context) }
    // No handler above asks for more data, but the peer's close_notify must be read.
    context.read()
  }

  private func sendCloseNotify(_ context: ChannelHandlerContext) {
    if isOutputOver { return }
    isOutputOver = true
    session.sendCloseNotify()
    sendOutput(context)
  }

  /// Closes the socket of a channel that is being closed.
  private func finish(_ context: ChannelHandlerContext) {
    guard stage == .open else { return }
    let isComplete = isInputOver && isOutputOver && hasReceivedCloseNotify
    end(context, ChannelError.ioOnClosedChannel)
    if isComplete { context.fireUserInboundEventTriggered(TLSUserEvent.shutdownCompleted) }
    context.close(promise: nil)
  }

  /// Handles the peer's close_notify alert.
  func handleCloseNotify(_ context: ChannelHandlerContext) {
    isInputOver = true
    hasReceivedCloseNotify = true
    if isClosing { return finish(context) }
    let mayBeHalf = (try? context.channel.syncOptions?.getOption(.allowRemoteHalfClosure)) ?? false
    if mayBeHalf { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    if stage == .open, !isClosing, isOutputOver || !mayBeHalf { closeAll(context, nil) }
  }

  /// Handles the closing of the peer's side of the socket.
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

  /// Reports an error to the peer and to the handlers above, and closes the channel.
  func fail(_ failure: TLSFailure, _ context: ChannelHandlerContext) {
    guard stage != .closed else { return }
    let isWanted = !isClosing
    end(context, failure)
    sendOutput(context)
    if isWanted { context.fireErrorCaught(failure) }
    context.close(promise: nil)
  }

  /// Ends the session: no more data are encrypted or decrypted.
  func end(_ context: ChannelHandlerContext, _ error: any Error) {
    stage = .closed
    alarm?.cancel()
    alarm = nil
    discardWaiting(error)
    let (closing, output) = (closePromises, outputClosePromises)
    (closePromises, outputClosePromises) = ([], [])
    output.fail(error)
    // The channel is being closed now, whatever closes it.
    for promise in closing { context.channel.closeFuture.cascade(to: promise) }
  }
}
