package import NIOCore

extension TLSHandler {
  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if stage == .closed || isClosing { return promise.fail(ChannelError.ioOnClosedChannel) }
    if isOutputOver || isOutputCloseWaiting { return promise.fail(ChannelError.outputClosed) }
    let data = Self.unwrapOutboundIn(data)
    // Small buffers become one record.
    if let last = waiting.indices.last, waiting[last].readableBytes + data.readableBytes <= TLSSession.pieceSize {
      waiting[last].writeImmutableBuffer(data)
    } else {
      waiting.append(data)
    }
    if let promise { waitingPromises.append(promise) }
  }

  package func flush(context: ChannelHandlerContext) {
    isFlushWaiting = true
    switch stage {
    case .idle, .shaking: break
    case .open:
      sendWaiting(context)
      if isOutputCloseWaiting { closeOutput(context) }
    case .closed: context.flush()
    }
  }

  /// The most bytes that are passed to the socket in one buffer.
  private static let bufferLimit = 1 << 20
  /// More than any record adds to its contents: TLS 1.3 adds 22, TLS 1.2 with the ciphers of a client up to 90 (RFC 5246, section 6.2.3).
  private static let recordOverhead = 96

  /// Encrypts the written data, and sends them.
  func sendWaiting(_ context: ChannelHandlerContext) {
    // A call from within `context.write` below would overtake the data being sent.
    if isWriting || isOutputOver { return }
    isWriting = true
    defer { isWriting = false }
    // More data may be written meanwhile.
    while isFlushWaiting, stage == .open, !isOutputOver {
      isFlushWaiting = false
      if waiting.isEmpty { return }
      let (buffers, promises) = (waiting, waitingPromises)
      (waiting, waitingPromises) = ([], [])
      var left = buffers.reduce(0) { $0 + $1.readableBytes }
      var out = buffer(for: left, context)
      for plain in buffers {
        var plain = plain
        while plain.readableBytes > 0 {
          // `context.write` may have caused a handler to close the channel.
          guard stage == .open, !isOutputOver else { return promises.fail(ChannelError.ioOnClosedChannel) }
          let before = plain.readableBytes
          switch session.write(from: &plain) {
          case .done: break
          case .hungry, .farewell:
            promises.fail(ChannelError.ioOnClosedChannel)
            return fail(.damaged("nothing can be written"), context)
          case .failed(let failure):
            promises.fail(failure)
            return fail(failure, context)
          }
          left -= before - plain.readableBytes
          session.takeOutput(into: &out)
          if out.readableBytes >= Self.bufferLimit, left > 0 {
            let full = out
            out = buffer(for: left, context)
            context.write(Self.wrapOutboundOut(full), promise: nil)
          }
        }
      }
      context.writeAndFlush(Self.wrapOutboundOut(out), promise: promises.joined(on: context.eventLoop))
    }
  }

  /// A buffer for this many unencrypted bytes.
  private func buffer(for count: Int, _ context: ChannelHandlerContext) -> ByteBuffer {
    let records = count / TLSSession.pieceSize + 1
    return context.channel.allocator.buffer(
      capacity: min(count + records * Self.recordOverhead, Self.bufferLimit + TLSSession.pieceSize + Self.recordOverhead))
  }

  /// Sends OpenSSL's own data: the handshake and alerts.
  func sendOutput(_ context: ChannelHandlerContext) {
    guard session.hasOutput else { return }
    var out = context.channel.allocator.buffer(capacity: 0)
    session.takeOutput(into: &out)
    context.writeAndFlush(Self.wrapOutboundOut(out), promise: nil)
  }

  /// Fails the promises of all data that have not been sent.
  func discardWaiting(_ error: any Error) {
    let promises = waitingPromises
    (waiting, waitingPromises, isFlushWaiting) = ([], [], false)
    promises.fail(error)
  }
}

extension EventLoopPromise<Void>? {
  fileprivate func fail(_ error: any Error) { self?.fail(error) }
}

extension [EventLoopPromise<Void>] {
  func fail(_ error: any Error) { for promise in self { promise.fail(error) } }

  /// One promise that completes all of them; nil if there is none.
  func joined(on loop: any EventLoop) -> EventLoopPromise<Void>? {
    if count < 2 { return first }
    let promise = loop.makePromise(of: Void.self)
    promise.futureResult.whenComplete { result in for promise in self { promise.completeWith(result) } }
    return promise
  }
}
