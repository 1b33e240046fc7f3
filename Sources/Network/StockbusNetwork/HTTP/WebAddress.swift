#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A checked http or https address. Its description is never complete, because paths and queries often contain secrets.
package struct WebAddress: Sendable, Hashable {
  private let url: URL
  /// The path of the server's Unix socket; nil for a server with host and port.
  package let socket: String?
  package let isSecure: Bool
  /// The host in lower case; an IPv6 address without brackets.
  package let host: String
  package let port: Int

  /// Throws if `text` is not an absolute http or https address, or contains a user name: credentials belong in headers.
  package init(_ text: String) throws(HTTPError) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      throw HTTPError(.badAddress, "an address has no spaces, control characters or letters beyond ASCII")
    }
    guard text.utf8.count <= 8192, let url = URL(string: text) else { throw HTTPError(.badAddress, "this is not an address") }
    try self.init(url)
  }

  private init(_ url: URL) throws(HTTPError) {
    let scheme = url.scheme?.lowercased()
    guard scheme == "http" || scheme == "https" else { throw HTTPError(.badAddress, "an address begins with https:// or http://") }
    guard let host = url.host(percentEncoded: true), !host.isEmpty else { throw HTTPError(.badAddress, "the address names no host") }
    guard url.user(percentEncoded: true) == nil, url.password(percentEncoded: true) == nil else {
      throw HTTPError(.badAddress, "an address must not hold a user or a password: use a header")
    }
    isSecure = scheme == "https"
    port = url.port ?? (isSecure ? 443 : 80)
    guard (1...65_535).contains(port) else { throw HTTPError(.badAddress, "the port is not between 1 and 65535") }
    self.host = host.lowercased()
    self.url = url
    socket = nil
  }

  /// The address of a server on this machine that listens on a Unix socket.
  /// - Parameter target: the path, and the query if there is one.
  package init(socket: String, _ target: String) throws(HTTPError) {
    guard target.hasPrefix("/"), target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
      let url = URL(string: "http+unix://\(socket.percentEncoded)\(target)")
    else { throw HTTPError(.badAddress, "this is not an address") }
    self.url = url
    self.socket = socket
    isSecure = false
    host = "localhost"
    port = 80
  }

  /// Path and query, at least `/`, for the request only. Never put it into a log or a message.
  package var target: String {
    let path = url.path(percentEncoded: true)
    return (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?" + $0 } ?? "")
  }

  /// The host as written in an address, with the port if it is not the default.
  var authority: String {
    (host.contains(":") ? "[\(host)]" : host) + (port == (isSecure ? 443 : 80) ? "" : ":\(port)")
  }

  /// The part of the address that may be shown: `https://hooks.example.com`, with the port if it is not the default.
  package var origin: String { socket ?? (isSecure ? "https://" : "http://") + authority }

  /// True if scheme, host and port are equal (RFC 6454).
  package func hasOrigin(of other: WebAddress) -> Bool { origin == other.origin }

  /// The address that a `Location` in a response from this address refers to, without its fragment.
  func resolving(_ location: String) throws(HTTPError) -> WebAddress {
    let isClean = location.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } && location.utf8.count <= 8192
    let target = location.prefix { $0 != "#" }
    guard isClean, !target.isEmpty, let resolved = URL(string: String(target), relativeTo: url)?.absoluteURL else {
      throw HTTPError(.badRedirect, "\(origin) redirects to something that is not an address")
    }
    do throws(HTTPError) { return try WebAddress(resolved) } catch {
      throw HTTPError(.badRedirect, "\(origin) redirects to a forbidden address: \(error)")
    }
  }
}

extension WebAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { origin }
  package var debugDescription: String { origin }
  /// No children, so that `dump` does not show more.
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension String {
  /// The text with all characters except letters, digits, `-`, `.` and `_` as `%XX` (RFC 3986).
  package var percentEncoded: String {
    utf8.map { byte in
      switch byte {
      case 48...57, 65...90, 97...122, 45, 46, 95: String(UnicodeScalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}
