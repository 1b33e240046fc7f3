internal import Synchronization

/// The connections of a server, and its counts.
final class ServerRoll: Sendable {
  struct Counts {
    var accepted = 0
    var refused = 0
    var echoed = 0
  }

  private struct State {
    var connections: [ObjectIdentifier: WebSocketConnection] = [:]
    var counts = Counts()
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  /// Returns false if there are too many connections.
  func admit(_ connection: WebSocketConnection) -> Bool {
    state.withLock { state in
      guard state.connections.count < limit else {
        state.counts.refused += 1
        return false
      }
      state.counts.accepted += 1
      state.connections[ObjectIdentifier(connection)] = connection
      return true
    }
  }

  func dismiss(_ connection: WebSocketConnection) {
    state.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(connection)) }
  }

  func count(echoes: Int) { state.withLock { $0.counts.echoed += echoes } }

  var counts: Counts { state.withLock { $0.counts } }
  var connections: [WebSocketConnection] { state.withLock { Array($0.connections.values) } }
}
