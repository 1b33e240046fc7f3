internal import StockbusNetwork
internal import Synchronization

/// The counts of a server since its start.
package struct WebCounts: Sendable, Hashable {
  /// Connections that were accepted.
  package var accepted = 0
  /// Open connections now, and those of them that are WebSockets.
  package var open = 0
  package var sockets = 0
  /// Open connections on which a part of a request has arrived, but not all of it.
  package var receiving = 0
  /// Requests answered by a route or by a refusal.
  package var requests = 0
  package var refused: [WebRefusal: Int] = [:]
  /// Written bytes of responses' bodies and of WebSocket messages.
  package var sent = 0
}

/// The connections of a server, and its counts.
final class WebRoll: Sendable {
  private struct State {
    var connections: [ObjectIdentifier: WebConnection] = [:]
    var perAddress: [String: Int] = [:]
    var counts = WebCounts()
    var isStopping = false
  }

  private let limits: WebLimits
  private let refused: @Sendable (WebRefusal) -> Void
  private let state = Mutex(State())
  private let news = Bell()

  /// - Parameter refused: called for each refusal.
  init(_ limits: WebLimits, refused: @escaping @Sendable (WebRefusal) -> Void = { _ in }) {
    self.limits = limits
    self.refused = refused
  }

  /// Passes the connection to `arrivals`; returns false if there are too many connections, or the server is stopping.
  func admit(_ connection: WebConnection, to arrivals: AsyncStream<WebConnection>.Continuation) -> Bool {
    defer { news.ring() }
    let reason: WebRefusal?
    let isAdmitted: Bool
    (isAdmitted, reason) = state.withLock { state in
      if state.isStopping { return (false, nil) }
      let address = connection.address
      let reason: WebRefusal? =
        state.connections.count >= limits.connections
        ? .connections
        : connection.isCounted && state.perAddress[address, default: 0] >= limits.connectionsPerAddress ? .address : nil
      if let reason {
        state.counts.refused[reason, default: 0] += 1
        return (false, reason)
      }
      state.counts.accepted += 1
      state.perAddress[address, default: 0] += 1
      state.connections[ObjectIdentifier(connection)] = connection
      // Under the lock, so that a stop finds either no such connection or one that is served.
      arrivals.yield(connection)
      return (true, nil)
    }
    if let reason { refused(reason) }
    return isAdmitted
  }

  func dismiss(_ connection: WebConnection) {
    defer { news.ring() }
    state.withLock { state in
      guard state.connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
      let rest = state.perAddress[connection.address, default: 1] - 1
      state.perAddress[connection.address] = rest > 0 ? rest : nil
    }
  }

  func count(_ reason: WebRefusal) {
    state.withLock { $0.counts.refused[reason, default: 0] += 1 }
    refused(reason)
    news.ring()
  }

  func count(requests: Int = 0, sent: Int) {
    state.withLock { state in
      state.counts.requests += requests
      state.counts.sent += sent
    }
    news.ring()
  }

  /// Notes a change of a connection that affects `counts`.
  func ring() { news.ring() }

  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Stops admitting connections. Returns the present ones.
  func stop() -> [WebConnection] {
    state.withLock { state in
      state.isStopping = true
      return Array(state.connections.values)
    }
  }

  var connections: [WebConnection] { state.withLock { Array($0.connections.values) } }

  var counts: WebCounts {
    let (counts, connections) = state.withLock { ($0.counts, Array($0.connections.values)) }
    var now = counts
    now.open = connections.count
    now.sockets = connections.count { $0.isSocket }
    now.receiving = connections.count { $0.isReceiving }
    return now
  }

  /// Returns once the counts meet the condition, or the task is cancelled.
  nonisolated(nonsending) func wait(until condition: (WebCounts) -> Bool) async {
    while !Task.isCancelled {
      let heard = news.rings
      if condition(counts) { return }
      await news.wait(after: heard)
    }
  }
}
