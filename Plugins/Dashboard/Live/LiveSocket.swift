internal import MarketData
internal import StockbusNetwork
internal import StockbusPlugin
internal import StockbusWeb

/// One browser tab on its WebSocket: what it says is carried out at once. What it is told is drawn from the board when it is ready, and sent
/// by the dashboard, so there is one task, and no queue.
struct LiveSocket {
  let dashboard: Dashboard
  let socket: WebSocket
  let viewer: Viewer

  func serve() async {
    guard let (id, rest) = await begin() else { return }
    await dashboard.openAccount(of: viewer)
    await read(id, rest)
    await dashboard.disconnect(id)
  }

  /// The first message has to be `hello`.
  private func begin() async -> (Push.ClientID, [WebSocketMessage])? {
    guard let messages = try? await socket.receive(), let first = messages.first else { return nil }
    guard case .text = first.kind, case .hello(let epoch, let cursor)? = try? PageMessage(first.text) else {
      socket.close(.policyViolation, "the first message has to be 'hello'")
      return nil
    }
    guard let id = await dashboard.connect(socket, viewer, epoch: epoch, cursor: cursor) else {
      socket.close(.tryAgainLater, "there are as many pages as there may be")
      return nil
    }
    return (id, Array(messages.dropFirst()))
  }

  private func read(_ id: Push.ClientID, _ first: [WebSocketMessage]) async {
    var messages = first
    while true {
      for message in messages {
        guard case .text = message.kind else { return socket.close(.unsupportedData, "messages are texts") }
        do throws(PageMessage.Fault) {
          let message = try PageMessage(message.text)
          guard let problem = await dashboard.take(message, from: id) else { continue }
          if await !send(problem) { return }
        } catch {
          if error.pane == nil { return socket.close(.policyViolation, error.text) }
          if await !send(Self.error(pane: error.pane, error.text, at: nil)) { return }
        }
      }
      guard let next = try? await socket.receive() else { return }
      messages = next
    }
  }

  private func send(_ text: String) async -> Bool {
    do {
      try await socket.send(WebSocketFrames(text: text))
      return true
    } catch { return false }
  }

  static func error(pane: UInt8?, _ message: String, at character: Int?) -> String {
    var members: [JSONValue.Member] = [.init("op", "error"), .init("message", .string(message))]
    if let pane { members.append(.init("pane", .number(pane))) }
    if let character { members.append(.init("at", .number(character))) }
    return JSONValue.object(members).description
  }
}
