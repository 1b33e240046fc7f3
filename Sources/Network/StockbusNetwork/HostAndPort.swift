package import StockbusPlugin

/// The part of an address that names a server: `host`, `host:port` or `[IPv6]:port`.
package struct HostAndPort {
  /// The name or address; IPv6 without brackets.
  package let host: String
  /// The port; nil if none is written.
  package let port: Int?

  package init(_ text: Substring) throws(OptionTextError) {
    let portText: Substring
    if text.hasPrefix("["), let bracket = text.firstIndex(of: "]") {
      host = String(text[text.index(after: text.startIndex)..<bracket])
      portText = text[text.index(after: bracket)...]
    } else {
      host = String(text.prefix { $0 != ":" })
      portText = text.dropFirst(host.count)
    }
    if host.isEmpty || !portText.isEmpty && !portText.hasPrefix(":") { throw .because("no host") }
    guard portText.count > 1 else {
      port = nil
      return
    }
    guard let number = UInt16(portText.dropFirst()), number > 0 else { throw .because("a port is a number from 1 to 65535") }
    port = Int(number)
  }

  /// The host as written in addresses: IPv6 in brackets.
  package static func written(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}
