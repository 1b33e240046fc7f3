internal import MarketData

/// permessage-deflate (RFC 7692) on the client's side: the client offers to accept compressed messages, and sends none.
enum Deflation {
  /// The value of `Sec-WebSocket-Extensions` that offers it, the same as browsers send. The part about the client's window has no meaning
  /// for a client that compresses nothing; it satisfies servers that require it.
  static let offer = "permessage-deflate; client_max_window_bits"

  /// The terms to which a server has agreed.
  struct Terms: Hashable {
    /// True if each message is compressed without reference to earlier ones.
    var forgets = false
  }

  /// Reads the value of the server's `Sec-WebSocket-Extensions`. Throws `badHandshake` if it is anything but terms for this offer (RFC
  /// 7692, section 7.1).
  static func terms(_ value: String) throws(WebSocketError) -> Terms {
    let fault = WebSocketError.badHandshake("the server's compression parameters are not valid: \(value.printable)")
    let parts = value.split(separator: ";", omittingEmptySubsequences: false).map { part in
      part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { $0.trimmed.lowercased() }
    }
    guard let name = parts.first, name == ["permessage-deflate"] else { throw fault }
    var terms = Terms()
    var seen: Set<String> = []
    for part in parts.dropFirst() {
      guard seen.insert(part[0]).inserted else { throw fault }
      switch (part[0], part.count > 1 ? part[1] : nil) {
      case ("server_no_context_takeover", nil): terms.forgets = true
      case ("client_no_context_takeover", nil): break
      // A smaller window than ours can be read as well.
      case ("server_max_window_bits", let bits?) where isWindow(bits): break
      case ("client_max_window_bits", let bits?) where isWindow(bits): break
      default: throw fault
      }
    }
    return terms
  }

  private static func isWindow(_ text: String) -> Bool {
    let digits = text.hasPrefix("\"") && text.hasSuffix("\"") && text.utf8.count >= 2 ? String(text.dropFirst().dropLast()) : text
    return ["8", "9", "10", "11", "12", "13", "14", "15"].contains(digits)
  }
}
