internal import StockbusNetwork
internal import StockbusPlugin
internal import StockbusWeb
internal import Synchronization

/// One browser tab on its WebSocket. Its messages are put into the dashboard's mailbox; the dashboard computes the replies from the board
/// when the tab is ready, and sends them. So a tab needs no task and no queue.
final class Tab: WebSocketReceiver {
  let socket: WebSocket
  let viewer: Viewer
  private let mailbox: PageMailbox
  /// How many of the tab's letters the dashboard has not read yet.
  private let unread = Atomic(0)

  /// The most letters of a tab that may wait.
  static let mostUnread = 256

  init(_ socket: WebSocket, _ viewer: Viewer, _ mailbox: PageMailbox) {
    self.socket = socket
    self.viewer = viewer
    self.mailbox = mailbox
  }

  func take(_ messages: [WebSocketMessage]) {
    for message in messages {
      guard case .text = message.kind else { return socket.close(.unsupportedData, "a message must be text") }
      do throws(PageMessage.Fault) {
        let message = try PageMessage(message.text)
        guard unread.add(1, ordering: .relaxed).newValue <= Self.mostUnread else {
          return socket.close(.tryAgainLater, "too many messages wait")
        }
        mailbox.put(.says(self, message))
      } catch {
        if error.pane == nil { return socket.close(.policyViolation, error.text) }
        report(error.text, pane: error.pane)
      }
    }
  }

  func ended() { mailbox.put(.leaves(self)) }

  /// Called when the dashboard has read a letter.
  func noteRead() { unread.subtract(1, ordering: .relaxed) }

  /// Sends the tab the problem of a message.
  func report(_ problem: String, pane: UInt8? = nil, at character: Int? = nil) {
    var members: [JSONValue.Member] = [.init("op", "error"), .init("message", .string(problem))]
    if let pane { members.append(.init("pane", .number(pane))) }
    if let character { members.append(.init("at", .number(character))) }
    WebSocket.post([(socket, WebSocketFrames(text: JSONValue.object(members).description))])
  }
}
