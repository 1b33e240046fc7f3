/// Why something of a client was refused, for the server's counts.
package enum WebRefusal: String, Sendable, Hashable, CaseIterable {
  /// More open connections than the server takes.
  case connections
  /// More open connections of one address.
  case address
  /// Not HTTP/1.1, or not TLS.
  case malformed
  /// A head over its limits.
  case head
  /// A body over its limit.
  case body
  /// A head, a body or a handshake that did not come in time.
  case slow
  /// A response that was not read in time.
  case unread
  /// A `Host` that is not one of the server's names.
  case host
  /// A request that another site has caused.
  case origin
  /// No token, or another one.
  case token
  /// A body of another type.
  case type
  /// No such route, or not with this method.
  case route
  /// A request for a WebSocket that is not one.
  case handshake
  /// Messages of a WebSocket that come too fast.
  case rate
}
