internal import StockbusWeb

/// The cookie that carries a session's secret.
///
/// Over TLS its name begins with `__Host-`, with which browsers take it only from this very host, for all paths, and send it back over TLS
/// only. Without TLS, which is for loopback, browsers would drop such a cookie, so that it has a plain name there.
enum SessionCookie {
  /// The cookie's name for the client of a request.
  static func name(for client: WebClient) -> String { client.isSecure ? "__Host-stockbus" : "stockbus" }

  /// The secret in a request; nil if there is none, or more than one.
  static func secret(in request: WebRequest) -> String? { request.cookie(name(for: request.client)) }

  /// `Set-Cookie`, valid for `seconds`. Scripts cannot read the cookie, and requests that other sites cause do not carry it.
  static func field(_ secret: String, for client: WebClient, seconds: Int) -> String {
    "\(name(for: client))=\(secret); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict" + (client.isSecure ? "; Secure" : "")
  }
}
