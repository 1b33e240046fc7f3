internal import StockbusPlugin
internal import Synchronization

/// Monitors an open connection by pings, their replies, and idle time.
struct Heartbeat: Sendable {
  private let connection: WebSocketConnection
  private let ping: Duration
  private let pongDeadline: Duration
  private let idleDeadline: Duration?

  init(_ connection: WebSocketConnection, _ settings: ConnectionSettings) {
    self.init(connection, ping: settings.ping, pongDeadline: settings.pongDeadline, idleDeadline: settings.idleDeadline)
  }

  init(_ connection: WebSocketConnection, ping: Duration, pongDeadline: Duration, idleDeadline: Duration?) {
    self.connection = connection
    self.ping = ping
    self.pongDeadline = pongDeadline
    self.idleDeadline = idleDeadline
  }

  /// Runs `body` while it monitors the connection.
  func watch(_ body: @Sendable () async -> Void) async {
    // Unstructured only in form: awaited at once.
    let watch = Task { await run() }
    await body()
    watch.cancel()
    await watch.value
  }

  /// Returns when the connection has failed, at the latest at the next deadline, or when the task is cancelled.
  func run() async {
    let clock = connection.clock
    var pulse = Pulse(clock.uptime, ping: ping, pongDeadline: pongDeadline, idleDeadline: idleDeadline)
    while let next = pulse.beat(connection) {
      do { try await clock.sleep(until: next) } catch { return }
    }
  }
}
