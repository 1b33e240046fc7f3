/// How a request reaches its server. Requests with the same route may use the same connection.
struct HTTPRoute: Hashable, Sendable {
  let isSecure: Bool
  let host: String
  let port: Int
  /// The path of a Unix socket instead of host and port.
  let socket: String?
  let proxy: EnvironmentProxy?
  /// A file of certificates (PEM) that are trusted in addition to the system's.
  let certificates: String?

  init(_ address: WebAddress, proxy: EnvironmentProxy?, certificates: String?) {
    isSecure = address.isSecure
    host = address.host
    port = address.port
    socket = address.socket
    self.proxy = proxy
    self.certificates = certificates
  }
}
