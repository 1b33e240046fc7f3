internal import AsyncHTTPClient
internal import MarketData
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// The process's HTTP clients, one for each combination of settings. Each is created at its first use and kept, as there are few.
actor SharedClients {
  static let shared = SharedClients()

  struct Setup: Hashable, Sendable {
    let certificates: String?
    let connect: Duration
    let proxy: EnvironmentProxy?
  }

  private var clients: [Setup: HTTPClient] = [:]

  func client(_ setup: Setup) throws(HTTPError) -> HTTPClient {
    if let known = clients[setup] { return known }
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: try Self.configuration(setup))
    clients[setup] = client
    return client
  }

  private static func configuration(_ setup: Setup) throws(HTTPError) -> HTTPClient.Configuration {
    var tls = TLSConfiguration.makeClientConfiguration()
    if let path = setup.certificates {
      do { tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(path))] } catch {
        throw HTTPError(.untrusted, "no certificates can be read from \(path)")
      }
    }
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
    configuration.timeout.connect = .nanoseconds(min(setup.connect, longestConnect).wholeNanoseconds)
    // Otherwise the client would retry the connection until the deadline, of which there is none here.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.httpVersion = .http1Only
    if let proxy = setup.proxy {
      let authorization = proxy.credentials.map { HTTPClient.Authorization.basic(credentials: Base64.encode($0.utf8)) }
      configuration.proxy = .server(host: proxy.host, port: proxy.port, authorization: authorization)
    }
    return configuration
  }

  /// Small enough for adding it to the clock's time.
  private static let longestConnect = Duration.seconds(1_000_000)
}
