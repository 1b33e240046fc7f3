internal import MarketData
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// HTTP/1.1 over the network.
///
/// Certificates are always verified, against the system's certificates and those of `certificates`. All transports of a process share the
/// connections that wait for another exchange.
package struct NetworkTransport: HTTPTransport {
  /// A file of certificates (PEM) that are trusted in addition to the system's.
  private let certificates: String?
  private let environment: [String: String]

  /// - Parameter environment: the environment variables that may name a proxy; by default no proxy is used.
  package init(certificates: String? = nil, proxiesFrom environment: [String: String] = [:]) {
    self.certificates = certificates
    self.environment = environment
  }

  package func exchange(_ request: HTTPRequest, limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse {
    try await perform(request, limits) { chunk, response in
      guard response.body.count + chunk.count <= limits.body else {
        let beginning = response.body.prefix(512) + chunk.prefix(max(0, 512 - response.body.count))
        throw Self.tooLarge(request, limits, Array(beginning))
      }
      response.body.append(contentsOf: chunk)
      return true
    }
  }

  /// Performs one request and passes the body on as it arrives, until it ends or `take` returns false. Only a response without success is
  /// returned with its body.
  package func follow(
    _ request: HTTPRequest, limits: HTTPLimits = HTTPLimits(), _ take: ([UInt8]) async -> Bool
  ) async throws(HTTPError) -> HTTPResponse {
    try await perform(request, limits, announced: .max) { chunk, response in
      if response.isSuccess { return await take(Array(chunk)) }
      if response.body.count + chunk.count <= limits.body { response.body.append(contentsOf: chunk) }
      return true
    }
  }

  /// - Parameters:
  ///   - announced: the largest body that a response may announce; by default the one in the limits.
  ///   - take: gets the pieces of the body; false ends the exchange.
  private func perform(
    _ request: HTTPRequest, _ limits: HTTPLimits, announced: Int? = nil,
    _ take: (ByteBufferView, inout HTTPResponse) async throws -> Bool
  ) async throws(HTTPError) -> HTTPResponse {
    do {
      return try await attempt(request, limits, announced ?? limits.body, take)
    } catch {
      throw Task.isCancelled ? HTTPError(.cancelled, "cancelled") : HTTPError(error, request.address)
    }
  }

  private func attempt(
    _ request: HTTPRequest, _ limits: HTTPLimits, _ announced: Int, _ take: (ByteBufferView, inout HTTPResponse) async throws -> Bool
  ) async throws -> HTTPResponse {
    let route = HTTPRoute(request.address, proxy: EnvironmentProxy(for: request.address, in: environment), certificates: certificates)
    let (connection, first) = try await begin(request, route, limits)
    var isReusable = false
    let response = try await Self.closing(connection) {
      guard case .head(let head) = first else { throw HTTPParts.Closed() }
      var response = HTTPResponse(status: Int(head.status.code))
      for (name, value) in head.headers { response.fields.receive(name, value) }
      if let size = head.headers.first(name: "Content-Length").flatMap(Int.init), size > announced {
        throw Self.tooLarge(request, limits, [])
      }
      while true {
        switch try await connection.next() {
        case .head: throw HTTPParts.Closed()
        case .body(let chunk):
          if try await !take(chunk.readableBytesView, &response) { return response }
        case .end:
          isReusable = head.isKeepAlive
          return response
        }
      }
    }
    if isReusable { await HTTPConnections.shared.put(connection, route) } else { connection.close() }
    return response
  }

  /// Sends the request over a waiting connection, or over a new one. Returns the connection and the first part of the response.
  private func begin(
    _ request: HTTPRequest, _ route: HTTPRoute, _ limits: HTTPLimits
  ) async throws -> (HTTPConnection, HTTPClientResponsePart) {
    let pool = HTTPConnections.shared
    let (head, body) = (Self.head(request), Self.body(request))
    if let used = await pool.take(route) {
      do {
        return (used, try await Self.closing(used) { try await used.exchange(head, body) })
      } catch  where Self.isStale(error) && request.method != .post && !Task.isCancelled {
        // The server has closed the connection meanwhile. An idempotent request is repeated (RFC 9112, section 9.3.1).
      }
    }
    let limit = TimeAmount.nanoseconds(min(limits.connect, Self.longestConnect).wholeNanoseconds)
    let new = try await HTTPConnection.open(route, try await pool.tls(route), within: limit)
    return (new, try await Self.closing(new) { try await new.exchange(head, body) })
  }

  private static func isStale(_ error: any Error) -> Bool { error is HTTPParts.Closed || error is IOError || error is ChannelError }

  /// Small enough to be added to the clock's time.
  private static let longestConnect = Duration.seconds(1_000_000)

  /// Closes the connection if `body` throws, or the task is cancelled.
  private static func closing<Result>(_ connection: HTTPConnection, _ body: () async throws -> Result) async throws -> Result {
    try await withTaskCancellationHandler {
      do { return try await body() } catch {
        connection.close()
        throw error
      }
    } onCancel: {
      connection.close()
    }
  }

  private static func tooLarge(_ request: HTTPRequest, _ limits: HTTPLimits, _ beginning: [UInt8]) -> HTTPError {
    HTTPError(.tooLarge, "\(request.address) answers with more than \(limits.body) bytes", beginning: beginning)
  }

  private static func head(_ request: HTTPRequest) -> HTTPRequestHead {
    var head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: request.method.rawValue), uri: request.address.target)
    head.headers.add(name: "Host", value: request.address.authority)
    for (name, value) in zip(request.fields.names, request.fields.values) { head.headers.add(name: name, value: value) }
    if !request.body.isEmpty || request.method == .post || request.method == .put {
      head.headers.replaceOrAdd(name: "Content-Length", value: "\(request.body.count)")
    }
    return head
  }

  private static func body(_ request: HTTPRequest) -> ByteBuffer? { request.body.isEmpty ? nil : ByteBuffer(bytes: request.body) }
}
