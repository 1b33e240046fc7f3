internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
package import StockbusNetwork
package import StockbusPlugin
internal import StockbusTLS
internal import Synchronization

/// An HTTP/1.1 server with WebSockets on the same port, with or without TLS.
///
/// It runs on the network's threads; the handlers of its routes run on the threads of Swift's pool, never on the bus's workers. Requests
/// that exceed its limits or do not pass a route's guards are refused and counted.
package final class WebServer: Sendable {
  /// The address on which the server listens.
  package enum Address: Sendable, Hashable {
    /// An address or a name of this machine, and a port; port 0 is any free one.
    case port(String, Int)
    /// A Unix socket that only its owner may use (mode 0600).
    case socket(String)
  }

  package struct Settings: Sendable {
    package var address: Address
    /// The certificate for TLS; without it the server does not use TLS.
    package var identity: TLSIdentity?
    /// The names by which the server may be addressed.
    package var names = HostNames.loopback
    /// The addresses of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted.
    package var proxies: Set<String> = []
    package var limits = WebLimits()

    package init(_ address: Address) { self.address = address }
  }

  private enum Listener: Sendable {
    case port(any Channel)
    case local(LocalListener)
  }

  /// The port; 0 for a Unix socket.
  package let port: Int
  private let settings: Settings
  private let clock: any Timekeeper
  private let listener: Listener
  private let roll: WebRoll
  private let arrivals: AsyncStream<WebConnection>.Continuation
  /// The task that serves all connections, each in a child task, and monitors the WebSockets; `stop` awaits it.
  private let serving: Task<Void, Never>

  /// Starts listening. Throws a `TLSError`, or an `EnvironmentFailure` with the reason why it cannot listen there.
  /// - Parameter refused: called for each refusal, from any thread.
  package static func start(
    _ settings: Settings, _ routes: WebRoutes, clock: any Timekeeper, refused: @escaping @Sendable (WebRefusal) -> Void = { _ in }
  ) async throws -> WebServer {
    let (limits, proxies) = (settings.limits, settings.proxies)
    let tls = try settings.identity?.serverContext()
    let roll = WebRoll(limits, refused: refused)
    let watch = ConnectionWatch(
      clock: clock, ping: limits.ping, pongDeadline: limits.pongDeadline, closeDeadline: limits.closeDeadline)
    let responder = WebResponder(
      routes: routes, names: settings.names, proxies: proxies, isSecure: tls != nil, limits: limits, roll: roll)
    let (stream, arrivals) = AsyncStream.makeStream(of: WebConnection.self)
    let bootstrap = { @Sendable in
      ServerBootstrap(group: NetworkThreads.group)
        .serverChannelOption(.backlog, value: 256)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.autoRead, value: false)
        // Most data from clients are short, and each read has a buffer of its own.
        .childChannelOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 16_384))
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let address = channel.remoteAddress?.ipAddress ?? "unix"
            let isCounted = address != "unix" && !proxies.contains(address)
            let connection = WebConnection(channel, address: address, isCounted: isCounted, roll, limits: limits, clock: clock)
            if address != "unix" { try channel.syncOptions?.setOption(.socketOption(.tcp_nodelay), value: 1) }
            try addHandlers(for: connection, to: channel, tls, responder)
            guard roll.admit(connection, to: arrivals) else { throw ChannelError.ioOnClosedChannel }
          }
        }
    }
    let listener = try await listen(bootstrap, settings.address)
    let serving = Task {
      await withDiscardingTaskGroup { group in
        group.addTask { await watch.run() }
        await withDiscardingTaskGroup { group in
          for await connection in stream { group.addTask { await connection.serve(responder, watch) } }
        }
        // WebSockets without a task, for which a cancelled task waits too: they are cut then.
        await Task { await roll.wait { $0.open == 0 } }.value
        group.cancelAll()
      }
    }
    return WebServer(settings, clock, listener, roll, arrivals, serving)
  }

  private static func addHandlers(
    for connection: WebConnection, to channel: any Channel, _ tls: TLSContext?, _ responder: WebResponder
  ) throws {
    let pipeline = channel.pipeline.syncOperations
    if let tls { try pipeline.addHandler(TLSHandler(server: tls)) }
    let intake = WebIntake(connection, limit: responder.limits.head)
    try pipeline.addHandler(intake)
    try pipeline.addHandler(HTTPResponseEncoder())
    var most = NIOHTTPDecoderLimitConfiguration()
    most.maxHeaderFieldSize = responder.limits.head
    most.maxHeaderListSize = responder.limits.head
    most.maxHeaderFieldCount = responder.limits.fields
    // Data after a request for a WebSocket belong to the WebSocket.
    let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: most)
    try pipeline.addHandler(ByteToMessageHandler(decoder))
    try pipeline.addHandler(WebHandler(connection, intake, responder.limits, RequestAssembly { responder.bodyLimit($0) }))
  }

  private static func listen(_ bootstrap: @escaping @Sendable () -> ServerBootstrap, _ address: Address) async throws -> Listener {
    switch address {
    case .port(let host, let port):
      do { return .port(try await bootstrap().bind(host: host, port: port).get()) } catch {
        throw EnvironmentFailure("\(host):\(port): cannot listen there: \(systemWords(error))", isPermanent: true)
      }
    case .socket(let path):
      let place = try SocketPlace(path)
      do {
        let listener = LocalListener(try place.listen(), bootstrap)
        do { try place.publish() } catch {
          await listener.close()
          throw error
        }
        return .local(listener)
      } catch {
        place.discard()
        throw EnvironmentFailure("\(path): cannot listen there: \(systemWords(error))", isPermanent: true)
      }
    }
  }

  private init(
    _ settings: Settings, _ clock: any Timekeeper, _ listener: Listener, _ roll: WebRoll,
    _ arrivals: AsyncStream<WebConnection>.Continuation, _ serving: Task<Void, Never>
  ) {
    self.settings = settings
    self.clock = clock
    self.listener = listener
    self.roll = roll
    self.arrivals = arrivals
    self.serving = serving
    port = if case .port(let channel) = listener { channel.localAddress?.port ?? 0 } else { 0 }
  }

  /// The server's counts so far.
  package var counts: WebCounts { roll.counts }

  /// Stops the server: it stops listening, requests being answered finish, and WebSockets are sent `farewell` and closed with 1001.
  /// Connections that have not ended after `limit` are cut. Returns when all have ended.
  package func stop(farewell: WebSocketFrames? = nil, within limit: Duration = .seconds(5)) async {
    switch listener {
    case .port(let channel): try? await channel.close()
    case .local(let listener): await listener.close()
    }
    if case .socket(let path) = settings.address { SocketPlace.remove(path) }
    let connections = roll.stop()
    arrivals.finish()
    await withDeadline(
      limit, clock,
      late: { [roll, serving] in
        for connection in roll.connections { connection.cut() }
        // Handlers that have not ended are cancelled.
        serving.cancel()
      }
    ) {
      await withDiscardingTaskGroup { group in
        for connection in connections { group.addTask { await connection.stop(farewell) } }
      }
      await serving.value
    }
  }

  /// Returns once the server's counts meet the condition, or the task is cancelled.
  package func wait(until condition: (WebCounts) -> Bool) async { await roll.wait(until: condition) }
}
