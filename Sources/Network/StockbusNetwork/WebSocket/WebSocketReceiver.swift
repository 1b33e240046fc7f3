/// Takes a connection's messages, without a task for each connection.
package protocol WebSocketReceiver: AnyObject, Sendable {
  /// Takes the messages of one read, in order, at least one.
  func take(_ messages: [WebSocketMessage])
  /// Called once, when the connection has ended and no message follows.
  func ended()
}
