internal import StockbusPlugin
internal import Synchronization

/// Decides when an open connection is pinged, and when silence ends it.
struct Pulse {
  private let ping: Duration
  private let pongDeadline: Duration
  private let idleDeadline: Duration?
  private var nextPing: Duration
  /// The time of the first ping that no data have followed, and the number of reads at that time.
  private var asked: (at: Duration, reads: Int)?

  init(_ now: Duration, ping: Duration, pongDeadline: Duration, idleDeadline: Duration?) {
    self.ping = ping
    self.pongDeadline = pongDeadline
    self.idleDeadline = idleDeadline
    nextPing = now + ping
  }

  /// Does the work that is due: sends a ping, or ends the connection. Returns the time of the next work; nil if the connection has ended.
  mutating func beat(_ connection: WebSocketConnection) -> Duration? {
    // Read before the state, so that data that arrives between the two counts as later than `now` and not as silence.
    let now = connection.clock.uptime
    let (reads, message, isPaused, isOver) = connection.state.withLock { state in
      (state.reads, state.lastMessage, state.isPaused, state.ending != nil)
    }
    if isOver { return nil }
    // Any data shows that the peer is alive; and while reading is paused, none can arrive.
    if let ping = asked, reads != ping.reads || isPaused { asked = nil }
    if let asked, now >= asked.at + pongDeadline {
      connection.fail(.timedOut(.pong))
      return nil
    }
    if let idleDeadline, !isPaused, now >= message + idleDeadline {
      connection.fail(.idle(idleDeadline, option: connection.isClient ? "idle_deadline" : nil))
      return nil
    }
    if now >= nextPing {
      connection.sendPing()
      if asked == nil { asked = (now, reads) }
      nextPing = now + ping
    }
    var wake = nextPing
    if let asked { wake = min(wake, asked.at + pongDeadline) }
    if let idleDeadline { wake = min(wake, max(message, isPaused ? now : message) + idleDeadline) }
    return wake
  }
}
