import TestSupport
import StockbusTestKit
import Testing

@testable import StockbusWeb

/// Requests as bytes: what is read, what is refused, and that the server goes on.
@Suite(.timeLimit(.minutes(15))) struct RequestTests {
  private func site(_ change: (inout WebLimits) -> Void = { _ in }) async throws -> Site {
    var routes = WebRoutes()
    for method in [WebMethod.post, .put, .delete] {
      routes.add(method, "/*", guards: []) { .text("\($0.method.rawValue) \($0.target.path) \(String(decoding: $0.body, as: UTF8.self));") }
    }
    routes.page("/*") { .text("GET \($0.target.path) ;") }
    return try await Site(routes) {
      $0.limits.head = 400
      $0.limits.fields = 6
      $0.limits.body = 50
      change(&$0.limits)
    }
  }

  @Test func `heads, bodies with a length, bodies in chunks, one after the other`() async throws {
    let site = try await site()
    let heard = try await site.send(
      "GET /a?b=c HTTP/1.1\r\nHost: localhost\r\n\r\n" + "POST /b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc"
        + "PUT /c HTTP/1.1\r\nhost: localhost\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0A;x=y\r\n0123456789\r\n0\r\nT: v\r\n\r\n"
        + "\r\nGET http://localhost/e HTTP/1.1\r\nHost: y\r\nConnection: x, Close\r\n\r\n" + "GET /f HTTP/1.1\r\nHost: localhost\r\n\r\n")
    let found = heard.text.matches(of: /[A-Z]+ \/[a-f] [^;]*;/).map { String($0.0) }
    #expect(found == ["GET /a ;", "POST /b abc;", "PUT /c abc0123456789;", "GET /e ;"])
    let old = try await site.send("DELETE /d HTTP/1.0\r\nHost: localhost\r\n\r\nGET /e HTTP/1.0\r\nHost: localhost\r\n\r\n")
    #expect(old.body == "DELETE /d ;" && old["Connection"] == "close")
    await site.server.stop()
  }

  @Test(
    arguments: [
      ("GET / HTTP/1.1\r\n\r\n", 400, .malformed),
      ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, .malformed),
      ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505, .malformed),
      ("PATCH / HTTP/1.1\r\nHost: a\r\n\r\n", 501, .malformed),
      ("BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 400, .malformed),
      ("get / HTTP/1.1\r\n", 400, .malformed),
      ("\u{16}\u{3}\u{1}", 400, .malformed),
      ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400, .malformed),
      ("GET / HTTP/1.1\r\nHost: a\u{0}b\r\n\r\n", 400, .malformed),
      ("GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", 400, .malformed),
      ("GET /a/../b HTTP/1.1\r\nHost: a\r\n\r\n", 400, .malformed),
      ("GET /%2e%2E/b HTTP/1.1\r\nHost: a\r\n\r\n", 400, .malformed),
      ("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400, .malformed),
      ("GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", 400, .malformed),
      ("GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n", 400, .malformed),
      ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400, .malformed),
      ("CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 501, .malformed),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400, .malformed),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400, .malformed),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", 400, .malformed),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 400, .malformed),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 51\r\n\r\n", 413, .body),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501, .malformed),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501, .malformed),
      ("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 400, .malformed),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400, .malformed),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n33\r\n" + String(repeating: "x", count: 51), 413, .body),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", 400, .malformed),
      ("GET / HTTP/1.1\r\nA:\r\nB:\r\nC:\r\nD:\r\nE:\r\nF:\r\nHost: a\r\n\r\n", 431, .head),
      ("GET /" + String(repeating: "a", count: 401), 431, .head),
      ("GET / HTTP/1.1\r\nHost: a\r\nA: " + String(repeating: "a", count: 401), 431, .head),
      ("GET / HTTP/1.1\r\nHost: \u{e9}\u{ff}\r\n\r\n", 421, .host),
    ] as [(String, Int, WebRefusal)])
  func `what is no request is refused`(_ text: String, _ status: Int, _ reason: WebRefusal) async throws {
    let site = try await site()
    let heard = try await site.send(text + (status == 421 ? "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" : ""))
    #expect(heard.status == status, "\(heard.text)")
    #expect(heard["Content-Security-Policy"] != nil)
    await site.server.stop()
    #expect(site.server.counts.refused == [reason: 1])
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\nHost: " + String(repeating: " ", count: 100_000),
    String(repeating: "\r\n", count: 50_000),
    "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1;" + String(repeating: "x", count: 100_000),
    "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: " + String(repeating: "x", count: 100_000),
  ])
  func `bytes of which no request comes are bounded as a head is`(_ text: String) async throws {
    let site = try await site()
    #expect(try await site.send(text).status == 431)
    await site.server.stop()
    #expect(site.server.counts.refused == [.head: 1])
  }

  @Test func `a request for another protocol is answered as HTTP, and ends its connection`() async throws {
    let site = try await site()
    let heard = try await site.send(
      "GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\nGET /b HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(heard.body == "GET /a ;" && heard["Connection"] == "close")
    await site.server.stop()
  }

  @Test func `paths and queries are decoded once`() throws {
    let target = try #require(WebTarget("/symbol/BTC%2FUSD/?q=a+b%26c&q=2&empty&=x"))
    #expect(target.segments == ["symbol", "BTC/USD"])
    #expect(target["q"] == "a b&c" && target["empty"] == "" && target[""] == "x" && target["none"] == nil)
    #expect(WebTarget("/")?.segments == [])
    #expect(WebTarget("/a//b")?.segments == ["a", "", "b"])
    #expect(WebTarget("/%252e%252e")?.segments == ["%2e%2e"])
    #expect(WebTarget("/?" + String(repeating: "a&", count: 64)) != nil)
    #expect(WebTarget("/?" + String(repeating: "a&", count: 65)) == nil)
  }

  @Test func `bytes of every kind end in answers or a close, however they are cut, and the server goes on`() async throws {
    let site = try await site()
    let words = [
      "GET", "POST", "PUT", " ", " /", " /a%20b?c=d&e", "HTTP/1.1", " HTTP/1.1\r\n", " HTTP/1.0\r\n", "\r\n", "\r\n\r\n", "\n", "\r", ":",
      ": ", "Host: localhost\r\n", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", "5\r\nabcde\r\n",
      "0\r\n\r\n", "abcde", ";", "%", "..", "é", "\u{0}", "Expect: 100-continue\r\n", "Upgrade: websocket\r\n", "Connection: Upgrade\r\n",
      String(repeating: "y", count: 120),
    ]
    let good = [
      "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n", "POST /b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nabcde",
      "PUT /c HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
    ]
    var random = SplitMix(11)
    for _ in 0..<rounds(60, cost: 50) {
      let talk = try await site.talk()
      for _ in 0...random.upTo(3) {
        var bytes =
          random.oneIn(3)
          ? (0...random.upTo(12)).flatMap { _ in Array(words[random.upTo(words.count - 1)].utf8) } : Array(good[random.upTo(2)].utf8)
        if random.oneIn(3) { bytes[random.upTo(bytes.count - 1)] = UInt8(truncatingIfNeeded: random.next()) }
        let cut = random.upTo(bytes.count)
        try? await talk.say(Array(bytes[..<cut]))
        try? await talk.say(Array(bytes[cut...]))
      }
      try? await talk.hangUp()
      _ = await talk.hearAll()
    }
    await site.wait { $0.open == 0 }
    #expect(try await site.ask("GET", "/a").status == 200)
    await site.server.stop()
  }
}
