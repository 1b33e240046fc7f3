package import StockbusNetwork
package import StockbusPlugin
internal import Synchronization

/// A connection to one of several NATS servers, reopened whenever it is lost. Its states are reported as `ConnectionStatus`.
///
/// Servers are tried in turn, beginning with a random one, so that clients spread over them. After a round in which none could be reached
/// there is a pause, which grows. After a `NATSError` from the body it connects to the next server; after any other error it closes the
/// connection, and `run` throws that error; a cancellation has the same effect. When the body returns, `run` returns.
///
/// The pauses are those of `RetryPauses`: the body calls `connection.noteData()` when a requested message has arrived.
package final class NATSLink: Sendable {
  private struct State {
    var isFinished = false
    var connection: NATSConnection?
  }

  package let servers: [NATSAddress]
  private let client: NATSClient
  private let settings: NATSSettings
  private let context: Context
  private let state = Mutex(State())
  private let news = Bell()

  /// Reads the CA's file, if there is one; no other I/O. Requires at least one server.
  package init(
    _ servers: [NATSAddress], _ settings: NATSSettings, login: NATSLogin, _ context: Context, thread: NetworkThread = .next()
  ) throws(TLSError) {
    self.servers = servers
    self.settings = settings
    self.context = context
    client = try NATSClient(settings, login: login, name: "stockbus \(context.id)", clock: context.clock, thread: thread)
  }

  /// Ends `run` from outside while it connects, pauses or uses a connection.
  package func finish() {
    let connection = state.withLock { state in
      state.isFinished = true
      return state.connection
    }
    connection?.fail(.finished)
    news.ring()
  }

  private var isFinished: Bool { state.withLock { $0.isFinished } }

  /// Reports a connection that can be used.
  package func ready(_ words: String) {
    context.connection(.connected, words)
    context.report(trouble: nil)
  }

  /// Keeps a connection open and calls `body` with each one, in the caller's isolation.
  ///
  /// - Parameter isReady: false if `body` reports when the connection can be used, because it needs more than the server.
  package nonisolated(nonsending) func run(
    isReady: Bool = true, _ body: nonisolated(nonsending) (NATSConnection) async throws -> Void
  ) async throws {
    var random = context.random()
    var pauses = RetryPauses(first: settings.backoff, most: settings.maxBackoff, random: random)
    var next = servers.indices.randomElement(using: &random) ?? 0
    var failures = 0
    while !isFinished {
      let server = servers[next % servers.count]
      next += 1
      let connection = NATSConnection(clock: context.clock, random: random.next())
      let isWanted = state.withLock { state in
        state.connection = connection
        return !state.isFinished
      }
      defer { state.withLock { $0.connection = nil } }
      if !isWanted { return }
      context.connection(.connecting, "\(server)")
      let begin = context.clock.uptime
      do {
        try await client.open(connection, to: server)
        if isReady { ready("\(server)") }
        try await client.watching(connection, body)
        return context.connection(.disconnected, "closed normally")
      } catch let error as NATSError {
        await connection.close()
        if isFinished { return context.connection(.disconnected, "closed normally") }
        // Messages from a server that then violates a rule, refuses the client, or cannot serve it do not count.
        let hasDelivered = connection.state.withLock { $0.hasDelivered } && !error.isMisconduct && !error.concernsRequest
        if pauses.ended(after: context.clock.uptime - begin, hasDelivered: hasDelivered) { failures = 0 }
        failures += 1
        context.connection(.disconnected, "\(error)")
        context.report(trouble: "\(error)")
        // The other servers are tried at once, but each only once.
        if failures < servers.count {
          context.logger.log(level: error == .lameDuck ? .notice : .warning, "\(server): \(error); trying the next server")
          continue
        }
        failures = 0
        let pause = pauses.next()
        context.logger.log(
          level: error == .lameDuck ? .notice : .warning, "\(server): \(error); reconnecting in \(pause.inMilliseconds)")
        await news.wait(until: context.clock.uptime + pause, context.clock) { !isFinished }
        if Task.isCancelled { throw CancellationError() }
      } catch {
        await connection.close()
        context.connection(.disconnected, error is CancellationError ? "stopped" : "\(error)")
        throw error
      }
    }
  }
}
