internal import MarketData
internal import StockbusNetwork
internal import StockbusPlugin
internal import StockbusWeb

/// One browser tab on its WebSocket: what it says is carried out at once; what it is told is drawn from the board when it is ready.
///
/// There are two tasks, and no queue between them: one reads, the other waits until the tab is due and writes.
struct LiveSocket {
  let dashboard: Dashboard
  let socket: WebSocket
  let viewer: Viewer

  func serve() async {
    guard let (id, bell, rest) = await begin() else { return }
    await dashboard.openAccount(of: viewer)
    await withDiscardingTaskGroup { group in
      group.addTask {
        await write(id, bell)
        socket.close()
      }
      await read(id, rest)
      group.cancelAll()
    }
    await dashboard.disconnect(id)
  }

  /// The first message has to be `hello`.
  private func begin() async -> (Push.ClientID, Parker, [WebSocketMessage])? {
    guard let messages = try? await socket.receive(), let first = messages.first else { return nil }
    guard case .text = first.kind, case .hello(let epoch, let cursor)? = try? PageMessage(first.text) else {
      socket.close(.policyViolation, "the first message has to be 'hello'")
      return nil
    }
    guard let (id, bell, welcome) = await dashboard.connect(viewer, epoch: epoch, cursor: cursor) else {
      socket.close(.tryAgainLater, "there are as many pages as there may be")
      return nil
    }
    do { try await socket.send(WebSocketFrames(text: welcome)) } catch {
      await dashboard.disconnect(id)
      return nil
    }
    return (id, bell, Array(messages.dropFirst()))
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

  private func write(_ id: Push.ClientID, _ bell: Parker) async {
    while !Task.isCancelled {
      if let message = await dashboard.next(for: id) {
        var frames = WebSocketFrames()
        frames.add(binary: message.frame)
        if let text = message.text { frames.add(text: text) }
        do { try await socket.send(frames) } catch { return }
      }
      await bell.sleepCancellably()
    }
  }

  static func error(pane: UInt8?, _ message: String, at character: Int?) -> String {
    var members: [JSONValue.Member] = [.init("op", "error"), .init("message", .string(message))]
    if let pane { members.append(.init("pane", .number(pane))) }
    if let character { members.append(.init("at", .number(character))) }
    return JSONValue.object(members).description
  }
}
