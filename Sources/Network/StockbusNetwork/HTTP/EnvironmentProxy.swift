/// A proxy given by the environment variables `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`, which are interpreted as in curl.
struct EnvironmentProxy: Sendable, Hashable {
  let host: String
  let port: Int
  /// User and password as `user:password`; a secret.
  let credentials: String?

  /// The proxy for an address; nil if there is none. `HTTP_PROXY` in capitals is ignored, because a CGI client could set it.
  init?(for address: WebAddress, in environment: [String: String]) {
    let names = address.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    guard let text = (names + ["all_proxy", "ALL_PROXY"]).lazy.compactMap({ environment[$0] }).first(where: { !$0.isEmpty }) else {
      return nil
    }
    let exceptions = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
    if Self.isException(address.host, exceptions) { return nil }
    self.init(text)
  }

  /// A proxy such as `http://user:password@host:3128`; the scheme and the port are optional. Nil for a proxy with another protocol.
  private init?(_ text: String) {
    var rest = text[...]
    if let scheme = rest.range(ofFirst: "://") {
      guard rest[..<scheme.lowerBound].lowercased() == "http" else { return nil }
      rest = rest[scheme.upperBound...]
    }
    rest = rest.prefix { $0 != "/" }
    if let at = rest.lastIndex(of: "@") {
      credentials = String(rest[..<at])
      rest = rest[rest.index(after: at)...]
    } else {
      credentials = nil
    }
    let colon = rest.last == "]" ? nil : rest.lastIndex(of: ":")
    let port = colon.map { Int(rest[rest.index(after: $0)...]) ?? 0 } ?? 3128
    guard (1...65_535).contains(port) else { return nil }
    let host = rest[..<(colon ?? rest.endIndex)].drop { $0 == "[" }.prefix { $0 != "]" }
    if host.isEmpty { return nil }
    self.host = String(host)
    self.port = port
  }

  /// Matches `*`, a host, or the end of one: `example.com` and `.example.com` match `a.example.com` too.
  private static func isException(_ host: String, _ list: String) -> Bool {
    list.split { $0 == "," || $0 == " " }.contains { entry in
      let name = entry.drop { $0 == "." }.lowercased()
      return name == "*" || host == name || host.hasSuffix("." + name)
    }
  }
}

extension Substring {
  /// The range of the first occurrence of `text`.
  fileprivate func range(ofFirst text: String) -> Range<Index>? {
    var at = startIndex
    while at < endIndex {
      if self[at...].hasPrefix(text) { return at..<index(at, offsetBy: text.count) }
      at = index(after: at)
    }
    return nil
  }
}
