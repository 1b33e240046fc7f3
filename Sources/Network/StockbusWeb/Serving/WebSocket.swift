package import StockbusNetwork
internal import StockbusPlugin
internal import Synchronization

/// A WebSocket opened by a page. Several tasks may use it.
package final class WebSocket: Sendable {
  private let connection: WebSocketConnection
  private let limit: Int
  private let budget: Mutex<(messages: Int, since: Duration)>
  private let roll: WebRoll
  private let clock: any Timekeeper
  /// True if the WebSocket outlives the handler that has opened it.
  private let isPassed = Atomic(false)

  init(_ connection: WebSocketConnection, messagesPerSecond limit: Int, _ roll: WebRoll, _ clock: any Timekeeper) {
    self.connection = connection
    self.limit = limit
    self.roll = roll
    self.clock = clock
    budget = Mutex((0, clock.uptime))
  }

  /// Waits for messages, and returns all since the last call, in order, at least one.
  ///
  /// Throws a `WebSocketError` once the socket has ended, for example because the server stops, and `CancellationError`. More messages in a
  /// second than the server's limit end the socket with 1008.
  package nonisolated(nonsending) func receive() async throws -> [WebSocketMessage] {
    let messages = try await connection.receive()
    return admits(messages.count) ? messages : try await connection.receive()
  }

  /// Counts messages; if there are too many in this second, closes the socket and returns false.
  fileprivate func admits(_ count: Int) -> Bool {
    let now = clock.uptime
    let isTooFast = budget.withLock { budget in
      if now - budget.since >= .seconds(1) { budget = (0, now) }
      budget.messages += count
      return budget.messages > limit
    }
    if isTooFast {
      roll.count(.rate)
      close(.policyViolation, "more than \(limit) messages in a second")
    }
    return !isTooFast
  }

  /// From now on `receiver` takes the messages, instead of `receive`, within the same limit, and the socket stays open when its handler
  /// returns: it needs no task any more.
  package func pass(to receiver: any WebSocketReceiver) {
    isPassed.store(true, ordering: .relaxed)
    connection.pass(to: LimitedReceiver(self, receiver))
  }

  /// True once the WebSocket is passed to a receiver.
  var outlivesHandler: Bool { isPassed.load(ordering: .relaxed) }

  /// Sends messages and returns when they have been written to the socket. Throws like `receive`.
  package nonisolated(nonsending) func send(_ frames: WebSocketFrames) async throws {
    try await connection.send(frames)
    roll.count(sent: frames.count)
  }

  /// True if the WebSocket can take messages at once: earlier messages have been passed on to the client's machine.
  package var isWritable: Bool { connection.isWritable }

  /// Sends messages on each socket without waiting; for sockets of one server that are writable. Messages that do not fit are kept in
  /// memory, so no more should be sent before the client has replied.
  package static func post(_ messages: [(socket: WebSocket, frames: WebSocketFrames)]) {
    guard let roll = messages.first?.socket.roll else { return }
    for (socket, frames) in messages { socket.connection.queue(frames) }
    WebSocketConnection.flush(messages.map(\.socket.connection))
    roll.count(sent: messages.reduce(0) { $0 + $1.frames.count })
  }

  /// Begins to close the socket; from now on `receive` and `send` throw.
  package func close(_ code: CloseCode = .normal, _ reason: String = "") { connection.beginCloseOnce(code, reason) }

  /// False once the WebSocket has ended, or is being closed.
  package var isOpen: Bool { connection.isOpen }
}

/// Passes messages on to a receiver within the limit of the socket.
private final class LimitedReceiver: WebSocketReceiver {
  private let socket: WebSocket
  private let receiver: any WebSocketReceiver

  init(_ socket: WebSocket, _ receiver: any WebSocketReceiver) {
    self.socket = socket
    self.receiver = receiver
  }

  func take(_ messages: [WebSocketMessage]) { if socket.admits(messages.count) { receiver.take(messages) } }

  func ended() { receiver.ended() }
}
