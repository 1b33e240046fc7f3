import StockbusNetwork
import StockbusTestKit
import StockbusPlugin
import Testing

@testable import StockbusWeb

/// Each guard refuses what it should, and nothing else.
@Suite(.timeLimit(.minutes(15))) struct GuardTests {
  private let json = "Content-Type: application/json"

  @Test func `a foreign Host is refused, whatever else fits`() async throws {
    let site = try await Site(.simple)
    let port = site.server.port
    for host in ["127.0.0.1:\(port)", "localhost", "LOCALHOST:\(port)", "[::1]:\(port)"] {
      #expect(try await site.ask("GET", "/hello", host: host).status == 200, "\(host)")
    }
    for host in ["evil.test", "localhost.evil.test", "127.0.0.1.evil.test:80", "", "localhost:x", "localhost:1:2", "[::1", "[::1]x"] {
      #expect(try await site.ask("GET", "/hello", host: host).status == 421, "\(host)")
    }
    await site.server.stop()
    #expect(site.server.counts.refused == [.host: 8])
    #expect(site.refused.value == Array(repeating: .host, count: 8))
  }

  @Test func `a change needs the page's own origin, or a token`() async throws {
    let site = try await Site(.simple)
    func post(_ fields: String...) async throws -> Int { try await site.ask("POST", "/echo", fields + [json], body: "{}").status }
    #expect(try await post("Origin: \(site.origin)") == 200)
    #expect(try await post("Sec-Fetch-Site: same-origin") == 200)
    #expect(try await post("Sec-Fetch-Site: same-origin", "Origin: \(site.origin)") == 200)
    #expect(try await post("Authorization: Bearer t") == 200)
    #expect(try await post() == 403)
    #expect(try await post("Origin: http://evil.test") == 403)
    #expect(try await post("Origin: null") == 403)
    #expect(try await post("Origin: https://127.0.0.1:\(site.server.port)") == 403)
    #expect(try await post("Origin: http://127.0.0.1") == 403)
    #expect(try await post("Sec-Fetch-Site: same-site") == 403)
    #expect(try await post("Sec-Fetch-Site: none") == 403)
    #expect(try await post("Sec-Fetch-Site: cross-site", "Origin: \(site.origin)") == 403)
    #expect(try await post("Sec-Fetch-Site: same-origin", "Origin: http://evil.test") == 403)
    #expect(try await post("Origin: \(site.origin)", "Origin: http://evil.test") == 403)
    #expect(try await post("Authorization: Basic t") == 403)
    await site.server.stop()
    #expect(site.server.counts.refused == [.origin: 11])
  }

  @Test func `a body has to be JSON`() async throws {
    let site = try await Site(.simple)
    func post(_ type: String?, body: String) async throws -> Int {
      try await site.ask("POST", "/echo", ["Origin: \(site.origin)"] + (type.map { ["Content-Type: \($0)"] } ?? []), body: body).status
    }
    #expect(try await post("application/json", body: "{}") == 200)
    #expect(try await post("Application/JSON; charset=utf-8", body: "{}") == 200)
    #expect(try await post(nil, body: "") == 200)
    #expect(try await post(nil, body: "{}") == 415)
    #expect(try await post("text/plain", body: "{}") == 415)
    #expect(try await post("application/x-www-form-urlencoded", body: "a=b") == 415)
    #expect(try await post("application/json-seq", body: "{}") == 415)
    await site.server.stop()
  }

  @Test func `other sites read nothing through a browser, but links lead to pages`() async throws {
    var routes = WebRoutes.simple
    routes.page("/page/*") { _ in .text("page") }
    let site = try await Site(routes)
    for (field, status) in [
      ("Sec-Fetch-Site: same-origin", 200), ("Sec-Fetch-Site: none", 200), ("Sec-Fetch-Site: cross-site", 403),
      ("Sec-Fetch-Site: same-site", 403), ("Origin: http://evil.test", 403), ("X: y", 200),
    ] {
      #expect(try await site.ask("GET", "/hello", [field]).status == status, "\(field)")
      #expect(try await site.ask("GET", "/page/a/b", [field]).status == 200, "\(field)")
    }
    await site.server.stop()
  }

  @Test func `a proxy's fields count only if they come from it`() async throws {
    var routes = WebRoutes()
    routes.page("/who") { request in .text("\(request.client.address) \(request.client.origin)") }
    let fields = ["X-Forwarded-For: 6.6.6.6, 9.9.9.9", "X-Forwarded-Proto: https"]
    let open = try await Site(routes)
    #expect(try await open.ask("GET", "/who", fields, host: "localhost").body == "127.0.0.1 http://localhost")
    await open.server.stop()
    let behind = try await Site(routes) {
      $0.proxies = ["127.0.0.1"]
      $0.names = HostNames(["market.example"])
    }
    #expect(try await behind.ask("GET", "/who", fields, host: "market.example").body == "9.9.9.9 https://market.example")
    await behind.server.stop()
  }

  @Test func `a file is compressed once, and not sent again to who has it`() async throws {
    let text = String(repeating: "export const a = 1;\n", count: 200)
    let file = WebFile(Array(text.utf8), type: WebFile.type(of: "a.js"))
    var routes = WebRoutes()
    routes.file("/page/a.js", file)
    let site = try await Site(routes)
    let plain = try await site.ask("GET", "/page/a.js")
    #expect(plain.body == text && plain["Content-Type"] == "text/javascript; charset=utf-8" && plain["ETag"] == file.tag)
    #expect(plain["Cache-Control"] == "no-cache" && plain["Vary"] == "Accept-Encoding")
    let small = try await site.ask("GET", "/page/a.js", ["Accept-Encoding: br, gzip"])
    #expect(small["Content-Encoding"] == "gzip" && (small["Content-Length"].flatMap { Int($0) } ?? 0) < 200)
    #expect(try await site.ask("GET", "/page/a.js", ["Accept-Encoding: gzip;q=0"])["Content-Encoding"] == nil)
    let same = try await site.ask("GET", "/page/a.js", ["If-None-Match: \"x\", \(file.tag)"])
    #expect(same.status == 304 && same.body == "" && same["ETag"] == file.tag && same["Content-Length"] == nil)
    await site.server.stop()
  }

  @Test func `a cookie that is there twice does not count`() throws {
    func cookie(_ lines: String...) throws -> String? {
      var fields = WebFields()
      for line in lines { fields.add("Cookie", line) }
      return WebRequest(.get, try #require(WebTarget("/")), fields: fields, from: WebClient(address: "", origin: "")).cookie("s")
    }
    #expect(try cookie("a=b; s=1; c=d") == "1")
    #expect(try cookie("s=1=2") == "1=2")
    #expect(try cookie("s=1; s=2") == nil && cookie("s=1", "s=2") == nil && cookie("xs=1; s") == nil && cookie() == nil)
  }
}
