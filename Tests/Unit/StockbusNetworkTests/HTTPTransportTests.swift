import StockbusNetwork
import StockbusPlugin
import StockbusTestKit
import Testing
import TestServers

/// The real transport against a server on loopback.
@Suite(.timeLimit(.minutes(15))) struct HTTPTransportTests {
  private let clock = ManualTimekeeper()

  private static let patience = Duration.seconds(600)

  private func get(
    _ address: String, _ limits: HTTPLimits = HTTPLimits(), _ transport: NetworkTransport = NetworkTransport(),
    _ change: (inout HTTPRequest) throws -> Void = { _ in }
  ) async throws -> Result<HTTPResponse, HTTPError> {
    var request = HTTPRequest(.get, try WebAddress(address))
    try change(&request)
    // Beside all other tests the system may take long.
    var limits = limits
    if limits.connect == HTTPLimits().connect { limits.connect = Self.patience }
    do throws(HTTPError) { return .success(try await transport.send(request, limits: limits, clock: clock)) } catch {
      return .failure(error)
    }
  }

  @Test func `carries method, path, headers and body both ways`() async throws {
    let server = try await ScriptedServer { request, _ in .answer(201, ["X-Answer": "yes"], "echo \(request.body)") }
    var request = HTTPRequest(.post, try WebAddress("\(server.origin)/a/b?c=d%20e"), body: Array("hällo".utf8))
    try request.fields.set("X-Question", "is it?")
    let response = try await NetworkTransport().send(request, limits: HTTPLimits(connect: Self.patience), clock: clock)
    #expect(response.status == 201)
    #expect(response.fields["x-answer"] == "yes")
    #expect(String(decoding: response.body, as: UTF8.self) == "echo hällo")
    let got = try #require(server.received.value.first)
    #expect(got.method == "POST" && got.path == "/a/b?c=d%20e" && got.body == "hällo")
    #expect(got.headers["x-question"] == "is it?")
    await server.close()
  }

  @Test func `a server that says nothing is left when the clock says so`() async throws {
    let server = try await ScriptedServer { _, _ in .hang }
    async let outcome = get(server.origin, HTTPLimits(whole: .seconds(42)))
    await server.waitForRequests(1)
    await clock.waitForSleeper(until: .seconds(42))
    clock.advance(by: .seconds(42))
    let error = HTTPError(.timedOut, "\(server.origin) did not respond within 42s")
    #expect(try await outcome == .failure(error))
    #expect(error.isTransient)
    await server.close()
  }

  @Test func `a cancelled request ends`() async throws {
    let server = try await ScriptedServer { _, _ in .hang }
    let task = Task { try await get(server.origin) }
    await server.waitForRequests(1)
    task.cancel()
    #expect(try await task.value == .failure(HTTPError(.cancelled, "cancelled")))
    await server.close()
  }

  @Test func `a body beyond its limit ends the exchange, announced or not`() async throws {
    let server = try await ScriptedServer { request, _ in
      request.path == "/flood" ? .flood : .answer(200, [:], String(repeating: "x", count: 1001))
    }
    let tooLarge = HTTPError(.tooLarge, "\(server.origin) answers with more than 1000 bytes")
    #expect(try await get("\(server.origin)/announced", HTTPLimits(body: 1000)) == .failure(tooLarge))
    let flood = HTTPError(.tooLarge, tooLarge.description, beginning: [UInt8](repeating: 120, count: 512))
    #expect(try await get("\(server.origin)/flood", HTTPLimits(body: 1000)) == .failure(flood))
    #expect(try await get("\(server.origin)/announced", HTTPLimits(body: 1001)).get().body.count == 1001)
    await server.close()
  }

  @Test func `a connection that breaks off, rubbish and a closed port are told apart`() async throws {
    let server = try await ScriptedServer { request, _ in request.path == "/cut" ? .cut : .raw("SSH-2.0-nothing\r\n\r\n") }
    let cut = try await get("\(server.origin)/cut")
    #expect(throws: HTTPError(.brokenOff, "\(server.origin) closed the connection before the end of the response")) { try cut.get() }
    let rubbish = try await get("\(server.origin)/rubbish")
    #expect(throws: HTTPError(.brokenOff, "\(server.origin) does not answer in HTTP")) { try rubbish.get() }
    await server.close()
    // A port of the test could be reused as soon as it is closed; nothing listens at port 1.
    let closed = try await get("http://127.0.0.1:1")
    #expect(throws: HTTPError(.unreachable, "http://127.0.0.1:1 cannot be reached")) { try closed.get() }
    // Longer than a label of a name may be, so that no name server is asked.
    let nameless = "http://\(String(repeating: "a", count: 64)).test"
    let unknown = try await get(nameless)
    #expect(throws: HTTPError(.unreachable, "\(nameless) cannot be reached: the host was not found")) { try unknown.get() }
  }

  @Test func `follows redirects up to a limit, and hands them out where none is allowed`() async throws {
    let server = try await ScriptedServer { request, _ in
      switch request.path {
      case "/1": .answer(302, ["Location": "/2?x=1"])
      case "/2?x=1": .answer(307, ["Location": "3"])
      case "/3": .answer(200, [:], "here")
      default: .answer(301, ["Location": "/loop"])
      }
    }
    let here = try await get("\(server.origin)/1", HTTPLimits(redirects: 2)).get()
    #expect(String(decoding: here.body, as: UTF8.self) == "here")
    #expect(
      try await get("\(server.origin)/1", HTTPLimits(redirects: 1))
        == .failure(HTTPError(.badRedirect, "more than 1 redirects, the last to \(server.origin)")))
    #expect(try await get("\(server.origin)/1").get().status == 302)
    await #expect(throws: HTTPError.self) { try await get("\(server.origin)/loop", HTTPLimits(redirects: 5)).get() }
    await server.close()
  }

  @Test func `secrets do not follow a redirect to another server`() async throws {
    let other = try await ScriptedServer { _, _ in .answer(200) }
    let target = other.origin
    let server = try await ScriptedServer { request, _ in
      .answer(302, ["Location": request.path == "/own" ? "/else" : "\(target)/there"])
    }
    var request = HTTPRequest(.get, try WebAddress("\(server.origin)/own"))
    try request.fields.set("Authorization", "Bearer s3cret")
    try request.fields.set("X-Key", "s3cret")
    try request.fields.set("Accept", "text/plain")
    _ = try await NetworkTransport().send(
      request, limits: HTTPLimits(connect: Self.patience, redirects: 3), secrets: ["x-key"], clock: clock)
    #expect(server.received.value.map { $0.headers["authorization"] } == ["Bearer s3cret", "Bearer s3cret"])
    let got = try #require(other.received.value.first)
    #expect(got.headers["authorization"] == nil && got.headers["x-key"] == nil && got.headers["accept"] == "text/plain")
    await server.close()
    await other.close()
  }

  @Test func `trusts a private authority only where told, and never another name`() async throws {
    let folder = TemporaryFolder()
    let authority = TestAuthority("Private")
    folder.put(authority.certificate, in: "ca.pem")
    let server = try await ScriptedServer(tls: authority.issue(["localhost"])) { _, _ in .answer(200, [:], "safe") }
    let transport = NetworkTransport(certificates: folder.file("ca.pem"))
    #expect(try await get(server.origin, HTTPLimits(), transport).get().status == 200)
    let untrusted = HTTPError(.untrusted, "the certificate of \(server.origin) is not trusted")
    #expect(try await get(server.origin) == .failure(untrusted))
    #expect(!untrusted.isTransient)
    let byNumber = "https://127.0.0.1:\(server.port)"
    do {
      _ = try await get(byNumber, HTTPLimits(), transport).get()
      Issue.record("another name was accepted")
    } catch let error as HTTPError { #expect(error.code == .untrusted) }
    #expect(
      try await get(server.origin, HTTPLimits(), NetworkTransport(certificates: folder.file("none.pem")))
        == .failure(HTTPError(.untrusted, "no certificates can be read from \(folder.file("none.pem"))")))
    await server.close()
  }

  @Test func `goes by the proxy that the environment names, but for its exceptions`() async throws {
    let proxy = try await ScriptedServer { _, _ in .answer(407) }
    let transport = NetworkTransport(proxiesFrom: ["http_proxy": "http://me:word@127.0.0.1:\(proxy.port)", "no_proxy": "127.0.0.1"])
    #expect(
      try await get("http://prices.test/today", HTTPLimits(), transport)
        == .failure(HTTPError(.unreachable, "the proxy cannot connect to http://prices.test")))
    let asked = try #require(proxy.received.value.first)
    #expect(asked.method == "CONNECT" && asked.path == "prices.test:80")
    #expect(asked.headers["proxy-authorization"] == "Basic bWU6d29yZA==")
    let server = try await ScriptedServer { _, _ in .answer(200, [:], "direct") }
    #expect(String(decoding: try await get(server.origin, HTTPLimits(), transport).get().body, as: UTF8.self) == "direct")
    await proxy.close()
    await server.close()
  }

  @Test func `goes through the proxy's tunnel, with TLS and without`() async throws {
    let folder = TemporaryFolder()
    let authority = TestAuthority("Private")
    folder.put(authority.certificate, in: "ca.pem")
    for tls in [nil, authority.issue(["prices.test"])] {
      let server = try await ScriptedServer(tls: tls) { request, number in .answer(200, [:], "\(request.path) \(number)") }
      let proxy = try await TunnelProxy(to: server.port)
      let transport = NetworkTransport(
        certificates: folder.file("ca.pem"), proxiesFrom: ["all_proxy": "127.0.0.1:\(proxy.port)", "no_proxy": "127.0.0.1"])
      let address = "\(tls == nil ? "http" : "https")://prices.test/a?b"
      for number in 0...1 {
        let response = try await get(address, HTTPLimits(), transport).get()
        #expect(String(decoding: response.body, as: UTF8.self) == "/a?b \(number)")
      }
      let port = tls == nil ? 80 : 443
      #expect(proxy.asked.value == ["CONNECT prices.test:\(port) HTTP/1.1\r\nHost: prices.test:\(port)\r\n\r\n"])
      #expect(server.received.value.map { $0.headers["host"] } == ["prices.test", "prices.test"])
      await proxy.close()
      await server.close()
    }
  }

  @Test func `behind a proxy a certificate is checked by the server's address, not by the proxy's`() async throws {
    let folder = TemporaryFolder()
    let authority = TestAuthority("Private")
    folder.put(authority.certificate, in: "ca.pem")
    for (last, isServers) in [(UInt8(2), true), (1, false)] {
      let server = try await ScriptedServer(tls: authority.issue([], addresses: [[127, 0, 0, last]])) { _, _ in .answer(200) }
      let proxy = try await TunnelProxy(to: server.port)
      let transport = NetworkTransport(certificates: folder.file("ca.pem"), proxiesFrom: ["https_proxy": "127.0.0.1:\(proxy.port)"])
      let result = try await get("https://127.0.0.2/", HTTPLimits(), transport)
      if isServers {
        #expect(try result.get().status == 200)
      } else {
        #expect(result == .failure(HTTPError(.untrusted, "the certificate of https://127.0.0.2 is for another name")))
      }
      await proxy.close()
      await server.close()
    }
  }

  @Test func `a connection is used again, unless a side says that it ends`() async throws {
    let server = try await ScriptedServer { _, number in .answer(200, number == 1 ? ["Connection": "close"] : [:], "yes") }
    for _ in 0..<4 { _ = try await get(server.origin).get() }
    let clients = server.clients.value
    #expect(clients[0] == clients[1] && clients[1] != clients[2] && clients[2] == clients[3])
    await server.close()
  }

  @Test func `what a server that hangs up has not answered is sent again only if it may be done twice`() async throws {
    let server = try await ScriptedServer { request, number in
      number == 1 || request.path == "/never" ? .hangUp : .answer(200, [:], "\(number)")
    }
    _ = try await get(server.origin).get()
    #expect(String(decoding: try await get(server.origin).get().body, as: UTF8.self) == "2")
    let broken = HTTPError(.brokenOff, "\(server.origin) closed the connection before the end of the response")
    let post = try await get("\(server.origin)/never") { $0 = HTTPRequest(.post, $0.address, body: [1]) }
    #expect(post == .failure(broken))
    // On a new connection nothing is repeated.
    #expect(try await get("\(server.origin)/never") == .failure(broken))
    #expect(server.received.value.map(\.method) == ["GET", "GET", "GET", "POST", "GET"])
    await server.close()
  }

  @Test func `a pause of the reader holds the server up, and what follows is ended by the reader`() async throws {
    let server = try await ScriptedServer { _, _ in .flood }
    var count = 0
    let response = try await NetworkTransport().follow(
      HTTPRequest(.get, try WebAddress(server.origin)), limits: HTTPLimits(connect: Self.patience)
    ) { bytes in
      count += bytes.count
      return count < 1 << 20
    }
    #expect(response.status == 200 && response.body.isEmpty && count >= 1 << 20)
    await server.close()
  }

  @Test func `a response that ends with its connection is whole`() async throws {
    let server = try await ScriptedServer { _, _ in .raw("HTTP/1.0 200 OK\r\n\r\nold but good") }
    #expect(String(decoding: try await get(server.origin).get().body, as: UTF8.self) == "old but good")
    await server.close()
  }
}

extension Result where Failure == HTTPError, Success == HTTPResponse {
  static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.success(let x), .success(let y)): x == y
    case (.failure(let x), .failure(let y)): x == y
    default: false
    }
  }
}
