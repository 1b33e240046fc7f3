package import StockbusAccounts
package import StockbusWeb

/// Who a request is from, and whether that is enough: every route that shows or changes something stands behind it.
package struct Gate: Sendable {
  package let accounts: Accounts
  /// False if there are no accounts: then every request that passes the server's guards is the local user's.
  package let needsLogin: Bool

  package init(_ accounts: Accounts, needsLogin: Bool) {
    self.accounts = accounts
    self.needsLogin = needsLogin
  }

  /// The identity of a request; nil if it has none, or one that has expired. A token counts before a cookie.
  package func identity(_ request: WebRequest) async throws(AccountError) -> Identity? {
    if let bearer = request.bearer { return try await accounts.identity(token: bearer) }
    if !needsLogin { return .local }
    guard let secret = SessionCookie.secret(in: request) else { return nil }
    return try await accounts.identity(session: secret)
  }

  /// A handler that is called only with an identity that may do `scope`. Without one the response is 401, with too little 403. An
  /// `AccountError` that it throws becomes a response.
  package func behind(
    _ scope: Scope, _ handler: @escaping @Sendable (WebRequest, Identity) async throws -> WebResponse
  ) -> WebRoutes.Handler {
    { request in
      do {
        guard let identity = try await self.identity(request) else {
          return .error(401, "session", "log in first").with("www-authenticate", "Bearer")
        }
        guard identity.scopes.contains(scope) else { return .error(403, "scope", "this needs the right to \(scope.rawValue)") }
        return try await handler(request, identity)
      } catch { return Self.response(to: error) }
    }
  }

  /// A handler that anybody may call.
  func open(_ handler: @escaping @Sendable (WebRequest) async throws -> WebResponse) -> WebRoutes.Handler {
    { request in
      do { return try await handler(request) } catch { return Self.response(to: error) }
    }
  }

  /// The response to an error, without anything of the server's inside.
  static func response(to error: any Error) -> WebResponse {
    guard let error = error as? AccountError else { return .error(500, "internal", "something went wrong") }
    let response = WebResponse.error(status(error), error.code, error.description)
    switch error {
    case .tooMany(let seconds): return response.with("retry-after", "\(seconds)")
    case .busy: return response.with("retry-after", "1")
    default: return response
    }
  }

  private static func status(_ error: AccountError) -> Int {
    switch error {
    case .badName, .badPassword, .malformed: 400
    case .wrongLogin: 401
    case .signupClosed, .badInvitation, .forbidden: 403
    case .unknown: 404
    case .nameTaken, .limit: 409
    case .tooMany: 429
    case .storage: 500
    case .busy: 503
    }
  }
}
