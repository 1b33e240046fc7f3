internal import StockbusNetwork
internal import StockbusPlugin
internal import StockbusText

/// A server's information about itself in INFO, as far as it is used here.
package struct NATSServerInfo: Sendable, Hashable {
  package var version = ""
  package var name = ""
  /// The largest message that the server accepts, with headers.
  package var maxPayload = 0
  package var hasHeaders = false
  package var hasJetStream = false
  var requiresTLS = false
  var offersTLS = false
  var requiresCredentials = false
  /// The challenge to be signed by an NKey.
  var nonce: String?
  /// True if the server is about to end, so that its clients must connect to others.
  var isLameDuck = false

  /// The version as numbers: `2.10.23`; nil if the version is written in another way.
  package var release: (major: Int, minor: Int, patch: Int)? {
    let parts = version.prefix { $0.isNumber || $0 == "." }.split(separator: ".").map { Int($0) }
    guard parts.count == 3, let major = parts[0], let minor = parts[1], let patch = parts[2] else { return nil }
    return (major, minor, patch)
  }
}

extension NATSServerInfo {
  private struct Document: Decodable {
    var version: String?
    var serverName: String?
    var maxPayload: Int?
    var headers: Bool?
    var jetstream: Bool?
    var tlsRequired: Bool?
    var tlsAvailable: Bool?
    var authRequired: Bool?
    var nonce: String?
    var ldm: Bool?
  }

  init(json: some Collection<UInt8>) throws(NATSError) {
    guard let document = JSONDocument.read(Document.self, Array(json), inSnakeCase: true) else {
      throw .protocolViolation("INFO is malformed")
    }
    version = (document.version ?? "").printable
    name = (document.serverName ?? "").printable
    maxPayload = document.maxPayload ?? 1 << 20
    if maxPayload <= 0 { throw .protocolViolation("it accepts messages of at most \(maxPayload) bytes") }
    hasHeaders = document.headers ?? false
    hasJetStream = document.jetstream ?? false
    requiresTLS = document.tlsRequired ?? false
    offersTLS = document.tlsAvailable ?? false
    requiresCredentials = document.authRequired ?? false
    nonce = document.nonce
    isLameDuck = document.ldm ?? false
  }
}
