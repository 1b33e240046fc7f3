internal import StockbusCrypto
internal import StockbusText

/// 256 random bits of the system's generator, which prove a session, a token or an invitation. Only their hash is stored.
struct RandomSecret {
  /// 43 characters that may be in a cookie, a header and a link (RFC 4648, section 5).
  let text: String

  init() {
    var system = SystemRandomNumberGenerator()
    text = Base64.encodeForURL((0..<32).map { _ in UInt8.random(in: 0...255, using: &system) })
  }

  var hash: [UInt8] { Self.hash(text) }

  /// SHA-256: a secret of 256 random bits needs no slow hash.
  static func hash(_ text: String) -> [UInt8] { Digest.sha256(Array(text.utf8)) }

  /// True if a text may be a secret at all.
  static func isPlausible(_ text: String) -> Bool { text.utf8.count == 43 }
}
