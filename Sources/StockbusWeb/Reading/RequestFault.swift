/// Why the bytes of a client are no request that this server answers. The connection ends after the response.
struct RequestFault: Error, Hashable {
  let status: Int
  let reason: WebRefusal
  let message: String

  init(_ status: Int, _ reason: WebRefusal, _ message: String) {
    self.status = status
    self.reason = reason
    self.message = message
  }

  /// A handshake of TLS that failed: there is nothing that a response could go through.
  static let noTLS = RequestFault(400, .malformed, "no TLS")

  static func malformed(_ message: String) -> RequestFault { RequestFault(400, .malformed, message) }
}
