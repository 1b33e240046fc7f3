package import StockbusPlugin
internal import Synchronization

/// Monitors a server's connections in one task: pings, and the deadlines of pongs and of closing handshakes.
package final class ConnectionWatch: Sendable {
  private struct Entry {
    let connection: WebSocketConnection
    let cut: @Sendable () -> Void
    var pulse: Pulse
    /// The time by which the closing handshake must be complete.
    var closeBy: Duration?
  }

  private let clock: any Timekeeper
  private let ping: Duration
  private let pongDeadline: Duration
  private let closeDeadline: Duration
  /// The connections that `run` has not taken yet.
  private let added = Mutex<[Entry]>([])
  private let news = Bell()

  package init(clock: any Timekeeper, ping: Duration, pongDeadline: Duration, closeDeadline: Duration) {
    self.clock = clock
    self.ping = ping
    self.pongDeadline = pongDeadline
    self.closeDeadline = closeDeadline
  }

  /// Monitors an open connection until it is closed.
  /// - Parameter cut: closes the socket at once; called if a closing handshake takes too long.
  package func add(_ connection: WebSocketConnection, cut: @escaping @Sendable () -> Void) {
    let pulse = Pulse(clock.uptime, ping: ping, pongDeadline: pongDeadline, idleDeadline: nil)
    added.withLock { $0.append(Entry(connection: connection, cut: cut, pulse: pulse)) }
    connection.state.withLock { $0.watch = self }
    ring()
  }

  /// Called when a connection's phase has changed.
  func ring() { news.ring() }

  /// Monitors the connections until the task is cancelled. Sleeps if there are none.
  package func run() async {
    var entries: [Entry] = []
    while !Task.isCancelled {
      let heard = news.rings
      entries += added.withLock { added in
        defer { added = [] }
        return added
      }
      var next: Duration?
      var left: [Entry] = []
      for var entry in entries {
        guard let due = check(&entry) else { continue }
        left.append(entry)
        next = min(next ?? due, due)
      }
      entries = left
      if let next {
        await news.wait(until: next, clock) { news.rings == heard }
      } else {
        await news.wait(after: heard)
      }
    }
  }

  /// The time of the next work; nil if the socket is closed.
  private func check(_ entry: inout Entry) -> Duration? {
    let (isGone, isClosing) = entry.connection.state.withLock { ($0.isGone, $0.isClosing) }
    if isGone { return nil }
    if !isClosing, let next = entry.pulse.beat(entry.connection) { return next }
    let now = clock.uptime
    if let closeBy = entry.closeBy {
      if now < closeBy { return closeBy }
      entry.cut()
    }
    entry.closeBy = now + closeDeadline
    return entry.closeBy
  }
}
