package import StockbusPlugin
internal import StockbusWeb

/// Serves the control of one run on a Unix socket that only its owner may use, and optionally on a port of this machine, for clients with
/// the token.
package struct ControlServer: Sendable {
  /// A port beside the socket.
  package struct Port: Sendable {
    package var host: String
    package var number: Int
    package var token: String

    package init(host: String, number: Int, token: String) {
      self.host = host
      self.number = number
      self.token = token
    }
  }

  private let servers: [WebServer]

  /// The port, if there is one.
  package var port: Int? { servers.map(\.port).first { $0 != 0 } }

  /// Starts listening. Throws an `EnvironmentFailure` that names the address where that is impossible.
  package static func start(_ control: RunControl, socket: String?, port: Port?, clock: any Timekeeper) async throws -> ControlServer {
    var servers: [WebServer] = []
    do {
      if let socket { servers.append(try await serve(control, .socket(socket), [.noBrowser], clock)) }
      if let port { servers.append(try await serve(control, .port(port.host, port.number), [.noBrowser, .token(port.token)], clock)) }
    } catch {
      for server in servers { await server.stop() }
      throw error
    }
    return ControlServer(servers: servers)
  }

  private static func serve(
    _ control: RunControl, _ address: WebServer.Address, _ guards: [WebGuard], _ clock: any Timekeeper
  ) async throws -> WebServer {
    var settings = WebServer.Settings(address)
    settings.limits.connections = 256
    settings.limits.connectionsPerAddress = 256
    // The client is on this machine, and sends its request at once.
    settings.limits.headDeadline = .seconds(3)
    settings.limits.bodyDeadline = .seconds(10)
    return try await WebServer.start(settings, ControlRoutes(control: control, guards: guards).routes, clock: clock)
  }

  /// Finishes the pending responses, and ends.
  package func stop() async { for server in servers { await server.stop() } }
}

extension WebGuard {
  /// Web pages must not use the control: browsers state the origin of a request, programs do not.
  static let noBrowser = WebGuard { request in
    let isPage = ["origin", "sec-fetch-site", "cookie"].contains { request.fields[$0] != nil }
    return isPage ? (.origin, .error(403, "foreign_origin", "requests from web pages are refused")) : nil
  }

  /// `Authorization: Bearer TOKEN`, compared in a time that does not depend on the position of the first difference.
  static func token(_ token: String) -> WebGuard {
    WebGuard { request in
      let (given, wanted) = (Array((request.bearer ?? "").utf8), Array(token.utf8))
      var difference = given.count ^ wanted.count
      for (i, byte) in wanted.enumerated() { difference |= Int(byte ^ (i < given.count ? given[i] : 0)) }
      if difference == 0 { return nil }
      return (.token, .error(401, "token", "a token is needed: Authorization: Bearer TOKEN").with("www-authenticate", "Bearer"))
    }
  }
}
