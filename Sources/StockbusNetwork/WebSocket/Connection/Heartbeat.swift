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
    var nextPing = clock.uptime + ping
    /// When the first ping was sent that no data has followed, and the number of reads at that time.
    var asked: (at: Duration, reads: Int)?
    while true {
      // Read before the state, so that data that arrives between the two counts as later than `now` and not as silence.
      let now = clock.uptime
      let (reads, message, isPaused, isOver) = connection.state.withLock { state in
        (state.reads, state.lastMessage, state.isPaused, state.ending != nil)
      }
      if isOver { return }
      // Any data shows that the peer is alive; and while reading is paused, none can arrive.
      if let ping = asked, reads != ping.reads || isPaused { asked = nil }
      if let asked, now >= asked.at + pongDeadline { return connection.fail(.timedOut(.pong)) }
      if let idleDeadline, !isPaused, now >= message + idleDeadline { return connection.fail(.timedOut(.idle)) }
      if now >= nextPing {
        connection.sendPing()
        if asked == nil { asked = (now, reads) }
        nextPing = now + ping
      }
      var wake = nextPing
      if let asked { wake = min(wake, asked.at + pongDeadline) }
      if let idleDeadline { wake = min(wake, max(message, isPaused ? now : message) + idleDeadline) }
      do { try await clock.sleep(until: wake) } catch { return }
    }
  }
}
