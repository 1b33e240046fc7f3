/// The address of the page: `HOST:PORT`, with an IPv6 address in brackets.
struct ListenAddress: Hashable {
  let host: String
  let port: Int

  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]), (0...65_535).contains(port) else {
      return nil
    }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) } else if host.contains(":") { return nil }
    if host.isEmpty || host.utf8.contains(where: { $0 <= 32 || $0 == 47 }) { return nil }
    self.host = host
    self.port = Int(port)
  }

  /// True if only programs of this machine can reach it.
  var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") && host.allSatisfy { $0 == "." || $0.isNumber } }

  /// The address for a browser, once the port is known.
  func address(port: Int, isSecure: Bool) -> String {
    "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
  }
}
