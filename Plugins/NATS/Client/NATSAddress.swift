internal import StockbusNetwork
package import StockbusPlugin

/// `nats://host:port` or `tls://host:port`, as an option.
package struct NATSAddress: Hashable, Sendable {
  /// True if only TLS is accepted; otherwise TLS is used if the server asks for it.
  package let isSecure: Bool
  /// The name or address; IPv6 without brackets.
  package let host: String
  package let port: Int

  package init(isSecure: Bool = false, host: String, port: Int = 4222) {
    self.isSecure = isSecure
    self.host = host
    self.port = port
  }

  package init(option text: String) throws(OptionTextError) {
    let lowered = text.lowercased()
    guard lowered.hasPrefix("nats://") || lowered.hasPrefix("tls://") else { throw .unschemed(text, "nats") }
    isSecure = lowered.hasPrefix("tls://")
    if text.unicodeScalars.contains(where: { $0.value <= 32 || $0.value >= 127 }) {
      throw .because("a host name cannot have these characters")
    }
    let rest = text.dropFirst(isSecure ? 6 : 7)
    if rest.contains("@") { throw .hint("put the user's name and password into 'login'") }
    let authority = rest.hasSuffix("/") ? rest.dropLast() : rest
    if authority.contains(where: { "/?#".contains($0) }) { throw .because("nothing may follow the port") }
    let server = try HostAndPort(authority)
    host = server.host
    port = server.port ?? 4222
  }
}

extension NATSAddress: CustomStringConvertible {
  package var description: String { "\(isSecure ? "tls" : "nats")://\(HostAndPort.written(host)):\(port)" }
}

extension NATSAddress: ScalarOption {
  package static var optionType: OptionType {
    OptionType("NATS address", plural: "NATS addresses", phrase: "a NATS address such as nats://host:4222 or tls://host:4222")
  }
  package static var optionSample: String { "nats://127.0.0.1:4222" }
  package static var optionIsAddress: Bool { true }
  package static var optionSchema: JSONValue { ["type": "string", "pattern": "^([Nn][Aa][Tt][Ss]|[Tt][Ll][Ss])://"] }
  package var optionText: String { description }
}
