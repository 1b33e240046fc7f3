/// Takes what a connection brings, without a task for each connection.
///
/// Called on the connection's thread, one call at a time: it must not block.
package protocol WebSocketReceiver: AnyObject, Sendable {
  /// Takes the messages of one read, in order, never none.
  func take(_ messages: [WebSocketMessage])
  /// The connection has ended, and nothing follows. Called once.
  func ended()
}
