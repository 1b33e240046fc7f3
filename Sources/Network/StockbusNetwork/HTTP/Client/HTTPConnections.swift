internal import NIOCore
internal import NIOPosix
internal import StockbusTLS

/// The HTTP connections of the process that wait for another exchange, by route.
actor HTTPConnections {
  static let shared = HTTPConnections()

  /// How long a connection waits, and how many connections of a route may wait.
  private static let restTime = TimeAmount.seconds(60)
  private static let most = 4

  private var resting: [HTTPRoute: [HTTPConnection]] = [:]
  /// The TLS contexts by the file of additional certificates. Kept permanently, because there are few.
  private var contexts: [String?: TLSContext] = [:]

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

  /// The TLS settings of a route; nil if it does not use TLS.
  func tls(_ route: HTTPRoute) throws(HTTPError) -> TLSContext? {
    guard route.isSecure else { return nil }
    if let known = contexts[route.certificates] { return known }
    do throws(TLSError) {
      let context = try TLSSettings.clientContext(trustingAlso: route.certificates)
      contexts[route.certificates] = context
      return context
    } catch { throw HTTPError(.untrusted, "\(error)") }
  }
}
