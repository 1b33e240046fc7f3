package import StockbusPlugin
internal import Synchronization

/// A WebSocket that is reopened, with growing pauses, whenever it is lost. Its states are reported as `ConnectionStatus`.
///
/// ```swift
/// public func run(into output: inout Outlet<Trade>) async throws {
///   try await link.run { connection in
///     try await connection.send(subscription)          // on every connection, the first and later ones
///     while true {
///       for message in try await connection.receive() { … }
///       try await output.flush()
///     }
///   }
/// }
/// ```
///
/// After a `WebSocketError` from the body, such as `receive` throws when the connection is lost, it reconnects. After any other error it
/// closes the connection, and `run` throws that error; a cancellation has the same effect. When the body returns, `run` returns.
///
/// The pauses are those of `RetryPauses`: the body calls `connection.noteData()` when requested data have arrived.
package final class WebSocketLink: Sendable {
  private struct State {
    var isFinished = false
    var isLast = false
    var connection: WebSocketConnection?
  }

  package let url: WebSocketURL
  private let client: WebSocketClient
  private let settings: ConnectionSettings
  private let context: Context
  private let state = Mutex(State())
  private let news = Bell()

  /// Reads the CA's file, if there is one; no other I/O.
  package init(
    _ url: WebSocketURL, _ settings: ConnectionSettings, _ context: Context, thread: NetworkThread = .next()
  ) throws(TLSError) {
    self.url = url
    self.settings = settings
    self.context = context
    client = try WebSocketClient(url, settings, clock: context.clock, thread: thread)
  }

  /// Ends `run` regularly from outside while it connects, pauses, or uses a connection, which is then closed with 1000. Afterwards there
  /// are no more connections.
  package func finish() {
    let connection = state.withLock { state in
      state.isFinished = true
      return state.connection
    }
    connection?.beginClose()
    news.ring()
  }

  /// Makes the present connection or attempt the last one: when it is lost or fails, `run` returns. During a pause it returns at once.
  package func finishWhenAway() {
    state.withLock { $0.isLast = true }
    news.ring()
  }

  private var isFinished: Bool { state.withLock { $0.isFinished } }
  private var isLast: Bool { state.withLock { $0.isLast } }

  /// Keeps a connection open and calls `body` with each one, in the caller's isolation, until `body` returns or throws an error other than
  /// a `WebSocketError`, the task is cancelled, or `finish` or `finishWhenAway` is called. `body` is called after the handshake, while
  /// pings and deadlines monitor the connection.
  package nonisolated(nonsending) func run(
    _ body: nonisolated(nonsending) (WebSocketConnection) async throws -> Void
  ) async throws {
    var pauses = RetryPauses(first: settings.backoff, most: settings.maxBackoff, random: context.random())
    while !isFinished {
      let connection = WebSocketConnection(clock: context.clock, isClient: true)
      let isWanted = state.withLock { state in
        state.connection = connection
        return !state.isFinished
      }
      defer { state.withLock { $0.connection = nil } }
      if !isWanted { return }
      context.connection(.connecting, "\(url)")
      let begin = context.clock.uptime
      do {
        try await client.open(connection)
        context.connection(.connected, "\(url)")
        context.report(trouble: nil)
        try await client.watching(connection, body)
        return context.connection(.disconnected, "closed normally")
      } catch let error as WebSocketError {
        connection.drop()
        if isFinished { return context.connection(.disconnected, "closed normally") }
        if isLast { return context.connection(.disconnected, "\(error)") }
        // Data from a peer that then violates a rule do not count.
        let hasDelivered = connection.state.withLock { $0.hasDelivered } && !error.isMisconduct
        _ = pauses.ended(after: context.clock.uptime - begin, hasDelivered: hasDelivered)
        try await pause(pauses.next(asked: error.retryAfter), after: error)
        if isLast { return }
      } catch {
        connection.drop()
        context.connection(.disconnected, error is CancellationError ? "stopped" : "\(error)")
        throw error
      }
    }
  }

  /// Reports that the connection is lost, and waits before the next attempt.
  private nonisolated(nonsending) func pause(_ pause: Duration, after error: WebSocketError) async throws {
    context.connection(.disconnected, "\(error)")
    context.report(trouble: "\(error)")
    let isOrderly = if case .closed(let code?, _) = error { code == .normal || code == .goingAway } else { false }
    context.logger.log(level: isOrderly ? .notice : .warning, "\(error); reconnecting in \(pause.inMilliseconds)")
    await news.wait(until: context.clock.uptime + pause, context.clock) { !isFinished && !isLast }
    if Task.isCancelled { throw CancellationError() }
  }
}

extension Duration {
  /// The duration for a message: `125ms`.
  package var inMilliseconds: String { "\(wholeNanoseconds / 1_000_000)ms" }
}
