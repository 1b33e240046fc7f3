internal import NIOCore
internal import NIOPosix
package import StockbusPlugin
internal import StockbusTLS
internal import Synchronization

/// Opens WebSockets to one address.
package struct WebSocketClient: Sendable {
  package let url: WebSocketURL
  package let settings: ConnectionSettings
  let clock: any Timekeeper
  let thread: NetworkThread
  private let tls: TLSContext?

  /// Reads the CA's file, if there is one; no other I/O.
  package init(
    _ url: WebSocketURL, _ settings: ConnectionSettings, clock: any Timekeeper, thread: NetworkThread = .next()
  ) throws(TLSError) {
    self.url = url
    self.settings = settings
    self.clock = clock
    self.thread = thread
    tls = url.isSecure ? try settings.tls.clientContext() : nil
  }

  /// Opens a connection, including its handshake, within the settings' deadlines. Throws a `WebSocketError`, and `CancellationError`.
  ///
  /// The caller has to end the connection; `withConnection` does that, and monitors the connection meanwhile.
  package nonisolated(nonsending) func open() async throws -> WebSocketConnection {
    let connection = WebSocketConnection(clock: clock, isClient: true)
    do {
      try await open(connection)
      return connection
    } catch {
      _ = connection.end(error as? WebSocketError ?? .finished(.goingAway))
      connection.dropChannel()
      throw error
    }
  }

  nonisolated(nonsending) func open(_ connection: WebSocketConnection) async throws {
    if Task.isCancelled { throw CancellationError() }
    connect(connection)
    try await withDeadline(settings.connectDeadline, clock, late: { connection.fail(.timedOut(.connect)) }) {
      try await connection.wait { $0.wasConnected }
    }
    try await withDeadline(settings.handshakeDeadline, clock, late: { connection.fail(.timedOut(.handshake)) }) {
      try await connection.wait { $0.wasOpened }
    }
  }

  /// Starts connecting; the result is set on the connection.
  private func connect(_ connection: WebSocketConnection) {
    let request = UpgradeRequest(
      url, headers: settings.headers.entries, subprotocol: settings.subprotocol, takesCompression: settings.compression)
    let (url, tls, limit) = (url, tls, settings.frameLimit.bytes)
    ClientBootstrap(group: thread.loop)
      // Small messages are sent at once; Nagle's algorithm would wait for an acknowledgement.
      .channelOption(.socketOption(.tcp_nodelay), value: 1)
      .channelOption(.autoRead, value: false)
      // The connect deadline applies; this one only releases the socket eventually.
      .connectTimeout(.seconds(600))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if connection.state.withLock({ $0.ending != nil }) { throw ChannelError.ioOnClosedChannel }
          if let tls { try channel.pipeline.syncOperations.addHandler(TLSHandler(client: tls, host: url.host)) }
          try channel.pipeline.syncOperations.addHandler(WebSocketHandler(connection, .client(request), limit: limit))
        }
      }
      .connect(host: url.host, port: url.port)
      .whenComplete { result in
        switch result {
        case .success(let channel): if connection.state.withLock({ $0.ending != nil && $0.channel == nil }) { channel.close(promise: nil) }
        case .failure(let error): _ = connection.end(.unreachable("\(url.host):\(url.port): \(systemWords(error))"))
        }
      }
  }

  /// Calls `body` with the connection while pings and deadlines monitor it, and always closes it.
  ///
  /// A return closes it regularly, and so does a cancellation. A `WebSocketError` that `body` throws is rethrown.
  package nonisolated(nonsending) func watching<Result>(
    _ connection: WebSocketConnection, _ body: nonisolated(nonsending) (WebSocketConnection) async throws -> Result
  ) async throws -> Result {
    let heartbeat = Heartbeat(connection, settings)
    // Unstructured only in form: awaited on every path.
    let watch = Task { await heartbeat.run() }
    do {
      let result = try await body(connection)
      watch.cancel()
      await watch.value
      await connection.close(within: settings.closeDeadline)
      return result
    } catch {
      watch.cancel()
      await watch.value
      if error is WebSocketError {
        await connection.finish(within: settings.closeDeadline)
      } else {
        await connection.close(.goingAway, within: settings.closeDeadline)
      }
      throw error
    }
  }
}
