internal import StockbusAccountRoutes
internal import StockbusAccounts
internal import StockbusNetwork
internal import StockbusPlugin
internal import StockbusWeb
internal import Synchronization

/// The open sockets of those who have logged in. They end with their session or token: at once where it is ended through this program, and
/// within a minute where another program ends it.
final class SessionSockets: Sendable {
  private struct Entry {
    let socket: WebSocket
    /// The session or token that has opened it; nil if that has ended by then.
    let owner: Identity.Proof?
    /// What shows who has opened it.
    let proof: WebRequest
  }

  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])
  private let news = Bell()

  /// How often it is asked whether the sessions last.
  static let interval = Duration.seconds(60)

  /// Takes in a socket; returns who looks, or nil, and ends the socket, if nobody may look with it any more.
  func enter(_ socket: WebSocket, _ request: WebRequest, _ door: Door) async -> Viewer? {
    if !door.hasAccounts { return .local }
    let entry = Entry(socket: socket, owner: try? await door.gate?.identity(request)?.proof, proof: request.proof)
    entries.withLock { $0[ObjectIdentifier(socket)] = entry }
    news.ring()
    // It may have ended before it was noted.
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

  /// Asks from time to time whether the sessions of the open sockets last, until the task is cancelled.
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
  /// Only what shows who sends it.
  fileprivate var proof: WebRequest {
    var fields = WebFields()
    for name in ["cookie", "authorization"] { for value in self.fields.all(name) { fields.add(name, value) } }
    return WebRequest(method, target, fields: fields, from: client)
  }
}
