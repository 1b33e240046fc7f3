internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// The HTTP connections of the process that wait for another exchange, by their routes.
actor HTTPConnections {
  static let shared = HTTPConnections()

  /// How long a connection waits, and how many of a route do.
  private static let restTime = TimeAmount.seconds(60)
  private static let most = 4

  private var resting: [HTTPRoute: [HTTPConnection]] = [:]
  /// By the file of additional certificates. Kept, as there are few and the system's certificates are many.
  private var contexts: [String?: NIOSSLContext] = [:]

  /// A connection that has been used before; nil if there is none.
  func take(_ route: HTTPRoute) async -> HTTPConnection? {
    while let connection = resting[route]?.popLast() {
      if await connection.wake() { return connection }
    }
    resting[route] = nil
    return nil
  }

  /// Keeps a connection whose exchange is over.
  func put(_ connection: HTTPConnection, _ route: HTTPRoute) {
    for (route, others) in resting {
      let active = others.filter(\.isActive)
      resting[route] = active.isEmpty ? nil : active
    }
    guard resting[route, default: []].count < Self.most else { return connection.close() }
    resting[route, default: []].append(connection)
    connection.rest(for: Self.restTime)
  }

  /// The TLS settings of a route; nil if it has none.
  func tls(_ route: HTTPRoute) throws(HTTPError) -> NIOSSLContext? {
    guard route.isSecure else { return nil }
    if let known = contexts[route.certificates] { return known }
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    if let path = route.certificates {
      do { configuration.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(path))] } catch {
        throw HTTPError(.untrusted, "no certificates can be read from \(path)")
      }
    }
    do {
      let context = try NIOSSLContext(configuration: configuration)
      contexts[route.certificates] = context
      return context
    } catch { throw HTTPError(.untrusted, "TLS cannot be set up") }
  }
}
