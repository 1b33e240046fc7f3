internal import StockbusAccountRoutes
internal import StockbusAccounts
internal import StockbusNetwork
internal import StockbusPlugin
internal import StockbusWeb
internal import Synchronization

/// The open sockets of each session, which end with it: at once where it is ended through this program, and within a minute where another
/// program ends it.
final class SessionSockets: Sendable {
  private let sockets = Mutex<[SessionID: [ObjectIdentifier: WebSocket]]>([:])

  /// How often it is asked whether a session lasts.
  static let interval = Duration.seconds(60)

  /// Ends the sockets of these sessions.
  func end(_ sessions: [SessionID]) {
    let ended = sockets.withLock { sockets in sessions.flatMap { sockets[$0].map { Array($0.values) } ?? [] } }
    for socket in ended { Self.end(socket) }
  }

  /// Calls `body`, and ends the socket when the session that has opened it ends, or nobody may look with it any more.
  func serve(_ socket: WebSocket, _ request: WebRequest, _ door: Door, _ clock: any Timekeeper, _ body: @Sendable (Viewer) async -> Void)
    async
  {
    let session = await session(of: request, door)
    if let session { sockets.withLock { $0[session, default: [:]][ObjectIdentifier(socket)] = socket } }
    // It may have ended before it was noted.
    switch await door.viewer(request) {
    case nil: Self.end(socket)
    case let viewer? where !door.hasAccounts: await body(viewer)
    case let viewer?:
      await withDiscardingTaskGroup { group in
        group.addTask {
          while (try? await clock.sleep(until: clock.uptime + Self.interval)) != nil {
            if await door.viewer(request) == nil { return Self.end(socket) }
          }
        }
        await body(viewer)
        group.cancelAll()
      }
    }
    if let session {
      sockets.withLock { sockets in
        sockets[session]?[ObjectIdentifier(socket)] = nil
        if sockets[session]?.isEmpty == true { sockets[session] = nil }
      }
    }
  }

  private func session(of request: WebRequest, _ door: Door) async -> SessionID? {
    guard let gate = door.gate, let identity = try? await gate.identity(request), case .session(let session) = identity.proof else {
      return nil
    }
    return session
  }

  private static func end(_ socket: WebSocket) { socket.close(.policyViolation, "the session has ended") }
}
