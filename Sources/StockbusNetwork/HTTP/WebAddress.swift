#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// An address with the scheme http or https, checked, and never shown whole: paths and queries hold secrets often enough.
public struct WebAddress: Sendable, Hashable {
  private let url: URL
  public let isSecure: Bool
  /// In lower case; IPv6 without brackets.
  public let host: String
  public let port: Int

  /// Throws where `text` is no absolute http or https address, or names a user: credentials belong into headers.
  public init(_ text: String) throws(HTTPError) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      throw HTTPError(.badAddress, "an address has no blanks, control characters or letters beyond ASCII")
    }
    guard text.utf8.count <= 8192, let url = URL(string: text) else { throw HTTPError(.badAddress, "this is no address") }
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
  }

  /// The whole address, for the wire; never put it into a log or a message.
  public var revealed: String { url.absoluteString }

  /// What may be shown: `https://hooks.example.com`, with the port where it is not the scheme's own.
  public var origin: String {
    let shown = host.contains(":") ? "[\(host)]" : host
    return (isSecure ? "https://" : "http://") + shown + (port == (isSecure ? 443 : 80) ? "" : ":\(port)")
  }

  /// True where scheme, host and port are the same (RFC 6454).
  public func hasOrigin(of other: WebAddress) -> Bool { origin == other.origin }

  /// What a `Location` of this address means; without the fragment.
  func resolving(_ location: String) throws(HTTPError) -> WebAddress {
    let isClean = location.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } && location.utf8.count <= 8192
    let target = location.prefix { $0 != "#" }
    guard isClean, !target.isEmpty, let resolved = URL(string: String(target), relativeTo: url)?.absoluteURL else {
      throw HTTPError(.badRedirect, "\(origin) redirects to what is no address")
    }
    do throws(HTTPError) { return try WebAddress(resolved) } catch {
      throw HTTPError(.badRedirect, "\(origin) redirects where it must not: \(error)")
    }
  }
}

extension WebAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { origin }
  public var debugDescription: String { origin }
  /// Without children, so that `dump` shows no more.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
