/// The names by which a server may be addressed. A page with another name that leads to this machine is refused (DNS rebinding).
package struct HostNames: Sendable, Hashable {
  /// The names in lower case, without ports; IPv6 addresses in brackets.
  package let names: Set<String>

  package init(_ names: some Sequence<String>) { self.names = Set(names.map { $0.lowercased() }) }

  /// `localhost`, `127.0.0.1` and `[::1]`.
  package static let loopback = HostNames(["localhost", "127.0.0.1", "[::1]"])

  /// True if a `Host` is one of the names, with any port.
  func contains(_ host: String) -> Bool {
    let name = host.prefix { $0 != ":" || host.hasPrefix("[") }
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]") else { return false }
      return isPort(host[host.index(after: end)...]) && names.contains(host[...end].lowercased())
    }
    return isPort(host.dropFirst(name.count)) && names.contains(name.lowercased())
  }

  private func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.hasPrefix(":") && text.utf8.count <= 6 && text.dropFirst().utf8.allSatisfy { (48...57).contains($0) }
  }
}
