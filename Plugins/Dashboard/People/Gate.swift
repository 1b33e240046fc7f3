internal import StockbusPeople
internal import StockbusPlugin
internal import StockbusWeb

/// Identifies who sent a request, and checks the rights: every route that shows or changes something is behind it.
struct Gate: Sendable {
  let accounts: Accounts
  /// False if there are no accounts: then every request that passes the server's guards is the local user's.
  let needsLogin: Bool

  /// Gets a line for each log-in, each change of an account, each request with too few rights, and the cause of each error.
  let log: @Sendable (Logger.Level, String) -> Void

  init(_ accounts: Accounts, needsLogin: Bool, log: @escaping @Sendable (Logger.Level, String) -> Void = { _, _ in }) {
    self.accounts = accounts
    self.needsLogin = needsLogin
    self.log = log
  }

  /// The identity of a request; nil if it has none, or one that has expired. A token counts before a cookie.
  func identity(_ request: WebRequest) async throws(AccountError) -> Identity? {
    if let bearer = request.bearer { return try await accounts.identity(token: bearer) }
    if !needsLogin { return .local }
    guard let secret = SessionCookie.secret(in: request) else { return nil }
    return try await accounts.identity(session: secret)
  }

  /// A handler that is called only with an identity that may do `scope`. Without one the response is 401, with too little 403. An
  /// `AccountError` that it throws becomes a response.
  func behind(
    _ scope: Scope, _ handler: @escaping @Sendable (WebRequest, Identity) async throws -> WebResponse
  ) -> WebRoutes.Handler {
    { request in
      do {
        guard let identity = try await self.identity(request) else {
          return .error(401, "session", "log in first").with("www-authenticate", "Bearer")
        }
        do {
          guard identity.scopes.contains(scope) else { throw AccountError.lacks(scope) }
          return try await handler(request, identity)
        } catch AccountError.lacks(let scope) {
          log(.notice, "\(identity.person.name) may not \(scope.rawValue): \(Self.words(request))")
          throw AccountError.lacks(scope)
        }
      } catch { return response(to: error, request) }
    }
  }

  /// A handler that changes data of the requesting person. It is not called for a token that may only read.
  func changing(_ handler: @escaping @Sendable (WebRequest, Identity) async throws -> WebResponse) -> WebRoutes.Handler {
    behind(.read) { request, identity in
      if case .token = identity.proof, identity.scopes == [.read] {
        log(.notice, "a token of \(identity.person.name) may only read: \(Self.words(request))")
        throw AccountError.readOnly
      }
      return try await handler(request, identity)
    }
  }

  /// A handler that anybody may call.
  func open(_ handler: @escaping @Sendable (WebRequest) async throws -> WebResponse) -> WebRoutes.Handler {
    { request in
      do { return try await handler(request) } catch { return response(to: error, request) }
    }
  }

  /// `POST /api/login from 127.0.0.1`.
  static func words(_ request: WebRequest) -> String {
    "\(request.method.rawValue) \(visible(request.target.path, limit: 100)) from \(request.client.address)"
  }

  /// The response to an error, without internal details of the server, which are only logged.
  private func response(to error: any Error, _ request: WebRequest) -> WebResponse {
    guard let error = error as? AccountError else {
      log(.error, "\(Self.words(request)): \(error)")
      return .error(500, "internal", "internal error; the log has the reason")
    }
    switch error {
    case .storage(let cause), .unavailable(let cause): log(.error, "\(Self.words(request)): \(cause)")
    case .wrongLogin, .tooMany, .badInvitation: log(.notice, "\(Self.words(request)): \(error)")
    default: break
    }
    return Self.response(to: error)
  }

  private static func response(to error: AccountError) -> WebResponse {
    let response = WebResponse.error(status(error), error.code, error.description)
    switch error {
    case .tooMany(let seconds): return response.with("retry-after", "\(seconds)")
    case .busy, .unavailable: return response.with("retry-after", "1")
    default: return response
    }
  }

  private static func status(_ error: AccountError) -> Int {
    switch error {
    case .badName, .badPassword, .malformed: 400
    case .wrongLogin: 401
    case .signupClosed, .badInvitation, .forbidden, .lacks, .readOnly: 403
    case .unknown: 404
    case .nameTaken, .limit: 409
    case .tooMany: 429
    case .storage: 500
    case .busy, .unavailable: 503
    }
  }
}
