internal import NIOCore
internal import StockbusPlugin
internal import Synchronization

// What the channel's handler, the opening and the heartbeat do with a connection.
extension WebSocketConnection {
  /// Takes what one read has brought; `hasMessage` also where they were answered already. False where reading has to pause, because enough waits.
  func deliver(_ messages: [WebSocketMessage], bytes: Int, hasMessage: Bool, hasPong: Bool) -> Bool {
    let now = clock.uptime
    let mayRead = state.withLock { state in
      state.reads &+= 1
      guard case .open = state.phase else { return true }
      if hasPong || hasMessage { state.hasProven = true }
      if hasMessage { state.lastMessage = now }
      if !messages.isEmpty {
        if state.inbox.isEmpty { state.inbox = messages } else { state.inbox += messages }
        state.inboxBytes += bytes
      }
      state.isPaused = state.isFull
      return !state.isPaused
    }
    if !messages.isEmpty { news.ring() }
    return mayRead
  }

  /// Time in which nothing was read is no silence of the other side.
  func noteTraffic() {
    let now = clock.uptime
    state.withLock { state in
      state.reads &+= 1
      state.lastMessage = now
    }
  }

  /// The socket is connected; false where nobody wants it any more.
  func connected(_ channel: any Channel) -> Bool {
    let isWanted = state.withLock { state in
      state.channel = channel
      if state.ending != nil { return false }
      state.phase = .handshaking
      return true
    }
    news.ring()
    return isWanted
  }

  /// The handshake is done; false where nobody wants it any more.
  func opened() -> Bool {
    noteTraffic()
    let isWanted = state.withLock { state in
      if state.ending != nil { return false }
      state.phase = .open
      state.wasOpened = true
      return true
    }
    news.ring()
    return isWanted
  }

  /// The other side has sent a close frame.
  func closeReceived(_ code: CloseCode?, _ reason: String) {
    let answers = state.withLock { state in
      switch state.phase {
      case .closing(let code):
        state.phase = .ended(.finished(code))
        return false
      case .ended: return false
      case .connecting, .handshaking, .open:
        // 1005: a close frame without a code (RFC 6455, section 7.1.5).
        state.phase = .ended(.closed(code ?? CloseCode(rawValue: 1005), reason: reason.printable))
        return true
      }
    }
    if answers { sendClose(code, "", then: { $0.close(promise: nil) }) } else { dropChannel() }
    news.ring()
    room.ring()
  }

  /// The socket is gone.
  func gone(_ error: WebSocketError) {
    state.withLock { state in
      if case .closing(let code) = state.phase { _ = state.end(.finished(code)) } else { _ = state.end(error) }
      state.isGone = true
    }
    news.ring()
    room.ring()
  }

  /// Ends it without telling the other side; true where it had not ended.
  func end(_ error: WebSocketError) -> Bool {
    let isFirst = state.withLock { $0.end(error) }
    if isFirst {
      news.ring()
      room.ring()
    }
    return isFirst
  }

  func dropChannel() {
    let channel = state.withLock { $0.channel }
    channel?.close(promise: nil)
  }

  /// Sends a close frame after everything that is queued; then `next` happens to the channel, by default the end of what we send: what
  /// the other side still sends is read and thrown away, because a socket closed on unread bytes would reset, and the frame be lost.
  func sendClose(_ code: CloseCode?, _ reason: String, then next: (@Sendable (any Channel) -> Void)? = nil) {
    let (bytes, channel) = state.withLock { state in
      var bytes = state.outgoing
      state.outgoing = ByteBuffer()
      bytes.writeClose(code, reason.printable, mask: isClient ? state.masks.next() : nil)
      return (bytes, state.channel)
    }
    guard let channel else { return }
    let sent = channel.writeAndFlush(bytes)
    if let next { sent.whenComplete { _ in next(channel) } }
    // Whoever had paused must see the other side's close frame.
    channel.read()
  }

  /// Sends a ping; `reads` then tells whether anything has come since.
  func sendPing() {
    queue(.ping, UnsafeRawBufferPointer(start: nil, count: 0))
    flushWithoutWaiting()
  }

  /// Waits until this is so; throws what has ended it before, and `CancellationError`.
  nonisolated(nonsending) func wait(until isReached: (ConnectionState) -> Bool) async throws {
    while true {
      let heard = news.rings
      let (reached, ending) = state.withLock { (isReached($0), $0.verdict) }
      if reached { return }
      if let ending { throw ending }
      if Task.isCancelled { throw CancellationError() }
      await news.wait(after: heard)
    }
  }
}
