/// Why TLS cannot be set up, or has failed on a connection.
package enum TLSFailure: Error, Hashable, Sendable {
  /// The peer's certificate is not trusted, with OpenSSL's reason. If the issuer is not known, it may be a private CA.
  case untrusted(String, isIssuerKnown: Bool)
  /// The peer's certificate is trusted, but it is for other names.
  case wrongName
  /// The peer's data are not TLS.
  case notTLS
  /// The peer refuses, with this alert.
  case alert(String)
  /// The handshake has failed for another reason.
  case handshake(String)
  /// After the handshake the peer has sent invalid data.
  case damaged(String)
  /// The connection has ended without a close_notify alert of TLS: data may be missing.
  case uncleanShutdown
  /// A certificate, a key or the settings cannot be used.
  case setup(String)
  /// A server's key is not that of its certificate.
  case foreignKey(String)
}

extension TLSFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .untrusted(let reason, _): "the certificate is not trusted: \(reason)"
    case .wrongName: "the certificate is for another name"
    case .notTLS: "the other side does not speak TLS"
    case .alert(let words): "the other side refused: \(words)"
    case .handshake(let reason), .damaged(let reason), .setup(let reason), .foreignKey(let reason): reason
    case .uncleanShutdown: "the connection ended without TLS close_notify"
    }
  }
}
