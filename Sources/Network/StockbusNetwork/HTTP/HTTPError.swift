/// Why an HTTP exchange has failed.
///
/// Messages contain at most the host: never the path, the query, a header or a body, any of which may contain a secret.
package struct HTTPError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Code: Sendable, Hashable {
    /// The address is not valid, or not allowed.
    case badAddress
    /// A header's name or value is not allowed.
    case badHeader
    /// No connection could be established.
    case unreachable
    /// The server's certificate is not trusted, or TLS failed in another way.
    case untrusted
    /// The exchange as a whole took longer than allowed.
    case timedOut
    /// The response is larger than allowed.
    case tooLarge
    /// There were more redirects than allowed, or one that must not be followed.
    case badRedirect
    /// The connection ended before the response was complete, or the response was not HTTP.
    case brokenOff
    /// The caller's task was cancelled.
    case cancelled
  }

  package let code: Code
  package let description: String
  /// The first bytes of a response that is too large, as far as they were received. Like any response, they may contain a secret.
  package let beginning: [UInt8]

  package init(_ code: Code, _ description: String, beginning: [UInt8] = []) {
    self.code = code
    self.description = description
    self.beginning = beginning
  }

  /// True if the same request may succeed after a short time.
  package var isTransient: Bool {
    switch code {
    case .unreachable, .timedOut, .brokenOff: true
    case .badAddress, .badHeader, .untrusted, .tooLarge, .badRedirect, .cancelled: false
    }
  }
}
