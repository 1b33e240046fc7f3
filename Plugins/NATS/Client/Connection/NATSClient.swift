internal import StockbusNetwork
internal import NIOCore
internal import NIOPosix
internal import StockbusPlugin
internal import StockbusTLS
internal import Synchronization

/// Opens connections to NATS servers.
struct NATSClient: Sendable {
  let settings: NATSSettings
  let login: NATSLogin
  let name: String
  let clock: any Timekeeper
  let thread: NetworkThread
  private let tls: TLSContext

  /// Reads the CA's file, if there is one; no other I/O.
  init(_ settings: NATSSettings, login: NATSLogin, name: String, clock: any Timekeeper, thread: NetworkThread) throws(TLSError) {
    self.settings = settings
    self.login = login
    self.name = name
    self.clock = clock
    self.thread = thread
    tls = try settings.tls.clientContext(protocols: [])
  }

  /// Opens a connection, until the server has admitted the client, within the settings' deadline.
  nonisolated(nonsending) func open(_ connection: NATSConnection, to address: NATSAddress) async throws {
    if Task.isCancelled { throw CancellationError() }
    connect(connection, address, NATSGreeting(credentials: try NATSCredentials(login), name: name))
    try await withDeadline(settings.connectDeadline, clock, late: { connection.fail(.timedOut(.connect)) }) {
      try await connection.wait { $0.channel != nil }
    }
    try await withDeadline(settings.connectDeadline, clock, late: { connection.fail(.timedOut(.greeting)) }) {
      try await connection.wait { $0.wasOpened }
    }
  }

  /// Starts connecting; the result is set on the connection.
  private func connect(_ connection: NATSConnection, _ address: NATSAddress, _ greeting: NATSGreeting) {
    let (tls, limits) = (tls, settings.limits)
    ClientBootstrap(group: thread.loop)
      .channelOption(.socketOption(.tcp_nodelay), value: 1)
      .channelOption(.autoRead, value: false)
      // Many small acknowledgements arrive in one read.
      .channelOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 8192, maximum: 1 << 18))
      .channelOption(.writeBufferWaterMark, value: .init(low: 1 << 17, high: 1 << 19))
      // The connect deadline applies; this one only releases the socket eventually.
      .connectTimeout(.seconds(600))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if connection.state.withLock({ $0.ending != nil }) { throw ChannelError.ioOnClosedChannel }
          try channel.pipeline.syncOperations.addHandler(
            NATSHandler(connection, address, tls: tls, greeting: greeting, limits: limits))
        }
      }
      .connect(host: address.host, port: address.port)
      .whenComplete { result in
        switch result {
        case .success(let channel): if connection.state.withLock({ $0.ending != nil && $0.channel == nil }) { channel.close(promise: nil) }
        case .failure(let error): _ = connection.end(.unreachable("\(address.host):\(address.port): \(systemWords(error))"))
        }
      }
  }

  /// Calls `body` with an open connection while pings monitor it, and always closes the connection.
  nonisolated(nonsending) func watching<Result>(
    _ connection: NATSConnection, _ body: nonisolated(nonsending) (NATSConnection) async throws -> Result
  ) async throws -> Result {
    let (settings, clock) = (settings, clock)
    // Unstructured only in form: awaited on every path.
    let watch = Task { await Self.monitor(connection, settings, clock) }
    do {
      let result = try await body(connection)
      watch.cancel()
      await watch.value
      await connection.close()
      return result
    } catch {
      watch.cancel()
      await watch.value
      await connection.close()
      throw error
    }
  }

  /// Pings at intervals, and ends the connection if no data arrive within the deadline after a ping.
  private static func monitor(_ connection: NATSConnection, _ settings: NATSSettings, _ clock: any Timekeeper) async {
    do {
      while true {
        try await clock.sleep(for: settings.ping)
        let (reads, isPaused, isOver) = connection.state.withLock { ($0.reads, $0.isPaused, $0.ending != nil) }
        if isOver { return }
        connection.ping()
        // While reading is paused, no reply can be read.
        if isPaused { continue }
        try await clock.sleep(for: settings.pongDeadline)
        if connection.state.withLock({ $0.reads == reads && !$0.isPaused }) { return connection.fail(.timedOut(.pong)) }
      }
    } catch { return }
  }
}
