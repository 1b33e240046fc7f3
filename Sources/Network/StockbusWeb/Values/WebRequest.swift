/// A whole request, which has passed the server's limits and the guards of its route.
package struct WebRequest: Sendable {
  package let method: WebMethod
  package let target: WebTarget
  package let fields: WebFields
  package let body: [UInt8]
  /// The client that has sent the request.
  package let client: WebClient
  /// The values of the route's pattern, by their names: `AAPL` for `symbol` in `/api/symbols/:symbol`.
  package internal(set) var parameters: [String: String] = [:]

  package init(_ method: WebMethod, _ target: WebTarget, fields: WebFields = WebFields(), body: [UInt8] = [], from client: WebClient) {
    self.method = method
    self.target = target
    self.fields = fields
    self.body = body
    self.client = client
  }

  /// The value of a cookie. Of several with one name, none is used: another program on the same host may have added one.
  package func cookie(_ name: String) -> String? {
    var found: [String] = []
    for pair in fields.all("cookie").flatMap({ $0.split(separator: ";") }) {
      let pair = pair.trimmingBlanks
      let key = pair.prefix { $0 != "=" }
      if key.count < pair.count, key == name { found.append(String(pair.dropFirst(key.count + 1))) }
    }
    return found.count == 1 ? found[0] : nil
  }

  /// The token after `Authorization: Bearer`.
  package var bearer: String? {
    let words = (fields["authorization"] ?? "").split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
    return String(words[1].trimmingBlanks)
  }
}

/// The sender of a request.
package struct WebClient: Sendable, Hashable {
  /// The address of the connection, or the address that a trusted proxy names. `unix` for a Unix socket.
  package let address: String
  /// The origin that the client sees: `https://example.com`.
  package let origin: String

  /// True if the data between the client and the first server are encrypted.
  package var isSecure: Bool { origin.hasPrefix("https:") }
}
