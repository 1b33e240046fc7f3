/// Limits for data from a server; anything larger ends the connection before it is stored.
package struct NATSLimits: Sendable, Hashable {
  /// The longest line: INFO names all servers of a cluster.
  package var line = 1 << 16
  /// The longest subject, including those of sent messages.
  package static var subject: Int { 1024 }
  /// The headers of a message.
  package var headers = 1 << 16
  /// A message with its headers.
  package var payload = 1 << 23

  package init() {}
}
