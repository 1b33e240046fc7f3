/// Why a client's connection, request or message was refused, for the server's counts.
package enum WebRefusal: String, Sendable, Hashable, CaseIterable {
  /// There are more open connections than the server allows.
  case connections
  /// There are more open connections of one address than the server allows.
  case address
  /// The data are not HTTP/1.1, or not TLS.
  case malformed
  /// A head exceeds its limits.
  case head
  /// A body exceeds its limit.
  case body
  /// A head, a body or a handshake did not arrive in time.
  case slow
  /// A response was not read in time.
  case unread
  /// The `Host` is not one of the server's names.
  case host
  /// Another site has caused the request.
  case origin
  /// The token is missing or wrong.
  case token
  /// A body has another type.
  case type
  /// There is no such route, or not with this method.
  case route
  /// A request for a WebSocket is not valid.
  case handshake
  /// Messages of a WebSocket arrive too fast.
  case rate
}
