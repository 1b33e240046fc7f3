internal import NIOCore
internal import StockbusPlugin
internal import Synchronization

/// One WebSocket, from the first packet to the last: a client's or a server's side of it.
///
/// Whatever ends it is told by `receive` and `flush`, which then throw the `WebSocketError` that was first; what came before is
/// still received. It may be used from any task; it answers pings and closing handshakes by itself.
public final class WebSocketConnection: Sendable {
  let clock: any Timekeeper
  let isClient: Bool
  let state: Mutex<ConnectionState>
  /// Rings when there are messages, or the phase has changed.
  let news = Bell()
  /// Rings when the socket takes more.
  let room = Bell()

  init(clock: any Timekeeper, isClient: Bool) {
    self.clock = clock
    self.isClient = isClient
    state = Mutex(ConnectionState())
  }

  /// True between the handshake and the end.
  public var isOpen: Bool { state.withLock { if case .open = $0.phase { true } else { false } } }

  /// True once a message, or an answer to a ping, has come through it.
  public var hasProven: Bool { state.withLock { $0.hasProven } }

  // MARK: Receiving

  /// The messages that have come since the last call, in order, never none; waits for the first.
  ///
  /// While nobody calls it, about a mebibyte is kept and then no more is read, so that the other side has to wait. Throws a
  /// `WebSocketError` when all were taken and the connection has ended, and `CancellationError`.
  public nonisolated(nonsending) func receive() async throws -> [WebSocketMessage] {
    while true {
      let heard = news.rings
      let (batch, resumed, ending) = state.withLock { state in
        let batch = state.take()
        let resumed = state.isPaused ? state.channel : nil
        state.isPaused = false
        return (batch, resumed, state.verdict)
      }
      if let resumed {
        noteTraffic()
        resumed.read()
      }
      if !batch.isEmpty { return batch }
      if let ending { throw ending }
      if Task.isCancelled { throw CancellationError() }
      await news.wait(after: heard)
    }
  }

  // MARK: Sending

  /// Adds a text message to what the next flush sends; nothing is sent, and nothing waits. Ignored when the connection has ended.
  public func queue(text: UnsafeBufferPointer<UInt8>) { queue(.text, UnsafeRawBufferPointer(text)) }

  /// As above.
  public func queue(text: String) {
    var text = text
    text.withUTF8 { queue(text: $0) }
  }

  /// Adds a message that came in, text or binary, as it is.
  public func queue(_ message: WebSocketMessage) {
    message.payload.withUnsafeReadableBytes { queue(message.kind == .text ? .text : .binary, $0) }
  }

  func queue(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer) {
    state.withLock { state in
      guard case .open = state.phase else { return }
      state.outgoing.writeFrame(opcode, payload, mask: isClient ? state.masks.next() : nil)
    }
  }

  /// Hands what is queued to the socket, in one write, without waiting until it takes it.
  public func flushWithoutWaiting() {
    let (bytes, channel) = state.withLock { state in
      let bytes = state.outgoing
      // What is flushed belongs to the socket now; the next frames get memory of their own.
      if bytes.readableBytes > 0 { state.outgoing = ByteBuffer() }
      return (bytes, state.channel)
    }
    if bytes.readableBytes > 0 { channel?.writeAndFlush(bytes, promise: nil) }
  }

  /// Hands what is queued to the socket and waits while it takes no more: back-pressure. Throws as `receive` does.
  public nonisolated(nonsending) func flush() async throws {
    flushWithoutWaiting()
    while true {
      let heard = room.rings
      let (isReady, ending) = state.withLock { ($0.channel?.isWritable ?? false, $0.verdict) }
      if let ending { throw ending }
      if isReady { return }
      if Task.isCancelled { throw CancellationError() }
      await room.wait(after: heard)
    }
  }

  /// Sends one text message; waits as `flush` does.
  public nonisolated(nonsending) func send(_ text: String) async throws {
    queue(text: text)
    try await flush()
  }

  /// Sends bytes as they are, without a frame around them: for a test that plays a broken peer.
  public func sendRaw(_ bytes: [UInt8]) { state.withLock { $0.channel }?.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

  /// Sends one binary message without waiting.
  public func send(binary bytes: [UInt8]) {
    bytes.withUnsafeBytes { queue(.binary, $0) }
    flushWithoutWaiting()
  }

  // MARK: Ending

  /// Ends it because of `error`: what waits is still received, then `receive` throws the error. Ends once; later calls are ignored.
  public func fail(_ error: WebSocketError) {
    let isFirst = end(error)
    guard isFirst else { return }
    if let code = error.codeToSend { sendClose(code, "\(error)") } else { dropChannel() }
  }

  /// Begins the closing handshake: no message is sent or received after it. `close` waits for its end.
  public func beginClose(_ code: CloseCode = .normal, _ reason: String = "") {
    let wasOpen = state.withLock { state in
      guard case .open = state.phase else { return false }
      state.phase = .closing(code)
      return true
    }
    if wasOpen { sendClose(code, reason) } else { fail(.finished(code)) }
    news.ring()
    room.ring()
  }

  /// Closes as planned, and waits until the other side has agreed and the socket is gone; at most for `limit`, then it is cut. A
  /// cancelled task waits too.
  public nonisolated(nonsending) func close(_ code: CloseCode = .normal, _ reason: String = "", within limit: Duration) async {
    beginClose(code, reason)
    await finish(within: limit)
  }

  /// Waits until it has ended, for whatever reason, or the task is cancelled.
  public nonisolated(nonsending) func awaitEnd() async {
    do { try await wait { _ in false } } catch { return }
  }

  /// Waits until the socket is gone, at most for `limit`; then it is cut.
  nonisolated(nonsending) func finish(within limit: Duration) async {
    // A task of its own, because a cancelled one cannot wait; awaited at once.
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

  /// Plays dead, for a test: from here on nothing is read and nothing is answered, not even a ping.
  public func stall() { state.withLock { $0.isStalled = true } }

  /// Cuts the connection without a word; with `reset` the other side gets a TCP reset.
  public func drop(reset: Bool = false) {
    _ = end(.closed(nil, reason: "cut by this side"))
    guard reset, let channel = state.withLock({ $0.channel }) else { return dropChannel() }
    closeWithReset(channel)
  }
}
