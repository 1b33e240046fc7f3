internal import StockbusNetwork
internal import StockbusPlugin

/// Determines the response to a request: from the client, the server's names, the route and its guards.
struct WebResponder: Sendable {
  enum Outcome {
    case answer(WebResponse)
    /// The response 101 with its fields, and the handler that serves the WebSocket.
    case upgrade(WebResponse, WebRoutes.SocketHandler)
  }

  let routes: WebRoutes
  let names: HostNames
  let proxies: Set<String>
  let isSecure: Bool
  let limits: WebLimits
  let roll: WebRoll

  func bodyLimit(_ head: RequestHead) -> Int { routes.bodyLimit(head, usual: limits.body) }

  /// The request as routes see it.
  func request(_ whole: RequestAssembly.Whole, from address: String) -> WebRequest {
    let fields = whole.head.fields
    var (client, scheme) = (address, isSecure ? "https" : "http")
    if proxies.contains(address) {
      // The proxy appends the address that it sees; earlier addresses were written by the client.
      if let last = fields.all("x-forwarded-for").last?.split(separator: ",").last { client = String(last.trimmingBlanks.prefix(64)) }
      if fields.all("x-forwarded-proto") == ["https"] { scheme = "https" }
    }
    return WebRequest(
      whole.head.method, whole.head.target, fields: fields, body: whole.body,
      from: WebClient(address: client, origin: "\(scheme)://\(whole.head.host.lowercased())"))
  }

  /// The host of an origin.
  private func host(_ request: WebRequest) -> String {
    String(request.client.origin.drop { $0 != ":" }.dropFirst(3))
  }

  func respond(_ request: WebRequest) async -> Outcome {
    if !names.contains(host(request)) {
      return refuse(.host, .error(421, "host", "unknown host name of this server"))
    }
    switch routes.match(request.method, request.target) {
    case .none: return refuse(.route, .error(404, "not_found", "there is nothing at this path"))
    case .otherMethods(let methods):
      let allowed = methods.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }.joined(separator: ", ")
      return refuse(.route, .error(405, "method", "only \(allowed)").with("allow", allowed))
    case .route(let route, let parameters):
      var request = request
      request.parameters = parameters
      for condition in route.guards {
        if let (reason, response) = condition.check(request) { return refuse(reason, response) }
      }
      switch route.action {
      case .answer(let handler): return .answer(dressed(await handler(request)))
      case .socket(let subprotocol, let accepts, let handler):
        return await upgrade(request, subprotocol, accepts, handler)
      }
    }
  }

  private func upgrade(
    _ request: WebRequest, _ subprotocol: String?, _ accepts: @Sendable (WebRequest) async -> WebResponse?,
    _ handler: @escaping WebRoutes.SocketHandler
  ) async -> Outcome {
    let fields = request.fields
    guard request.method == .get, fields.has("websocket", in: "upgrade"), fields.has("upgrade", in: "connection") else {
      return refuse(.handshake, .error(426, "upgrade", "this path is for WebSockets").with("upgrade", "websocket"))
    }
    guard fields.all("sec-websocket-version") == ["13"] else {
      return refuse(.handshake, .error(426, "upgrade", "only version 13 is supported").with("sec-websocket-version", "13"))
    }
    guard fields.all("sec-websocket-key").count == 1, let accept = WebSocketUpgrade.accept(key: fields["sec-websocket-key"] ?? "") else {
      return refuse(.handshake, .error(400, "upgrade", "invalid 'Sec-WebSocket-Key'"))
    }
    if let subprotocol {
      let asked = fields.all("sec-websocket-protocol").flatMap { $0.split(separator: ",") }.map { String($0.trimmingBlanks) }
      guard asked.contains(subprotocol) else {
        return refuse(.handshake, .error(400, "subprotocol", "only the subprotocol \(subprotocol) is supported"))
      }
    }
    if let refusal = await accepts(request) { return .answer(dressed(refusal)) }
    var response = WebResponse(101)
    response.fields.set("upgrade", "websocket")
    response.fields.set("sec-websocket-accept", accept)
    if let subprotocol { response.fields.set("sec-websocket-protocol", subprotocol) }
    return .upgrade(response, handler)
  }

  private func refuse(_ reason: WebRefusal, _ response: WebResponse) -> Outcome {
    roll.count(reason)
    return .answer(dressed(response))
  }

  /// The response to bytes that are not a request.
  func refusal(_ fault: RequestFault) -> WebResponse { dressed(.error(fault.status, fault.reason.rawValue, fault.message)) }

  private func dressed(_ response: WebResponse) -> WebResponse {
    var response = response
    SecurityHeaders.add(to: &response.fields, isStrict: isSecure && names != .loopback)
    return response
  }
}
