import NIOCore
import NIOPosix
import StockbusNetwork
import StockbusPlugin
import StockbusTLS
import StockbusTestKit
import TestServers
import Testing

@testable import StockbusWeb

/// Requests over real sockets: answers, limits, deadlines, the end.
@Suite(.timeLimit(.minutes(15))) struct ServingTests {
  @Test func `a route answers, with the fields that every response has`() async throws {
    let site = try await Site(.simple)
    let heard = try await site.ask("GET", "/hello")
    #expect(heard.status == 200 && heard.body == "hello")
    #expect(heard["Content-Length"] == "5" && heard["Connection"] == "close")
    #expect(heard["Content-Security-Policy"]?.contains("default-src 'none'; script-src 'self'") == true)
    #expect(heard["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
    #expect(heard["X-Content-Type-Options"] == "nosniff" && heard["Referrer-Policy"] == "no-referrer")
    #expect(heard["Cross-Origin-Opener-Policy"] == "same-origin" && heard["Cross-Origin-Resource-Policy"] == "same-origin")
    #expect(heard["Cache-Control"] == "no-store" && heard["Strict-Transport-Security"] == nil)
    let head = try await site.ask("HEAD", "/hello")
    #expect(head.status == 200 && head.body == "" && head["Content-Length"] == "5")
    #expect(try await site.ask("GET", "/items/BTC%2FUSD").body == "BTC/USD")
    #expect(try await site.ask("GET", "/nothing").status == 404)
    let wrong = try await site.ask("DELETE", "/hello")
    #expect(wrong.status == 405 && wrong["Allow"] == "GET, HEAD")
    await site.server.stop()
    #expect(site.server.counts.refused == [.route: 2] && site.server.counts.requests == 5)
  }

  @Test func `requests of one connection are answered in order, also if they come at once`() async throws {
    let site = try await Site(.simple)
    let talk = try await site.talk()
    let request: (String) -> String = { "GET /items/\($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }
    try await talk.say((1...20).map { request("n\($0).") }.joined())
    let heard = await talk.hear("n20.")
    let found = heard.text.matches(of: /n[0-9]+\./).map { String($0.0) }
    #expect(found == (1...20).map { "n\($0)." })
    try await talk.say("GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    #expect(await talk.hearAll().text.hasSuffix("hello"))
    await site.server.stop()
    #expect(site.server.counts.accepted == 1)
  }

  @Test func `a client that has closed its side still gets its response`() async throws {
    let site = try await Site(.simple)
    let talk = try await site.talk()
    try await talk.say("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
    try await talk.hangUp()
    #expect(await talk.hearAll().body == "hello")
    let half = try await site.talk()
    try await half.say("GET /hello HT")
    try await half.hangUp()
    #expect(await half.hearAll().text == "")
    await site.server.stop()
  }

  @Test func `a body over the limit of its route is refused before it comes, and 100 is sent to who waits for it`() async throws {
    var routes = WebRoutes.simple
    routes.add(.post, "/small", bodyLimit: 10) { _ in .done }
    let site = try await Site(routes)
    let own = "Origin: \(site.origin)\r\nContent-Type: application/json"
    let talk = try await site.talk()
    try await talk.say(
      "POST /small HTTP/1.1\r\nHost: 127.0.0.1:\(site.server.port)\r\n\(own)\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n")
    let refused = await talk.hearAll()
    #expect(refused.status == 413 && refused.body.contains("a body of more than 10 bytes"))
    let patient = try await site.talk()
    try await patient.say(
      "POST /echo HTTP/1.1\r\nHost: 127.0.0.1:\(site.server.port)\r\n\(own)\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    _ = await patient.hear("100 Continue")
    try await patient.say("{}")
    #expect(await patient.hear("{}").text.contains("200 OK"))
    patient.close()
    await site.server.stop()
    #expect(site.server.counts.refused == [.body: 1])
  }

  @Test func `a refused client reads its response although it goes on sending`() async throws {
    let site = try await Site(.simple)
    let talk = try await site.talk()
    try await talk.say("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999\r\n\r\n")
    try await talk.say(String(repeating: "x", count: 200_000))
    #expect(await talk.hearAll().status == 413)
    await site.server.stop()
  }

  @Test func `a slow head, a slow body and a silent connection end at their deadlines`() async throws {
    let site = try await Site(.simple) {
      $0.limits.headDeadline = .seconds(10)
      $0.limits.bodyDeadline = .seconds(30)
      $0.limits.idleDeadline = .seconds(60)
      $0.limits.responseDeadline = .seconds(45)
    }
    let silent = try await site.talk()
    await site.clock.waitForSleeper(until: .seconds(10))
    site.clock.advance(by: .seconds(10))
    #expect(await silent.hearAll().text == "")
    let slow = try await site.talk()
    try await slow.say("GET / HTTP")
    await site.wait { $0.receiving == 1 }
    await site.clock.waitForSleeper(until: .seconds(20))
    // More bytes do not give it more time.
    try await slow.say("/1.1\r\n")
    site.clock.advance(by: .seconds(10))
    #expect(await slow.hearAll().status == 408)
    let body = try await site.talk()
    try await body.say("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab")
    await site.clock.waitForSleeper(until: .seconds(50))
    site.clock.advance(by: .seconds(30))
    #expect(await body.hearAll().status == 408)
    let idle = try await site.talk()
    try await idle.say("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
    _ = await idle.hear("hello")
    await site.clock.waitForSleeper(until: .seconds(110))
    site.clock.advance(by: .seconds(60))
    #expect(await idle.hearAll().body == "hello")
    await site.server.stop()
    #expect(site.server.counts.refused == [.slow: 3])
  }

  @Test func `a client that does not read is cut at its deadline, and costs the others nothing`() async throws {
    var routes = WebRoutes.simple
    let large = [UInt8](repeating: 120, count: 64 << 20)
    routes.add(.get, "/large") { _ in WebResponse(200, body: large) }
    let site = try await Site(routes) { $0.limits.responseDeadline = .seconds(7) }
    let stalled = try await Stalled(port: site.server.port)
    try await stalled.say("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await site.clock.waitForSleeper(until: .seconds(7))
    #expect(try await site.ask("GET", "/hello").body == "hello")
    await site.wait { $0.open == 1 }
    site.clock.advance(by: .seconds(7))
    await site.wait { $0.open == 0 }
    stalled.close()
    await site.server.stop()
    #expect(site.server.counts.refused == [.unread: 1])
  }

  @Test func `more connections than the limits are closed at once, and counted`() async throws {
    for isPerAddress in [false, true] {
      let site = try await Site(.simple) {
        if isPerAddress { $0.limits.connectionsPerAddress = 2 } else { $0.limits.connections = 2 }
      }
      let (first, second) = (try await site.talk(), try await site.talk())
      await site.wait { $0.open == 2 }
      #expect(await (try await site.talk()).hearAll().text == "")
      #expect(site.server.counts.refused == [isPerAddress ? .address : .connections: 1])
      first.close()
      await site.wait { $0.open == 1 }
      #expect(try await site.ask("GET", "/hello").status == 200)
      second.close()
      await site.server.stop()
    }
  }

  @Test func `a body is sent bit by bit, and ends with its client, or with the server`() async throws {
    let bits = Watched(0)
    let ended = Watched(0)
    var routes = WebRoutes()
    routes.add(.get, "/bits", guards: []) { _ in
      var response = WebResponse(200, type: "text/plain")
      response.stream = { stream in
        for number in 1... {
          await bits.wait { $0 >= number }
          if Task.isCancelled { break }
          if await !stream.write(Array("bit \(number)\n".utf8)) || number == 3 { break }
        }
        ended.update { $0 += 1 }
      }
      return response
    }
    let site = try await Site(routes)
    let request = "GET /bits HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    let whole = try await site.talk()
    try await whole.say(request)
    let head = await whole.hear("\r\n\r\n")
    #expect(head.status == 200 && head["transfer-encoding"] == "chunked" && head["content-length"] == nil)
    #expect(head["connection"] == "close")
    bits.update { $0 = 1 }
    #expect(await whole.hear("bit 1").text.contains("bit 2") == false)
    bits.update { $0 = 3 }
    #expect(await whole.hearAll().body == "6\r\nbit 1\n\r\n6\r\nbit 2\n\r\n6\r\nbit 3\n\r\n0\r\n\r\n")
    await ended.wait { $0 == 1 }

    // A client that closes its side waits for no more.
    bits.update { $0 = 0 }
    let leaving = try await site.talk()
    try await leaving.say(request)
    _ = await leaving.hear("\r\n\r\n")
    try await leaving.hangUp()
    await ended.wait { $0 == 2 }

    let staying = try await site.talk()
    try await staying.say(request)
    _ = await staying.hear("\r\n\r\n")
    let short = try await site.ask("HEAD", "/bits")
    #expect(short.status == 200 && short.body.isEmpty)
    async let stopped: Void = site.server.stop()
    await ended.wait { $0 == 3 }
    #expect(await staying.hearAll().body.hasSuffix("0\r\n\r\n"))
    await stopped
  }

  @Test func `a stop finishes what is being answered, and closes what is idle`() async throws {
    let (begun, mayEnd) = (Watched(false), Watched(false))
    var routes = WebRoutes.simple
    routes.add(.get, "/long") { _ in
      begun.update { $0 = true }
      await mayEnd.wait { $0 }
      return .text("done")
    }
    let site = try await Site(routes)
    let idle = try await site.talk()
    try await idle.say("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
    _ = await idle.hear("hello")
    let busy = try await site.talk()
    try await busy.say("GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await begun.wait { $0 }
    async let stopped: Void = site.server.stop()
    #expect(await idle.hearAll().body == "hello")
    mayEnd.update { $0 = true }
    let heard = await busy.hearAll()
    #expect(heard.body == "done" && heard["Connection"] == "close")
    await stopped
    #expect(site.server.counts.open == 0)
  }

  @Test func `what does not end in time is cut when the server stops`() async throws {
    let begun = Watched(false)
    var routes = WebRoutes()
    routes.add(.get, "/never") { _ in
      begun.update { $0 = true }
      // Ends only when the task is cancelled.
      await Watched(false).wait { $0 }
      return .done
    }
    let site = try await Site(routes)
    let talk = try await site.talk()
    try await talk.say("GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await begun.wait { $0 }
    async let stopped: Void = site.server.stop(within: .seconds(5))
    await site.clock.waitForSleeper(until: .seconds(5))
    site.clock.advance(by: .seconds(5))
    #expect(await talk.hearAll().text == "")
    await stopped
  }

  @Test func `a stop ends connections of which no request has come, and those of which a part has`() async throws {
    let site = try await Site(.simple)
    let (silent, half) = (try await site.talk(), try await site.talk())
    try await half.say("GET /hello HT")
    await site.wait { $0.open == 2 && $0.receiving == 1 }
    await site.server.stop()
    for talk in [silent, half] { #expect(await talk.hearAll().text == "") }
    #expect(site.server.counts.open == 0)
    await site.server.stop()
  }

  /// A certificate for `localhost`, in files of the folder.
  private func identity(in folder: TemporaryFolder) -> TLSIdentity {
    let authority = TestAuthority("Private")
    folder.put(authority.certificate, in: "ca.pem")
    let issued = authority.issue(["localhost"], addresses: [[127, 0, 0, 1]])
    folder.put(issued.chain, in: "cert.pem")
    folder.put(issued.key, in: "key.pem")
    return TLSIdentity(certificateFile: folder.file("cert.pem"), keyFile: folder.file("key.pem"))
  }

  @Test func `TLS by certificate and key; without TLS nothing is answered there`() async throws {
    let folder = TemporaryFolder()
    let identity = identity(in: folder)
    var routes = WebRoutes.simple
    routes.socket("/live") { _, socket in
      try? await socket.send(WebSocketFrames(text: "over TLS"))
      _ = try? await socket.receive()
    }
    let site = try await Site(routes) { $0.identity = identity }
    let plain = try await site.talk()
    try await plain.say("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(!(await plain.hearAll().text.contains("hello")))
    let response = try await secure(site, ca: folder.file("ca.pem"))
    #expect(response == "over TLS")
    await site.wait { $0.open == 0 }
    await site.server.stop()
    #expect(site.server.counts.refused == [.malformed: 1])
  }

  /// What a WebSocket over TLS brings.
  private func secure(_ site: Site, ca: String) async throws -> String? {
    var settings = ConnectionSettings()
    settings.headers = ["Origin": Secret("https://localhost:\(site.server.port)")]
    settings.tls.ca = ca
    let client = try WebSocketClient(
      WebSocketURL(option: "wss://localhost:\(site.server.port)/live"), settings, clock: site.clock)
    return try await client.watching(try await client.open()) { try await $0.receive().first?.text }
  }

  @Test func `a stop does not wait for a handshake of TLS`() async throws {
    let folder = TemporaryFolder()
    let identity = identity(in: folder)
    let site = try await Site(.simple) { $0.identity = identity }
    let silent = try await site.talk()
    await site.wait { $0.open == 1 }
    await site.server.stop()
    #expect(await silent.hearAll().text == "")
  }

  @Test func `a client that does not answer the farewell of TLS is cut`() async throws {
    let folder = TemporaryFolder()
    let identity = identity(in: folder)
    let site = try await Site(.simple) {
      $0.identity = identity
      $0.limits.closeDeadline = .seconds(3)
    }
    let roots = try #require(TLSCertificates(file: folder.file("ca.pem")))
    let tls = try TLSContext(clientTrusting: roots, trustsSystem: false, protocols: [])
    let port = site.server.port
    let stalled = try await Talk(tls: tls) { try await $0.connect(host: "127.0.0.1", port: port).get() }
    try await stalled.say("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
    _ = await stalled.hear("hello")
    try await stalled.stall()
    async let stopped: Void = site.server.stop()
    await site.clock.waitForSleeper(until: .seconds(3))
    site.clock.advance(by: .seconds(3))
    await stopped
    #expect(site.server.counts.open == 0)
    stalled.close()
  }

  @Test func `a Unix socket is only its owner's, and is removed at the end`() async throws {
    let folder = TemporaryFolder()
    let path = folder.file("s")
    let site = try await Site(.simple) { $0.address = .socket(path) }
    let talk = try await Talk { try await $0.connect(unixDomainSocketPath: path).get() }
    try await talk.say("GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    #expect(await talk.hearAll().body == "hello")
    #expect(rights(of: path) == 0o600)
    await #expect(throws: EnvironmentFailure.self) { _ = try await Site(.simple) { $0.address = .socket(path) } }
    await site.server.stop()
    #expect(rights(of: path) == nil)
    folder.put("x", in: "s")
    await #expect(throws: EnvironmentFailure.self) { _ = try await Site(.simple) { $0.address = .socket(path) } }
  }
}
