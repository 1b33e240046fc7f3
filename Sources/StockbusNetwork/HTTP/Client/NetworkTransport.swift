internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// HTTP over the network, with async-http-client.
///
/// Certificates are always verified, against the system's and those of `certificates`. All transports of a process with the same settings
/// share one client and its connections; it is created at the first request.
package struct NetworkTransport: HTTPTransport {
  /// A file of certificates (PEM) that are trusted in addition to the system's.
  private let certificates: String?
  private let environment: [String: String]

  /// - Parameter environment: the environment that may name a proxy; by default none is used.
  package init(certificates: String? = nil, proxiesFrom environment: [String: String] = [:]) {
    self.certificates = certificates
    self.environment = environment
  }

  package func exchange(_ request: HTTPRequest, limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse {
    let setup = SharedClients.Setup(
      certificates: certificates, connect: limits.connect, proxy: EnvironmentProxy(for: request.address, in: environment))
    let client = try await SharedClients.shared.client(setup)
    do {
      return try await perform(request, limits, client)
    } catch {
      throw Self.translate(error, request.address)
    }
  }

  /// Performs one request and passes the body on as it arrives, until it ends or `take` returns false. A response that is no success has its
  /// body, which is returned.
  package func follow(
    _ request: HTTPRequest, limits: HTTPLimits = HTTPLimits(), _ take: ([UInt8]) async -> Bool
  ) async throws(HTTPError) -> HTTPResponse {
    let setup = SharedClients.Setup(
      certificates: certificates, connect: limits.connect, proxy: EnvironmentProxy(for: request.address, in: environment))
    let client = try await SharedClients.shared.client(setup)
    do {
      let answer = try await client.execute(Self.message(request), deadline: .distantFuture)
      var response = HTTPResponse(status: Int(answer.status.code))
      for try await chunk in answer.body {
        if response.isSuccess {
          if await !take(Array(chunk.readableBytesView)) { break }
        } else if response.body.count + chunk.readableBytes <= limits.body {
          response.body.append(contentsOf: chunk.readableBytesView)
        }
      }
      return response
    } catch {
      throw Self.translate(error, request.address)
    }
  }

  private static func message(_ request: HTTPRequest) -> HTTPClientRequest {
    var message = HTTPClientRequest(url: request.address.revealed)
    message.method = HTTPMethod(rawValue: request.method.rawValue)
    for (name, value) in zip(request.fields.names, request.fields.values) { message.headers.add(name: name, value: value) }
    if request.address.socket != nil { message.headers.add(name: "Host", value: request.address.host) }
    if !request.body.isEmpty || request.method == .post || request.method == .put { message.body = .bytes(ByteBuffer(bytes: request.body)) }
    return message
  }

  private func perform(_ request: HTTPRequest, _ limits: HTTPLimits, _ client: HTTPClient) async throws -> HTTPResponse {
    // Without a deadline: the caller measures the time by its own clock, and cancels.
    let answer = try await client.execute(Self.message(request), deadline: .distantFuture)
    var response = HTTPResponse(status: Int(answer.status.code))
    for (name, value) in answer.headers { response.fields.receive(name, value) }
    let tooLarge = HTTPError(.tooLarge, "\(request.address) answers with more than \(limits.body) bytes")
    if let announced = answer.headers.first(name: "Content-Length").flatMap(Int.init), announced > limits.body { throw tooLarge }
    for try await chunk in answer.body {
      if response.body.count + chunk.readableBytes > limits.body {
        let begin = response.body.prefix(512) + chunk.readableBytesView.prefix(max(0, 512 - response.body.count))
        throw HTTPError(.tooLarge, tooLarge.description, beginning: Array(begin))
      }
      response.body.append(contentsOf: chunk.readableBytesView)
    }
    return response
  }

  /// Errors with texts of our own, because those of the libraries may contain the address or a header.
  static func translate(_ error: any Error, _ address: WebAddress) -> HTTPError {
    switch error {
    case let error as HTTPError: return error
    case is CancellationError: return HTTPError(.cancelled, "cancelled")
    case let error as HTTPClientError: return translate(error, address)
    case let error as NIOSSLError:
      if case .handshakeFailed(let reason) = error, "\(reason)".contains("CERTIFICATE_VERIFY_FAILED") {
        return HTTPError(.untrusted, "the certificate of \(address) is not trusted")
      }
      return HTTPError(.untrusted, "no secure connection to \(address) came about")
    case is NIOSSLExtraError: return HTTPError(.untrusted, "the certificate of \(address) is for another name")
    case let error as NIOConnectionError:
      // If the name had been resolved, there would have been an address to try.
      let isNameless = error.connectionErrors.isEmpty && (error.dnsAError != nil || error.dnsAAAAError != nil)
      return HTTPError(.unreachable, "\(address) cannot be reached" + (isNameless ? ": the host was not found" : ""))
    case let error as IOError where unreachable.contains(error.errnoCode):
      return HTTPError(.unreachable, "\(address) cannot be reached")
    case let error as IOError:
      return HTTPError(.brokenOff, "the connection to \(address) broke off (error \(error.errnoCode))")
    case HTTPParserError.invalidEOFState:
      return HTTPError(.brokenOff, "\(address) closed the connection in the middle")
    case is HTTPParserError: return HTTPError(.brokenOff, "\(address) does not answer in HTTP")
    default: return HTTPError(.brokenOff, "the exchange with \(address) failed (\(type(of: error)))")
    }
  }

  private static let unreachable = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT, EADDRNOTAVAIL, ENOENT]

  private static func translate(_ error: HTTPClientError, _ address: WebAddress) -> HTTPError {
    switch error {
    case .cancelled: HTTPError(.cancelled, "cancelled")
    case .connectTimeout: HTTPError(.unreachable, "\(address) cannot be reached in time")
    case .tlsHandshakeTimeout: HTTPError(.unreachable, "\(address) does not finish the TLS handshake in time")
    case .remoteConnectionClosed, .readTimeout, .uncleanShutdown:
      HTTPError(.brokenOff, "\(address) closed the connection in the middle")
    case .proxyAuthenticationRequired, .invalidProxyResponse, .httpProxyHandshakeTimeout:
      HTTPError(.unreachable, "the proxy does not lead to \(address)")
    default: HTTPError(.brokenOff, "the exchange with \(address) failed: \(error.shortDescription.lowercased())")
    }
  }
}
