internal import NIOCore
internal import NIOPosix
internal import NIOSSL
public import StockbusPlugin
internal import Synchronization

/// A small WebSocket server: for echoing, and for tests in which it plays a venue.
public final class WebSocketServer: Sendable {
  public struct Settings: Sendable {
    /// An address or name of this machine.
    public var host = "127.0.0.1"
    /// 0 is any free one.
    public var port = 0
    /// With it it speaks TLS.
    public var identity: TLSIdentity?
    /// The most connections at once; further ones are closed.
    public var connections = 64
    /// The largest message that is taken.
    public var frameLimit = ByteSize.mebibytes(1)
    public var handshakeDeadline = Duration.seconds(10)
    /// How often the other side is asked for a sign of life, and how long that may take; then its place is given to others.
    public var ping = Duration.seconds(30)
    public var pongDeadline = Duration.seconds(30)
    /// How long no message may come before a connection is closed with 1001, though pings are answered; nil is for ever.
    public var idleDeadline: Duration? = .seconds(600)
    /// Whether pings and the idle limit watch over scripts too; an echo is always watched over.
    public var watchesScripts = false
    public var closeDeadline = Duration.seconds(2)

    public init() {}
  }

  /// What it does with a connection after the handshake.
  public enum Behaviour: Sendable {
    /// Sends back every message as it is, in order. Who does not take the answers is not read from.
    case echo
    /// Calls this, and closes the connection when it returns.
    case script(@Sendable (WebSocketConnection) async -> Void)
  }

  /// Where it listens.
  public let host: String
  public let port: Int
  private let settings: Settings
  private let listener: any Channel
  private let roll: ServerRoll
  private let arrivals: AsyncStream<WebSocketConnection>.Continuation
  /// The one task behind it, with a child for every connection; `stop` awaits it.
  private let serving: Task<Void, Never>

  /// Listens. Throws a `TLSError`, or an `EnvironmentFailure` that says why it cannot listen there.
  public static func start(
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
          if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
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
    } catch {}  // it has ended before it began, and its peer knows
    await connection.close(.goingAway, within: settings.closeDeadline)
    roll.dismiss(connection)
  }

  /// Closes every connection with 1001, listens no more, and returns when all has ended.
  public func stop() async {
    // Whoever is in the middle of a handshake is cut, as there is nobody left to serve it.
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

  public var url: WebSocketURL { WebSocketURL(isSecure: settings.identity != nil, host: host, port: port) }
  /// Connections that were taken so far.
  public var accepted: Int { roll.counts.accepted }
  /// Connections that were closed at once because there were too many.
  public var refused: Int { roll.counts.refused }
  /// Messages that were echoed.
  public var echoed: Int { roll.counts.echoed }
  /// The connections of this moment.
  public var connections: [WebSocketConnection] { roll.connections }
}
