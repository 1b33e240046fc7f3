import MarketData
import StockbusPlugin
import Testing

@testable import StockbusNetwork

@Suite(.timeLimit(.minutes(15))) struct HandshakeTests {
  @Test func `the accept key of RFC 6455, section 1_3`() {
    #expect(UpgradeRequest.accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  private let url = try? WebSocketURL(option: "wss://example.com/feed?token=x")

  private func check(_ head: String, subprotocol: String? = nil) -> String {
    guard let url else { return "no url" }
    let request = UpgradeRequest(url, headers: [], subprotocol: subprotocol)
    let text = head.replacing("KEY", with: UpgradeRequest.accept(request.key)).replacing("\n", with: "\r\n")
    guard let parsed = HTTPHead(Array(text.utf8)) else { return "malformed" }
    do throws(WebSocketError) {
      try request.check(parsed, now: Timestamp(ns: 0))
      return "accepted"
    } catch { return "\(error)" }
  }

  @Test func `a request has what it needs, and the headers it was given`() throws {
    let url = try #require(url)
    let request = UpgradeRequest(url, headers: [("Authorization", Secret("Bearer 1"))], subprotocol: "v1.json")
    #expect(
      request.text == """
        GET /feed?token=x HTTP/1.1\r
        Host: example.com\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Key: \(request.key)\r
        Sec-WebSocket-Version: 13\r
        Sec-WebSocket-Protocol: v1.json\r
        User-Agent: stockbus\r
        Authorization: Bearer 1\r
        \r

        """)
    #expect(request.key.utf8.count == 24)
    #expect(UpgradeRequest(url, headers: [], subprotocol: nil).key != request.key)
  }

  @Test func `only a proper answer is accepted`() {
    let good = "HTTP/1.1 101 Switching Protocols\nUpgrade: WebSocket\nconnection: keep-alive, Upgrade\nSec-WebSocket-Accept: KEY"
    #expect(check(good) == "accepted")
    #expect(check(good + "\nSec-WebSocket-Protocol: a", subprotocol: "a") == "accepted")
    #expect(check(good, subprotocol: "a") == "no WebSocket handshake: the server does not speak the subprotocol 'a'")
    #expect(check("HTTP/1.1 404 Not Found") == "the server refused the upgrade with status 404: Not Found")
    #expect(
      check("HTTP/1.1 301 Moved\nLocation: wss://b/")
        == "the server refused the upgrade with status 301: Moved to wss://b/; write that into 'url' if it is right")
    #expect(
      check("HTTP/1.1 429 Too Many Requests\nRetry-After: 8\nRetry-After: 9")
        == "the server refused the upgrade with status 429: Too Many Requests; asked to wait 8 s")
    #expect(
      check("HTTP/1.1 418\nRetry-After: Thu, 01 Jan 1970 01:00:05 GMT\nDate: Thu, 01 Jan 1970 01:00:00 GMT")
        == "the server refused the upgrade with status 418; asked to wait 5 s")
    #expect(check("HTTP/1.1 200 OK") == "the server refused the upgrade with status 200: OK")
    #expect(check("SSH-2.0-OpenSSH") == "no WebSocket handshake: the response is not HTTP")
    #expect(
      check("HTTP/1.1 101 x\nUpgrade: h2c\nConnection: upgrade") == "no WebSocket handshake: the response is not an upgrade to a WebSocket")
    #expect(
      check(good.replacing("KEY", with: "AAAA")) == "no WebSocket handshake: the response does not match the key")
    #expect(
      check(good + "\nSec-WebSocket-Extensions: permessage-deflate")
        == "no WebSocket handshake: the server uses extensions that were not requested: permessage-deflate; 'compression: true' under 'connection' requests it"
    )
    #expect(
      check(good + "\nSec-WebSocket-Extensions: x-frame")
        == "no WebSocket handshake: the server uses extensions that were not requested: x-frame")
  }

  @Test(arguments: ["", "GET / HTTP/1.1\r\nno colon", "GET / HTTP/1.1\r\n folded: x", "GET / HTTP/1.1\r\nname : x", "a\r\n: x"])
  func `a malformed head is none`(text: String) { #expect(HTTPHead(Array(text.utf8)) == nil) }

  @Test func `a head is no text that is not UTF-8`() { #expect(HTTPHead([71, 0xff, 0xfe]) == nil) }

  @Test(arguments: [
    (
      "GET / HTTP/1.1\nUpgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "101"
    ),
    ("GET / HTTP/1.1\nHost: a", "426"), ("POST / HTTP/1.1", "405"), ("GET / HTTP/1.0", "400"), ("nonsense", "400"),
    (
      "GET / HTTP/1.1\nUpgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Version: 8\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "426"
    ),
    ("GET / HTTP/1.1\nUpgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: short", "400"),
  ])
  func `a server answers requests for WebSockets only`(text: String, status: String) throws {
    let head = try #require(HTTPHead(Array(text.replacing("\n", with: "\r\n").utf8)))
    let reply = UpgradeResponse.reply(head)
    #expect(reply.text.hasPrefix("HTTP/1.1 \(status) "))
    #expect(reply.text.hasSuffix("\r\n\r\n"))
    #expect(reply.isAccepted == (status == "101"))
  }
}

@Suite struct URLTests {
  private func words(_ text: String) -> String {
    do throws(OptionTextError) {
      let url = try WebSocketURL(option: text)
      return "\(url.isSecure) \(url.host) \(url.port) \(url.target) | \(url) | \(url.authority)"
    } catch { return "\(error)" }
  }

  @Test func `reads host, port and path, and shows no query`() {
    #expect(words("ws://localhost:8080") == "false localhost 8080 / | ws://localhost:8080 | localhost:8080")
    #expect(words("wss://ws.finnhub.io?token=abc") == "true ws.finnhub.io 443 /?token=abc | wss://ws.finnhub.io/… | ws.finnhub.io")
    #expect(words("WSS://h:443/a/b?c") == "true h 443 /a/b?c | wss://h/… | h")
    #expect(words("ws://[::1]:9/x") == "false ::1 9 /x | ws://[::1]:9/… | [::1]:9")
    #expect(words("wss://10.0.0.1/") == "true 10.0.0.1 443 / | wss://10.0.0.1 | 10.0.0.1")
  }

  @Test(arguments: [
    "", "localhost", "http://a", "https://a", "ws://", "ws://:80", "ws://a:0", "ws://a:65536", "ws://a:x", "ws://u:p@a", "ws://a/#b",
    "ws://a b", "ws://ä", "ws://[::1", "ws://[::1]x", "ws://a\r\nHost: b",
  ])
  func `what is no URL is refused`(text: String) { #expect(throws: OptionTextError.self) { try WebSocketURL(option: text) } }
}
