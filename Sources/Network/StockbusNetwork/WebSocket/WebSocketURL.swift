package import StockbusPlugin

/// `ws://host:port/path?query` or `wss://…`, as an option.
package struct WebSocketURL: Hashable, Sendable {
  package let isSecure: Bool
  /// The name or address; IPv6 without brackets.
  package let host: String
  package let port: Int
  /// Path and query; at least `/`.
  package let target: String

  /// The address of a host's root path; the port must be 1 to 65535.
  package init(isSecure: Bool, host: String, port: Int) {
    self.isSecure = isSecure
    self.host = host
    self.port = port
    target = "/"
  }

  package init(option text: String) throws(OptionTextError) {
    let lowered = text.prefix(8).lowercased()
    if lowered.hasPrefix("http") { throw .hint("write ws:// or wss:// instead of http:// or https://") }
    guard lowered.hasPrefix("ws://") || lowered.hasPrefix("wss://") else { throw .unschemed(text, "wss") }
    isSecure = lowered.hasPrefix("wss://")
    if text.unicodeScalars.contains(where: { $0.value <= 32 || $0.value >= 127 }) {
      throw .because("write spaces as %20, and characters beyond ASCII in the same way")
    }
    let rest = text.dropFirst(isSecure ? 6 : 5)
    let authority = rest.prefix { !"/?#".contains($0) }
    if rest.contains("#") { throw .because("a WebSocket URL has no part after #") }
    if authority.contains("@") { throw .hint("write the user name and password into a header") }
    let tail = rest.dropFirst(authority.count)
    target = tail.hasPrefix("/") ? String(tail) : "/" + tail
    let server = try HostAndPort(authority)
    host = server.host
    port = server.port ?? (isSecure ? 443 : 80)
  }

  /// The value of the Host header.
  var authority: String {
    let name = HostAndPort.written(host)
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }
}

extension WebSocketURL: CustomStringConvertible {
  /// The address without path and query, which may contain a token: `wss://ws.example.com/…`.
  package var description: String { "\(isSecure ? "wss" : "ws")://\(authority)\(target == "/" ? "" : "/…")" }
}

extension WebSocketURL: ScalarOption {
  package static var optionType: OptionType {
    OptionType("WebSocket URL", plural: "WebSocket URLs", phrase: "a WebSocket URL such as wss://host/path")
  }
  package static var optionSample: String { "wss://example.com/feed" }
  package static var optionIsAddress: Bool { true }
  package static var optionSchema: JSONValue { ["type": "string", "pattern": "^[Ww][Ss][Ss]?://"] }
  package var optionText: String { "\(isSecure ? "wss" : "ws")://\(authority)\(target)" }
}
