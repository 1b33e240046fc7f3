/// The limits of a server for its clients. Requests beyond a limit are refused, and counted by reason.
package struct WebLimits: Sendable {
  /// The most bytes of a request's first line and header fields together.
  package var head = 16 << 10
  /// The most header fields of a request.
  package var fields = 64
  /// The most bytes of a request's body, unless its route has a limit of its own.
  package var body = 64 << 10
  /// The most open connections.
  package var connections = 1024
  /// The most open connections of one address.
  package var connectionsPerAddress = 64
  /// How long a connection may wait for its next request.
  package var idleDeadline = Duration.seconds(60)
  /// How long the head of a request may take, and a TLS handshake with it.
  package var headDeadline = Duration.seconds(10)
  /// How long a request's body may take.
  package var bodyDeadline = Duration.seconds(30)
  /// How long the client may take to read a response.
  package var responseDeadline = Duration.seconds(60)
  /// The most bytes of a WebSocket message.
  package var message = 16 << 10
  /// The most WebSocket messages of a client in a second.
  package var messagesPerSecond = 50
  /// The interval of pings on a WebSocket.
  package var ping = Duration.seconds(30)
  /// How long the reply to a ping may take.
  package var pongDeadline = Duration.seconds(30)
  /// How long a closing handshake, and the end of a refused request, may take.
  package var closeDeadline = Duration.seconds(2)

  package init() {}
}
