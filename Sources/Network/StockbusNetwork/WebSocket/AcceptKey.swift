internal import StockbusCrypto
internal import StockbusText

extension UpgradeRequest {
  /// The value that a server must derive from the request's key (RFC 6455, section 4.2.2). SHA-1 only shows that the server understands the
  /// protocol; it protects no secret.
  static func accept(_ key: String) -> String {
    Base64.encode(Digest.sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
  }
}
