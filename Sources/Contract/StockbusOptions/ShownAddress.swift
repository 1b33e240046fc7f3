/// The part of an address that may be shown: scheme, host and port. User names, passwords, paths and queries often hold secrets.
///
/// The text may be malformed, so in doubt less is shown.
package enum ShownAddress {
  /// The shown part: `wss://host:443/…`; the ellipsis stands for the rest.
  package static func of(_ text: String) -> String {
    let scheme = Self.scheme(of: text)
    let rest = text.utf8.dropFirst(scheme.map { $0.utf8.count + 3 } ?? 0)
    var authority = rest.prefix { !["/", "?", "#", "\\"].contains(Unicode.Scalar($0)) }
    let tail = rest.dropFirst(authority.count)
    let path = tail.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    var isCut = tail.count > 1 || authority.contains(UInt8(ascii: "@"))
    // A password may contain a slash; the apparent host may then be part of the user information.
    let isUncertain = path.contains(UInt8(ascii: "@"))
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[authority.index(after: at)...] }
    let host = isUncertain ? authority.prefix(0) : Self.host(authority)
    isCut = isCut || host.count < authority.count
    return (scheme.map { $0 + "://" } ?? "") + String(decoding: host, as: UTF8.self) + (isCut ? "/…" : "")
  }

  static func hasScheme(_ text: String) -> Bool { scheme(of: text) != nil }

  /// The letters, digits, `+`, `-` and `.` before `://`.
  private static func scheme(of text: String) -> String? {
    let name = text.utf8.prefix(32).prefix {
      isLetterOrDigit($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
    }
    return !name.isEmpty && text.utf8.dropFirst(name.count).starts(with: "://".utf8) ? String(decoding: name, as: UTF8.self) : nil
  }

  /// The host name or address with its port, up to the first invalid character.
  private static func host(_ authority: Substring.UTF8View) -> Substring.UTF8View {
    if authority.first == UInt8(ascii: "[") {
      guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return authority.prefix(0) }
      return authority[...end]
    }
    let name = authority.prefix { $0 != UInt8(ascii: ":") }
    guard name.allSatisfy({ isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") }) else {
      return authority.prefix(0)
    }
    let port = authority.dropFirst(name.count + 1)
    return port.count <= 5 && port.allSatisfy { $0 >= 48 && $0 <= 57 } ? authority : name
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool { (byte | 0x20) &- 97 < 26 || byte &- 48 < 10 }
}
