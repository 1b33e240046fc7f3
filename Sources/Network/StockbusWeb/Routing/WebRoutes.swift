/// The routes of a server by method and path, each behind its guards. The first matching route is used.
///
/// ```swift
/// var routes = WebRoutes()
/// routes.add(.get, "/api/symbols/:symbol") { request in .json(…) }
/// routes.socket("/live", subprotocol: "stockbus.v1") { request in nil } serve: { request, socket in … }
/// ```
package struct WebRoutes: Sendable {
  /// Responds to a request. It may be called for several connections at once, and returns when its task is cancelled: a stop waits for it.
  package typealias Handler = @Sendable (WebRequest) async -> WebResponse
  /// Serves a WebSocket. It returns when the socket has ended, or has been passed to a receiver; otherwise the socket is closed when it
  /// returns.
  package typealias SocketHandler = @Sendable (WebRequest, WebSocket) async -> Void

  enum Action: Sendable {
    case answer(Handler)
    /// The first closure returns a refusal, or nil.
    case socket(subprotocol: String?, accepts: @Sendable (WebRequest) async -> WebResponse?, SocketHandler)
  }

  struct Route: Sendable {
    let method: WebMethod
    let pattern: WebPattern
    let bodyLimit: Int?
    let guards: [WebGuard]
    let action: Action
  }

  enum Match {
    case route(Route, [String: String])
    /// The path exists, with these methods.
    case otherMethods([WebMethod])
    case none
  }

  private var routes: [Route] = []

  package init() {}

  /// Adds a route. A route for GET also responds to HEAD.
  /// - Parameters:
  ///   - bodyLimit: the most bytes of its body; the server's `limits.body` if nil.
  ///   - guards: the guards that a request has to pass; the usual ones of the method if nil.
  package mutating func add(
    _ method: WebMethod, _ pattern: String, bodyLimit: Int? = nil, guards: [WebGuard]? = nil, _ handler: @escaping Handler
  ) {
    let guards = guards ?? (method.isChange ? [.ownPage, .json] : [.noForeignSite])
    routes.append(Route(method: method, pattern: WebPattern(pattern), bodyLimit: bodyLimit, guards: guards, action: .answer(handler)))
  }

  /// Adds a page or a file to which other sites may link.
  package mutating func page(_ pattern: String, _ handler: @escaping Handler) { add(.get, pattern, guards: [], handler) }

  /// Adds a file.
  package mutating func file(_ pattern: String, _ file: WebFile) { page(pattern) { file.response(to: $0) } }

  /// Adds a WebSocket, which only the page's own origin may open.
  /// - Parameters:
  ///   - subprotocol: the subprotocol that the client must ask for; nil for none.
  ///   - accepts: called before the response to the handshake; returns the refusal, or nil.
  package mutating func socket(
    _ pattern: String, subprotocol: String? = nil, accepts: @escaping @Sendable (WebRequest) async -> WebResponse? = { _ in nil },
    serve: @escaping SocketHandler
  ) {
    let action = Action.socket(subprotocol: subprotocol, accepts: accepts, serve)
    routes.append(Route(method: .get, pattern: WebPattern(pattern), bodyLimit: 0, guards: [.ownOrigin], action: action))
  }

  /// Adds all routes of another collection, after the existing ones.
  package mutating func add(_ others: WebRoutes) { routes += others.routes }

  /// Every route as `GET /api/symbols/:symbol`, in order.
  package var names: [String] { routes.map { "\($0.method.rawValue) \($0.pattern.text)" } }

  func match(_ method: WebMethod, _ target: WebTarget) -> Match {
    var others: [WebMethod] = []
    for route in routes {
      guard let values = route.pattern.match(target.segments) else { continue }
      if route.method == method || route.method == .get && method == .head { return .route(route, values) }
      if !others.contains(route.method) { others.append(route.method) }
    }
    return others.isEmpty ? .none : .otherMethods(others)
  }

  func bodyLimit(_ head: RequestHead, usual: Int) -> Int {
    if case .route(let route, _) = match(head.method, head.target) { return route.bodyLimit ?? usual }
    return usual
  }
}
