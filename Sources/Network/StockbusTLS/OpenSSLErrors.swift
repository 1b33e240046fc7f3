internal import CLibSSL

/// The errors of OpenSSL, which keeps them in a queue for each thread: cleared before each call, read directly after a failed call.
enum OpenSSLErrors {
  static func clear() { ERR_clear_error() }

  /// Empties the queue. Returns the first error of TLS itself, otherwise the first one; nil if there is none.
  static func take() -> OpenSSLError? {
    var first: OpenSSLError?
    while case let code = ERR_get_error(), code != 0 {
      let error = OpenSSLError(code)
      if first == nil || first?.isOfTLS == false && error.isOfTLS { first = error }
    }
    return first
  }

  /// The error for a failure to set up TLS, with OpenSSL's message.
  static func setup() -> TLSFailure { .setup(take()?.words ?? "out of memory") }
}

/// An entry of the queue.
struct OpenSSLError {
  let words: String
  let isOfTLS: Bool
  private let reason: CInt

  fileprivate init(_ code: UInt) {
    isOfTLS = ERR_GET_LIB(code) == ERR_LIB_SSL
    reason = ERR_GET_REASON(code)
    words = ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(reason)"
  }

  var isNotTLS: Bool { isOfTLS && [SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST].contains(reason) }

  var isUntrusted: Bool { isOfTLS && reason == SSL_R_CERTIFICATE_VERIFY_FAILED }

  /// The name of an alert from the peer; nil if it is another error.
  var alert: String? {
    guard isOfTLS, reason >= SSL_AD_REASON_OFFSET, let words = SSL_alert_desc_string_long(reason - SSL_AD_REASON_OFFSET) else { return nil }
    return String(cString: words)
  }
}

extension TLSFailure {
  /// The meaning of OpenSSL's verdict on a certificate.
  static func certificate(_ verdict: Int) -> TLSFailure {
    switch CInt(truncatingIfNeeded: verdict) {
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: return .wrongName
    case let code:
      let words = X509_verify_cert_error_string(verdict).map { String(cString: $0) } ?? "error \(code)"
      return .untrusted(words, isIssuerKnown: !unknownIssuer.contains(code))
    }
  }

  private static let unknownIssuer = [
    X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
    X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
  ]
}
