internal import NIOCore
internal import NIOPosix
package import StockbusPlugin
internal import StockbusTLS
internal import Synchronization

/// A small WebSocket server for echoing, and for tests that simulate a venue.
package final class WebSocketServer: Sendable {
  package struct Settings: Sendable {
    /// An address or a name of this machine.
    package var host = "127.0.0.1"
    /// 0 selects any free port.
    package var port = 0
    /// The certificate for TLS; without it the server does not use TLS.
    package var identity: TLSIdentity?
    /// The most simultaneous connections; further ones are closed.
    package var connections = 64
    /// The largest message that is accepted.
    package var frameLimit = ByteSize.mebibytes(1)
    package var handshakeDeadline = Duration.seconds(10)
    /// The interval of pings, and the time for a reply, after which the connection is closed.
    package var ping = Duration.seconds(30)
    package var pongDeadline = Duration.seconds(30)
    /// How long no message may arrive before a connection is closed with 1001, even if pongs arrive; nil for no limit.
    package var idleDeadline: Duration? = .seconds(600)
    /// Whether pings and the idle limit also apply to scripts; they always apply to echoes.
    package var watchesScripts = false
    package var closeDeadline = Duration.seconds(2)

    package init() {}
  }

  /// The server's treatment of a connection after the handshake.
  package enum Behaviour: Sendable {
    /// Sends back every message unchanged and in order. It stops reading from a peer that does not read the replies.
    case echo
    /// Calls the closure, and closes the connection when it returns.
    case script(@Sendable (WebSocketConnection) async -> Void)
  }

  /// The address on which the server listens.
  package let host: String
  package let port: Int
  private let settings: Settings
  private let listener: any Channel
  private let roll: ServerRoll
  private let arrivals: AsyncStream<WebSocketConnection>.Continuation
  /// The task that serves all connections, each in a child task; `stop` awaits it.
  private let serving: Task<Void, Never>

  /// Starts listening. Throws a `TLSError`, or an `EnvironmentFailure` with the reason why it cannot listen there.
  package static func start(
    _ settings: Settings = Settings(), clock: any Timekeeper, _ behaviour: Behaviour
  ) async throws -> WebSocketServer {
    let tls = try settings.identity?.serverContext()
    let roll = ServerRoll(limit: settings.connections)
    let (stream, arrivals) = AsyncStream.makeStream(of: WebSocketConnection.self)
    let echoes = if case .echo = behaviour { true } else { false }
    let bootstrap = ServerBootstrap(group: NetworkThreads.group)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let connection = WebSocketConnection(clock: clock, isClient: false)
          guard roll.admit(connection) else { throw ChannelError.ioOnClosedChannel }
          if let tls { try channel.pipeline.syncOperations.addHandler(TLSHandler(server: tls)) }
          try channel.pipeline.syncOperations.addHandler(
            WebSocketHandler(
              connection, .server(echoes: echoes), limit: settings.frameLimit.bytes, countEchoes: { roll.count(echoes: $0) }))
          arrivals.yield(connection)
        }
      }
    let listener: any Channel
    do { listener = try await bootstrap.bind(host: settings.host, port: settings.port).get() } catch {
      throw EnvironmentFailure("\(settings.host):\(settings.port): cannot listen there: \(systemWords(error))", isPermanent: true)
    }
    let serving = Task {
      await withDiscardingTaskGroup { group in
        for await connection in stream { group.addTask { await serve(connection, behaviour, settings, roll) } }
      }
    }
    return WebSocketServer(settings, listener, roll, arrivals, serving)
  }

  private init(
    _ settings: Settings, _ listener: any Channel, _ roll: ServerRoll, _ arrivals: AsyncStream<WebSocketConnection>.Continuation,
    _ serving: Task<Void, Never>
  ) {
    self.settings = settings
    self.listener = listener
    self.roll = roll
    self.arrivals = arrivals
    self.serving = serving
    host = settings.host
    port = listener.localAddress?.port ?? settings.port
  }

  private static func serve(
    _ connection: WebSocketConnection, _ behaviour: Behaviour, _ settings: Settings, _ roll: ServerRoll
  ) async {
    let deadline = settings.handshakeDeadline
    do {
      try await withDeadline(deadline, connection.clock, late: { connection.fail(.timedOut(.handshake)) }) {
        try await connection.wait { $0.wasOpened }
      }
      let heartbeat = Heartbeat(
        connection, ping: settings.ping, pongDeadline: settings.pongDeadline, idleDeadline: settings.idleDeadline)
      switch behaviour {
      case .echo: await heartbeat.watch { await connection.awaitEnd() }
      case .script(let body) where settings.watchesScripts: await heartbeat.watch { await body(connection) }
      case .script(let body): await body(connection)
      }
    } catch {}  // it has ended before its handshake was complete
    await connection.close(.goingAway, within: settings.closeDeadline)
    roll.dismiss(connection)
  }

  /// Closes every connection with 1001, stops listening, and returns when all connections have ended.
  package func stop() async {
    // Connections in a handshake are cut, because they will not be served.
    await withCheckedContinuation { done in listener.close().whenComplete { _ in done.resume() } }
    arrivals.finish()
    await withDiscardingTaskGroup { group in
      for connection in roll.connections {
        group.addTask { [settings] in await connection.close(.goingAway, within: settings.closeDeadline) }
      }
    }
    serving.cancel()
    await serving.value
  }

  package var url: WebSocketURL { WebSocketURL(isSecure: settings.identity != nil, host: host, port: port) }
  /// How many connections have been accepted.
  package var accepted: Int { roll.counts.accepted }
  /// How many connections have been closed at once because there were too many.
  package var refused: Int { roll.counts.refused }
  /// How many messages have been echoed.
  package var echoed: Int { roll.counts.echoed }
  /// The present connections.
  package var connections: [WebSocketConnection] { roll.connections }
}
