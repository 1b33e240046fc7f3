/// Why an exchange over HTTP did not come about.
///
/// Messages name the host at most: never the path, the query, a header or a body, in any of which a secret may stand.
public struct HTTPError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// The address is none, or one that is not allowed.
    case badAddress
    /// A header's name or value is not allowed.
    case badHeader
    /// No connection came about.
    case unreachable
    /// The server's certificate is not trusted, or TLS failed in another way.
    case untrusted
    /// The whole exchange took longer than allowed.
    case timedOut
    /// The answer is larger than allowed.
    case tooLarge
    /// More redirects than allowed, or one that must not be followed.
    case badRedirect
    /// The connection ended in the middle, or what came was no HTTP.
    case brokenOff
    /// The caller's task was cancelled.
    case cancelled
  }

  public let code: Code
  public let description: String
  /// How an answer that is too large begins, as far as it had come; it may hold a secret, as any answer may.
  public let beginning: [UInt8]

  public init(_ code: Code, _ description: String, beginning: [UInt8] = []) {
    self.code = code
    self.description = description
    self.beginning = beginning
  }

  /// True where the same request may well succeed a little later.
  public var isTransient: Bool {
    switch code {
    case .unreachable, .timedOut, .brokenOff: true
    case .badAddress, .badHeader, .untrusted, .tooLarge, .badRedirect, .cancelled: false
    }
  }
}
