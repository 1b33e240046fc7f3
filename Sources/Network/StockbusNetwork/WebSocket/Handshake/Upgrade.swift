internal import StockbusPlugin
internal import StockbusText

/// The client's half of the handshake (RFC 6455, section 4.1).
struct UpgradeRequest: Sendable {
  let url: WebSocketURL
  let headers: [(name: String, value: Secret)]
  let subprotocol: String?
  /// True if compressed messages are accepted.
  let takesCompression: Bool
  /// Sixteen random bytes, in Base64.
  let key: String

  init(_ url: WebSocketURL, headers: [(name: String, value: Secret)], subprotocol: String?, takesCompression: Bool = false) {
    self.url = url
    self.headers = headers
    self.subprotocol = subprotocol
    self.takesCompression = takesCompression
    var system = SystemRandomNumberGenerator()
    key = Base64.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &system) })
  }

  /// The text of the request, which contains secrets.
  var text: String {
    var lines = [
      "GET \(url.target) HTTP/1.1", "Host: \(url.authority)", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: \(key)",
      "Sec-WebSocket-Version: 13",
    ]
    if let subprotocol { lines.append("Sec-WebSocket-Protocol: \(subprotocol)") }
    if takesCompression { lines.append("Sec-WebSocket-Extensions: \(Deflation.offer)") }
    if !headers.contains(where: { $0.name.lowercased() == "user-agent" }) { lines.append("User-Agent: stockbus") }
    for header in headers { lines.append("\(header.name): \(header.value.revealed)") }
    return lines.joined(separator: "\r\n") + "\r\n\r\n"
  }

  /// Checks the response, which was received at `now`. Returns how messages are compressed; nil if they are not compressed.
  @discardableResult
  func check(_ head: HTTPHead, now: Timestamp) throws(WebSocketError) -> Deflation.Terms? {
    let words = head.firstLine.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].count == 3, let status = Int(words[1]) else {
      throw .badHandshake("the response is not HTTP")
    }
    guard status == 101 else {
      let phrase = words.count == 3 ? String(words[2]) : ""
      let place = head["location"].map { "to \($0); write that into 'url' if it is right" }
      throw .refused(
        status: status, reason: ([phrase, place ?? ""].filter { !$0.isEmpty }.joined(separator: " ")).printable,
        retryAfter: head.first("retry-after").flatMap { RetryAfter($0, date: head.first("date"), now: now) })
    }
    guard head.has("websocket", in: "upgrade"), head.has("upgrade", in: "connection") else {
      throw .badHandshake("the response is not an upgrade to a WebSocket")
    }
    guard head["sec-websocket-accept"] == Self.accept(key) else { throw .badHandshake("the response does not match the key") }
    guard head["sec-websocket-protocol"] == subprotocol else {
      throw .badHandshake("the server does not speak the subprotocol '\(subprotocol ?? "")'")
    }
    guard let extensions = head["sec-websocket-extensions"], !extensions.isEmpty else { return nil }
    if takesCompression { return try Deflation.terms(extensions) }
    let hint = extensions.hasPrefix("permessage-deflate") ? "; 'compression: true' under 'connection' requests it" : ""
    throw .badHandshake("the server uses extensions that were not requested: \(extensions.printable)\(hint)")
  }
}

/// The server's half (RFC 6455, section 4.2).
enum UpgradeResponse {
  /// The response to a valid request; otherwise the refusal to be sent.
  static func reply(_ head: HTTPHead) -> (text: String, isAccepted: Bool) {
    let words = head.firstLine.split(separator: " ")
    guard words.count == 3, words[2] == "HTTP/1.1" else { return refusal("400 Bad Request") }
    guard words[0] == "GET" else { return refusal("405 Method Not Allowed", "Allow: GET\r\n") }
    guard head.has("websocket", in: "upgrade"), head.has("upgrade", in: "connection") else {
      return refusal("426 Upgrade Required", "Upgrade: websocket\r\n")
    }
    guard head["sec-websocket-version"] == "13" else { return refusal("426 Upgrade Required", "Sec-WebSocket-Version: 13\r\n") }
    guard let key = head["sec-websocket-key"], key.utf8.count == 24 else { return refusal("400 Bad Request") }
    let accept = UpgradeRequest.accept(key)
    let text = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n"
    return (text, true)
  }

  static func refusal(_ status: String, _ header: String = "") -> (text: String, isAccepted: Bool) {
    ("HTTP/1.1 \(status)\r\n\(header)Connection: close\r\nContent-Length: 0\r\n\r\n", false)
  }
}

extension String {
  /// Text from the peer for a message: without terminal controls, and of limited length.
  package var printable: String { visible(self, limit: 300) }
}
