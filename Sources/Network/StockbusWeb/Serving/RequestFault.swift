internal import NIOHTTP1

/// Why the bytes of a client are not a request that this server can answer. The connection ends after the response.
struct RequestFault: Error, Hashable {
  let status: Int
  let reason: WebRefusal
  let message: String

  init(_ status: Int, _ reason: WebRefusal, _ message: String) {
    self.status = status
    self.reason = reason
    self.message = message
  }

  static func malformed(_ message: String) -> RequestFault { RequestFault(400, .malformed, message) }

  /// The error of NIO's reader; nil if the connection has only ended too early.
  init?(_ error: HTTPParserError, _ limits: WebLimits) {
    switch error {
    case .invalidEOFState, .closedConnection: return nil
    case .headerOverflow:
      self.init(431, .head, "a head of more than \(limits.head) bytes, or of more than \(limits.fields) fields")
    case .invalidVersion: self.init(505, .malformed, "only HTTP/1.1 is supported")
    default: self.init(400, .malformed, "malformed HTTP")
    }
  }
}
