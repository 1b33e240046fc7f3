internal import StockbusPeople
internal import StockbusNetwork
internal import StockbusPlugin
internal import StockbusWeb
internal import Synchronization

/// The open sockets of logged-in users. They end with their session or token: at once if this program ends it, and within a minute if
/// another program does.
final class SessionSockets: Sendable {
  private struct Entry {
    let socket: WebSocket
    /// The session or token that has opened the socket; nil if that has ended by then.
    let owner: Identity.Proof?
    /// The part of the request that identifies its user.
    let proof: WebRequest
  }

  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])
  private let news = Bell()

  /// How often the sessions are checked.
  static let interval = Duration.seconds(60)

  /// Registers a socket and returns its user; or ends the socket and returns nil, if its user has no access any more.
  func enter(_ socket: WebSocket, _ request: WebRequest, _ door: Door) async -> Viewer? {
    if !door.hasAccounts { return .local }
    let entry = Entry(socket: socket, owner: try? await door.gate?.identity(request)?.proof, proof: request.proof)
    entries.withLock { $0[ObjectIdentifier(socket)] = entry }
    news.ring()
    // The session may have ended before the socket was registered.
    if let viewer = await door.viewer(request) { return viewer }
    Self.end(socket)
    leave(socket)
    return nil
  }

  func leave(_ socket: WebSocket) { entries.withLock { $0[ObjectIdentifier(socket)] = nil } }

  /// Ends the sockets of these sessions and tokens.
  func end(_ owners: [Identity.Proof]) {
    let ended = Set(owners)
    let sockets = entries.withLock { entries in entries.values.filter { $0.owner.map(ended.contains) ?? false }.map(\.socket) }
    for socket in sockets { Self.end(socket) }
  }

  /// Checks from time to time that the sessions of the open sockets are valid, until the task is cancelled.
  func watch(_ door: Door, _ clock: any Timekeeper) async {
    while !Task.isCancelled {
      let heard = news.rings
      if entries.withLock({ $0.isEmpty }) {
        await news.wait(after: heard)
        continue
      }
      do { try await clock.sleep(until: clock.uptime + Self.interval) } catch { return }
      for entry in entries.withLock({ Array($0.values) }) where await door.viewer(entry.proof) == nil { Self.end(entry.socket) }
    }
  }

  private static func end(_ socket: WebSocket) { socket.close(.policyViolation, "the session has ended") }
}

extension WebRequest {
  /// A copy with only the fields that identify the user.
  fileprivate var proof: WebRequest {
    var fields = WebFields()
    for name in ["cookie", "authorization"] { for value in self.fields.all(name) { fields.add(name, value) } }
    return WebRequest(method, target, fields: fields, from: client)
  }
}
