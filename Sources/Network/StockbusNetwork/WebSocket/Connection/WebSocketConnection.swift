internal import NIOCore
internal import StockbusPlugin
internal import Synchronization

/// One WebSocket from its first packet to its last: the client's or the server's side.
///
/// After the end, `receive` and `flush` throw the first `WebSocketError`, but earlier messages are still received. Any task may use the
/// connection, which itself responds to pings and closing handshakes.
package final class WebSocketConnection: Sendable {
  let clock: any Timekeeper
  let isClient: Bool
  let state: Mutex<ConnectionState>
  /// Rings when there are messages, or when the phase has changed.
  let news = Bell()
  /// Rings when the socket can take more bytes.
  let room = Bell()

  init(clock: any Timekeeper, isClient: Bool) {
    self.clock = clock
    self.isClient = isClient
    state = Mutex(ConnectionState())
  }

  /// True between the handshake and the end.
  package var isOpen: Bool { state.withLock { if case .open = $0.phase { true } else { false } } }

  /// Notes that requested data have arrived, such as an event: the pause after the connection is then a short one, if the connection has
  /// also lasted for some seconds (`RetryPauses`).
  package func noteData() { state.withLock { $0.hasDelivered = true } }

  // MARK: Receiving

  /// Waits until there are messages, and returns all since the last call, in order, at least one; none only after `wake`.
  ///
  /// Without calls about a mebibyte is buffered, and then reading pauses, so that the peer has to wait. Throws a `WebSocketError` once all
  /// messages have been taken and the connection has ended, and `CancellationError`.
  package nonisolated(nonsending) func receive() async throws -> [WebSocketMessage] {
    while true {
      let heard = news.rings
      let (batch, resumed, ending, isWoken) = state.withLock { state in
        let batch = state.take()
        defer { state.isWoken = false }
        let resumed = state.isPaused ? state.channel : nil
        state.isPaused = false
        return (batch, resumed, state.verdict, state.isWoken)
      }
      if let resumed {
        noteTraffic()
        resumed.read()
      }
      if !batch.isEmpty { return batch }
      if let ending { throw ending }
      if isWoken { return [] }
      if Task.isCancelled { throw CancellationError() }
      await news.wait(after: heard)
    }
  }

  /// Makes the present or next call of `receive` return, without messages if there are none: its task has something else to do.
  package func wake() {
    state.withLock { $0.isWoken = true }
    news.ring()
  }

  /// From now on passes all messages to `receiver`, instead of `receive`, and reads without a pause: the receiver limits what it stores.
  package func pass(to receiver: any WebSocketReceiver) {
    guard let channel = state.withLock({ $0.channel }) else { return receiver.ended() }
    // On the channel's thread, so that earlier messages are passed on first.
    channel.eventLoop.execute { [self] in
      let (messages, isGone) = state.withLock { state in
        if !state.isGone { state.receiver = receiver }
        state.isPaused = false
        return (state.take(), state.isGone)
      }
      if !messages.isEmpty { receiver.take(messages) }
      if isGone { receiver.ended() } else { channel.read() }
    }
  }

  // MARK: Sending

  /// Queues a text message for the next flush, without sending or waiting. Ignored if the connection has ended.
  package func queue(text: UnsafeBufferPointer<UInt8>) { queue(.text, UnsafeRawBufferPointer(text)) }

  /// Queues a text message for the next flush, without sending or waiting.
  package func queue(text: String) {
    var text = text
    text.withUTF8 { queue(text: $0) }
  }

  /// Queues a received message, text or binary, unchanged.
  package func queue(_ message: WebSocketMessage) {
    message.payload.withUnsafeReadableBytes { queue(message.kind == .text ? .text : .binary, $0) }
  }

  func queue(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer) {
    state.withLock { state in
      guard case .open = state.phase else { return }
      state.outgoing.writeFrame(opcode, payload, mask: isClient ? state.masks.next() : nil)
    }
  }

  /// Passes the queued data to the socket in one write, without waiting for the socket.
  package func flushWithoutWaiting() {
    let (bytes, channel) = takeOutgoing()
    if bytes.readableBytes > 0 { channel?.writeAndFlush(bytes, promise: nil) }
  }

  /// True if the socket can take more bytes without keeping them in memory.
  package var isWritable: Bool { state.withLock { if case .open = $0.phase { $0.channel?.isWritable ?? false } else { false } } }

  /// Passes the queued data of several connections to their sockets, in one job for each thread that serves them.
  package static func flush(_ connections: [WebSocketConnection]) {
    var writes: [ObjectIdentifier: (loop: any EventLoop, writes: [(channel: any Channel, bytes: ByteBuffer)])] = [:]
    for connection in connections {
      let (bytes, channel) = connection.takeOutgoing()
      guard let channel, bytes.readableBytes > 0 else { continue }
      writes[ObjectIdentifier(channel.eventLoop), default: (channel.eventLoop, [])].writes.append((channel, bytes))
    }
    for (loop, writes) in writes.values {
      loop.execute { for (channel, bytes) in writes { channel.writeAndFlush(bytes, promise: nil) } }
    }
  }

  private func takeOutgoing() -> (ByteBuffer, (any Channel)?) {
    state.withLock { state in
      let bytes = state.outgoing
      // The flushed buffer belongs to the socket, so the next frames get a new one.
      if bytes.readableBytes > 0 { state.outgoing = ByteBuffer() }
      state.ahead += bytes.readableBytes
      return (bytes, state.channel)
    }
  }

  /// Passes the queued data to the socket and waits while the socket cannot take more: back-pressure. Throws like `receive`.
  package nonisolated(nonsending) func flush() async throws {
    flushWithoutWaiting()
    await letThreadCatchUp()
    while true {
      let heard = room.rings
      let (isReady, ending) = state.withLock { ($0.channel?.isWritable ?? false, $0.verdict) }
      if let ending { throw ending }
      if isReady { return }
      if Task.isCancelled { throw CancellationError() }
      await room.wait(after: heard)
    }
  }

  /// The most bytes that other threads may flush before the socket's thread must have run.
  private static var aheadLimit: Int { 256 << 10 }

  /// Waits until the socket's thread has seen the flushed bytes, if these are many: only then does the channel know whether it is writable.
  private nonisolated(nonsending) func letThreadCatchUp() async {
    let loop = state.withLock { state -> (any EventLoop)? in
      guard state.ahead > Self.aheadLimit else { return nil }
      state.ahead = 0
      return state.channel?.eventLoop
    }
    guard let loop, !loop.inEventLoop else { return }
    try? await loop.submit {}.get()
  }

  /// Sends one text message; waits like `flush`.
  package nonisolated(nonsending) func send(_ text: String) async throws {
    queue(text: text)
    try await flush()
  }

  /// Sends bytes without a frame around them, for a test with a broken peer.
  package func sendRaw(_ bytes: [UInt8]) { state.withLock { $0.channel }?.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

  /// Sends one binary message without waiting.
  package func send(binary bytes: [UInt8]) {
    bytes.withUnsafeBytes { queue(.binary, $0) }
    flushWithoutWaiting()
  }

  // MARK: Ending

  /// Ends the connection because of `error`: waiting messages are still received, then `receive` throws the error. Only the first call has
  /// an effect.
  package func fail(_ error: WebSocketError) {
    let isFirst = end(error)
    guard isFirst else { return }
    if let code = error.codeToSend { sendClose(code, "\(error)") } else { dropChannel() }
  }

  /// Begins the closing handshake; after this no message is sent or received. `close` waits for its end.
  package func beginClose(_ code: CloseCode = .normal, _ reason: String = "") {
    let wasOpen = state.withLock { state in
      guard case .open = state.phase else { return false }
      state.phase = .closing(code)
      return true
    }
    if wasOpen { sendClose(code, reason) } else { fail(.finished(code)) }
    announce()
  }

  /// Closes regularly, and waits until the peer has agreed and the socket is closed. After `limit` the connection is cut. Waits even if the
  /// task is cancelled.
  package nonisolated(nonsending) func close(_ code: CloseCode = .normal, _ reason: String = "", within limit: Duration) async {
    beginClose(code, reason)
    await finish(within: limit)
  }

  /// Waits until the connection has ended for any reason, or the task is cancelled.
  package nonisolated(nonsending) func awaitEnd() async {
    do { try await wait { _ in false } } catch { return }
  }

  /// Waits until the socket is closed; after `limit` the connection is cut.
  nonisolated(nonsending) func finish(within limit: Duration) async {
    // In a task of its own, because a cancelled task cannot wait; it is awaited at once.
    await Task { [self] in
      await withDeadline(limit, clock, late: { self.dropChannel() }) {
        while true {
          let heard = news.rings
          if state.withLock({ $0.isGone || $0.channel == nil }) { return }
          await news.wait(after: heard)
        }
      }
    }.value
  }

  /// Stops reading and answering, even pings, for a test.
  package func stall() { state.withLock { $0.isStalled = true } }

  /// Cuts the connection without a close frame; with `reset` the peer gets a TCP reset.
  package func drop(reset: Bool = false) {
    _ = end(.closed(nil, reason: "closed by stockbus"))
    guard reset, let channel = state.withLock({ $0.channel }) else { return dropChannel() }
    closeWithReset(channel)
  }
}
