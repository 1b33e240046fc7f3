internal import NIOCore
internal import StockbusPlugin
internal import Synchronization

// The parts of a connection that the channel's handler, the opening and the heartbeat use.
extension WebSocketConnection {
  /// Takes the messages of one read. `hasMessage` is true even if the channel's handler has echoed them already. Returns false if reading
  /// must pause because enough messages wait.
  func deliver(_ messages: [WebSocketMessage], bytes: Int, hasMessage: Bool) -> Bool {
    let now = clock.uptime
    let (mayRead, receiver): (Bool, (any WebSocketReceiver)?) = state.withLock { state in
      state.reads &+= 1
      guard case .open = state.phase else { return (true, nil) }
      if hasMessage { state.lastMessage = now }
      if let receiver = state.receiver { return (true, receiver) }
      if !messages.isEmpty {
        if state.inbox.isEmpty { state.inbox = messages } else { state.inbox += messages }
        state.inboxBytes += bytes
      }
      state.isPaused = state.isFull
      return (!state.isPaused, nil)
    }
    if messages.isEmpty { return mayRead }
    if let receiver { receiver.take(messages) } else { news.ring() }
    return mayRead
  }

  /// Restarts the idle time, because time without reading is not silence of the peer.
  func noteTraffic() {
    let now = clock.uptime
    state.withLock { state in
      state.reads &+= 1
      state.lastMessage = now
    }
  }

  /// Notes that the socket is connected; returns false if the connection is no longer wanted.
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

  /// Notes that the handshake is complete; returns false if the connection is no longer wanted.
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

  /// Handles the peer's close frame.
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
    announce()
  }

  /// Notes that the socket is closed.
  func gone(_ error: WebSocketError) {
    let receiver = state.withLock { state in
      if case .closing(let code) = state.phase { _ = state.end(.finished(code)) } else { _ = state.end(error) }
      state.isGone = true
      return state.receiver.take()
    }
    receiver?.ended()
    announce()
  }

  /// Notifies all waiting tasks that the phase has changed.
  func announce() {
    news.ring()
    room.ring()
    state.withLock { $0.watch }?.ring()
  }

  /// Ends the connection without notifying the peer; returns false if it had already ended.
  func end(_ error: WebSocketError) -> Bool {
    let isFirst = state.withLock { $0.end(error) }
    if isFirst { announce() }
    return isFirst
  }

  func dropChannel() {
    let channel = state.withLock { $0.channel }
    channel?.close(promise: nil)
  }

  /// Sends a close frame after all queued data, and then calls `next` with the channel. Without `next` the channel stays open: data that
  /// the peer still sends are read and discarded, because closing a socket with unread bytes would reset it, and the frame would be lost.
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
    // If reading is paused, the peer's close frame must still be read.
    channel.read()
  }

  /// Sends a ping; a later change of `reads` shows that the peer is alive.
  func sendPing() {
    queue(.ping, UnsafeRawBufferPointer(start: nil, count: 0))
    flushWithoutWaiting()
  }

  /// Waits until `isReached` returns true. Throws the error that has ended the connection before that, or `CancellationError`.
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
