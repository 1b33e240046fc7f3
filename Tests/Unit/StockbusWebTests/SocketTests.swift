import NIOCore
import TestSupport
import StockbusNetwork
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import StockbusWeb

/// WebSockets on the same port.
@Suite(.timeLimit(.minutes(15))) struct SocketTests {
  private func routes(_ serve: @escaping WebRoutes.SocketHandler) -> WebRoutes {
    var routes = WebRoutes.simple
    routes.socket("/live", subprotocol: "stockbus.v1", serve: serve)
    return routes
  }

  /// Sends each message back.
  private static let echo: WebRoutes.SocketHandler = { _, socket in
    do {
      while true {
        var frames = WebSocketFrames()
        for message in try await socket.receive() {
          if message.kind == .text { frames.add(text: message.text) } else { frames.add(binary: message.withBytes { Array($0) }) }
        }
        try await socket.send(frames)
      }
    } catch {}
  }

  /// The texts of the next `count` messages.
  private func texts(_ count: Int, _ connection: WebSocketConnection) async throws -> [String] {
    var texts: [String] = []
    while texts.count < count { texts += try await connection.receive().map(\.text) }
    return texts
  }

  private func ending(of connection: WebSocketConnection) async -> WebSocketError? {
    while true {
      do { _ = try await connection.receive() } catch { return error as? WebSocketError }
    }
  }

  @Test func `messages go both ways, and HTTP beside them`() async throws {
    let site = try await Site(routes(Self.echo))
    let client = try site.socket("/live", subprotocol: "stockbus.v1")
    let connection = try await client.open()
    for i in 1...10 { connection.queue(text: "n\(i)") }
    try await connection.flush()
    #expect(try await texts(10, connection) == (1...10).map { "n\($0)" })
    connection.send(binary: [1, 2, 3])
    #expect(try await connection.receive().map { $0.withBytes { Array($0) } } == [[1, 2, 3]])
    #expect(try await site.ask("GET", "/hello").body == "hello")
    #expect(site.server.counts.sockets == 1)
    await connection.close(within: .seconds(1))
    await site.wait { $0.open == 0 }
    await site.server.stop()
  }

  @Test func `frames that come with the request are read`() async throws {
    let site = try await Site(routes(Self.echo))
    let talk = try await site.talk()
    let head = [
      "GET /live HTTP/1.1", "Host: localhost", "Origin: http://localhost", "Upgrade: websocket", "Connection: keep-alive, Upgrade",
      "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: x, stockbus.v1",
    ].joined(separator: "\r\n")
    // "Hi", masked with zeros.
    try await talk.say(Array((head + "\r\n\r\n").utf8) + [0x81, 0x82, 0, 0, 0, 0, 72, 105])
    let heard = await talk.hear("Hi")
    #expect(heard.status == 101 && heard["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    #expect(heard["Sec-WebSocket-Protocol"] == "stockbus.v1" && heard.body.hasSuffix("\u{2}Hi"))
    talk.close()
    await site.server.stop()
  }

  @Test func `who is no page of this server, or does not ask properly, gets no WebSocket`() async throws {
    let site = try await Site(routes(Self.echo))
    let good = [
      "Origin: \(site.origin)", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: stockbus.v1",
    ]
    func ask(without i: Int, _ other: String...) async throws -> Int {
      try await site.ask("GET", "/live", good.enumerated().filter { $0.offset != i }.map(\.element) + other).status
    }
    #expect(try await ask(without: 0) == 403)
    #expect(try await ask(without: 0, "Origin: http://evil.test") == 403)
    #expect(try await ask(without: 0, "Origin: null") == 403)
    #expect(try await ask(without: 0, "Authorization: Bearer t") == 403)
    #expect(try await ask(without: 1) == 426)
    #expect(try await ask(without: 3, "Sec-WebSocket-Version: 8") == 426)
    #expect(try await ask(without: 4) == 400)
    #expect(try await ask(without: 4, "Sec-WebSocket-Key: short") == 400)
    #expect(try await ask(without: 5) == 400)
    #expect(try await ask(without: 5, "Sec-WebSocket-Protocol: stockbus.v2") == 400)
    #expect(try await ask(without: 9, "Host: evil.test") == 400)
    #expect(try await site.ask("GET", "/live", good, host: "evil.test").status == 421)
    await site.server.stop()
    #expect(site.server.counts.refused == [.origin: 4, .handshake: 6, .malformed: 1, .host: 1])
  }

  @Test func `a route may refuse before the handshake`() async throws {
    var routes = WebRoutes()
    routes.socket("/live", accepts: { $0.cookie("s") == "1" ? nil : .error(401, "session", "log in first") }) { _, socket in
      try? await socket.send(WebSocketFrames(text: "in"))
    }
    let site = try await Site(routes)
    await #expect(throws: WebSocketError.refused(status: 401, reason: "Unauthorized")) { _ = try await site.socket("/live").open() }
    await site.server.stop()
  }

  @Test func `a message that is too large, a frame without a mask and messages that come too fast end the socket`() async throws {
    let site = try await Site(routes(Self.echo)) {
      $0.limits.message = 1000
      $0.limits.messagesPerSecond = 50
    }
    let client = try site.socket("/live", subprotocol: "stockbus.v1")
    let large = try await client.open()
    // The server may close before the client has seen that it sent everything.
    try? await large.send(String(repeating: "x", count: 1001))
    #expect(await closing(large) == .messageTooBig)
    let naked = try await client.open()
    naked.sendRaw([0x81, 0x01, 65])
    #expect(await closing(naked) == .protocolError)
    let fast = try await client.open()
    for i in 0..<50 { fast.queue(text: "\(i)") }
    try await fast.flush()
    #expect(try await texts(50, fast).count == 50)
    try? await fast.send("one more")
    #expect(await closing(fast) == .policyViolation)
    let steady = try await client.open()
    for _ in 0..<3 {
      for i in 0..<50 { steady.queue(text: "\(i)") }
      try await steady.flush()
      #expect(try await texts(50, steady).count == 50)
      site.clock.advance(by: .seconds(1))
    }
    await steady.close(within: .seconds(1))
    await site.server.stop()
    #expect(site.server.counts.refused == [.rate: 1])
  }

  /// The code with which the server closes.
  private func closing(_ connection: WebSocketConnection) async -> CloseCode? {
    if case .closed(let code, _)? = await ending(of: connection) { return code }
    return nil
  }

  @Test func `a stop says farewell to every socket, and closes it with 1001`() async throws {
    let site = try await Site(routes(Self.echo))
    let client = try site.socket("/live", subprotocol: "stockbus.v1")
    let connections = [try await client.open(), try await client.open()]
    await site.wait { $0.sockets == 2 }
    for connection in connections {
      try await connection.send("x")
      _ = try await texts(1, connection)
    }
    async let stopped: Void = site.server.stop(farewell: WebSocketFrames(text: #"{"op":"bye","again":3000}"#))
    for connection in connections {
      #expect(try await texts(1, connection) == [#"{"op":"bye","again":3000}"#])
      #expect(await closing(connection) == .goingAway)
    }
    await stopped
  }

  /// A handshake as a page of `localhost` sends it.
  private static let handshake = [
    "GET /live HTTP/1.1", "Host: localhost", "Origin: http://localhost", "Upgrade: websocket", "Connection: Upgrade",
    "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: stockbus.v1", "", "",
  ].joined(separator: "\r\n")

  @Test func `a WebSocket may follow other requests on its connection, as behind a proxy`() async throws {
    let site = try await Site(routes(Self.echo))
    let talk = try await site.talk()
    try await talk.say("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
    _ = await talk.hear("hello")
    try await talk.say(Array(Self.handshake.utf8) + [0x81, 0x82, 0, 0, 0, 0, 72, 105])
    #expect(await talk.hear("Hi").text.hasSuffix("\u{2}Hi"))
    talk.close()
    await site.wait { $0.open == 0 }
    await site.server.stop()
    #expect(site.server.counts.accepted == 1)
  }

  @Test func `a stop waits for the client's close frame`() async throws {
    let ended = Watched(false)
    let site = try await Site(
      routes { request, socket in
        await Self.echo(request, socket)
        ended.update { $0 = true }
      })
    let talk = try await site.talk()
    try await talk.say(Self.handshake)
    _ = await talk.hear("\r\n\r\n")
    await site.wait { $0.sockets == 1 }
    async let stopped: Void = site.server.stop(farewell: WebSocketFrames(text: "bye"))
    await ended.wait { $0 }
    _ = await talk.hear("bye")
    // 1001, masked with zeros.
    try await talk.say([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe9])
    await stopped
    let heard = Array(await talk.hearAll().bytes.suffix(9))
    #expect(heard == [0x81, 3] + Array("bye".utf8) + [0x88, 2, 0x03, 0xe9])
    #expect(site.clock.uptime == .zero && site.server.counts.open == 0)
  }

  /// A server that sends without an end; `sent` counts what was written.
  private func endless(sent: Watched<Int>, ended: Watched<Bool>) async throws -> Site {
    var frames = WebSocketFrames()
    frames.add(binary: [UInt8](repeating: 7, count: 1 << 20))
    return try await Site(
      routes { [frames] _, socket in
        do {
          while true {
            try await socket.send(frames)
            sent.update { $0 += 1 }
          }
        } catch { ended.update { $0 = true } }
      }
    ) {
      // Numbers that no other deadline of the test can meet.
      $0.limits.ping = .seconds(7)
      $0.limits.pongDeadline = .seconds(4)
      $0.limits.closeDeadline = .seconds(3)
    }
  }

  @Test func `a client that does not read stops its own sender only, and is cut when it answers no ping`() async throws {
    let (sent, ended) = (Watched(0), Watched(false))
    let site = try await endless(sent: sent, ended: ended)
    let stalled = try await Stalled(port: site.server.port)
    try await stalled.say(Self.handshake)
    await site.clock.waitForSleeper(until: .seconds(7))
    #expect(try await site.ask("GET", "/hello").body == "hello")
    site.clock.advance(by: .seconds(7))
    await site.clock.waitForSleeper(until: .seconds(11))
    site.clock.advance(by: .seconds(4))
    await ended.wait { $0 }
    #expect(sent.value < 64)
    await site.wait { $0.open == 0 }
    stalled.close()
    await site.server.stop()
  }

  @Test func `a stop cuts a client that does not read`() async throws {
    let (sent, ended) = (Watched(0), Watched(false))
    let site = try await endless(sent: sent, ended: ended)
    let stalled = try await Stalled(port: site.server.port)
    try await stalled.say(Self.handshake)
    await site.clock.waitForSleeper(until: .seconds(7))
    async let stopped: Void = site.server.stop(farewell: WebSocketFrames(text: "bye"))
    await site.clock.waitForSleeper(until: .seconds(3))
    site.clock.advance(by: .seconds(3))
    await stopped
    #expect(ended.value && site.server.counts.open == 0)
    stalled.close()
  }

  /// Keeps what a socket brings.
  private final class Listener: WebSocketReceiver {
    let texts = Watched<[String]>([])
    let ends = Watched(0)

    func take(_ messages: [WebSocketMessage]) { texts.update { $0 += messages.map(\.text) } }
    func ended() { ends.update { $0 += 1 } }
  }

  @Test func `a receiver gets everything in order, and the socket lives on without its handler`() async throws {
    let (listener, passed) = (Listener(), Watched<WebSocket?>(nil))
    let site = try await Site(
      routes { _, socket in
        // Some messages have come before.
        let first = try? await socket.receive()
        listener.texts.update { $0 += first?.map(\.text) ?? [] }
        socket.pass(to: listener)
        passed.update { $0 = socket }
      })
    let connection = try await site.socket("/live", subprotocol: "stockbus.v1").open()
    for i in 1...20 { connection.queue(text: "n\(i)") }
    try await connection.flush()
    await passed.wait { $0 != nil }
    for i in 21...40 { connection.queue(text: "n\(i)") }
    try await connection.flush()
    await listener.texts.wait { $0.count == 40 }
    #expect(listener.texts.value == (1...40).map { "n\($0)" })
    let socket = try #require(passed.value)
    WebSocket.post([(socket, WebSocketFrames(text: "told"))])
    #expect(try await texts(1, connection) == ["told"] && listener.ends.value == 0 && site.server.counts.sockets == 1)
    await connection.close(within: .seconds(1))
    await listener.ends.wait { $0 == 1 }
    await site.wait { $0.open == 0 }
    // Who is passed on after the end is told so.
    let late = Listener()
    socket.pass(to: late)
    await late.ends.wait { $0 == 1 }
    await site.server.stop()
    #expect(listener.ends.value == 1 && late.ends.value == 1)
  }

  @Test func `a socket without a handler is limited, pinged, closed in time, and told of a stop`() async throws {
    let listeners = Watched<[(Listener, WebSocket)]>([])
    let site = try await Site(
      routes { _, socket in
        let listener = Listener()
        socket.pass(to: listener)
        listeners.update { $0.append((listener, socket)) }
      }
    ) {
      // Numbers that no other deadline of the test can meet.
      $0.limits.ping = .seconds(7)
      $0.limits.pongDeadline = .seconds(4)
      $0.limits.closeDeadline = .seconds(3)
      $0.limits.messagesPerSecond = 20
    }
    let client = try site.socket("/live", subprotocol: "stockbus.v1")
    let fast = try await client.open()
    for i in 0...20 { fast.queue(text: "\(i)") }
    try? await fast.flush()
    #expect(await closing(fast) == .policyViolation)
    await listeners.wait { $0.count == 1 }
    await listeners.value[0].0.ends.wait { $0 == 1 }
    await site.wait { $0.open == 0 }
    // No answer to a ping.
    let silent = try await Stalled(port: site.server.port)
    try await silent.say(Self.handshake)
    await listeners.wait { $0.count == 2 }
    await site.clock.waitForSleeper(until: .seconds(7))
    site.clock.advance(by: .seconds(7))
    await site.clock.waitForSleeper(until: .seconds(11))
    site.clock.advance(by: .seconds(4))
    await listeners.value[1].0.ends.wait { $0 == 1 }
    // No answer to a close.
    let deaf = try await Stalled(port: site.server.port)
    try await deaf.say(Self.handshake)
    await listeners.wait { $0.count == 3 }
    listeners.value[2].1.close(.normal)
    await site.clock.waitForSleeper(until: .seconds(14))
    site.clock.advance(by: .seconds(3))
    await listeners.value[2].0.ends.wait { $0 == 1 }
    await site.wait { $0.open == 0 }
    let last = try await client.open()
    await site.wait { $0.sockets == 1 }
    async let stopped: Void = site.server.stop(farewell: WebSocketFrames(text: "bye"))
    #expect(try await texts(1, last) == ["bye"])
    #expect(await closing(last) == .goingAway)
    await stopped
    #expect(listeners.value.allSatisfy { $0.0.ends.value == 1 } && site.server.counts.open == 0)
  }

  @Test func `frames of every kind end in an answer or a close, and the server goes on`() async throws {
    let site = try await Site(routes(Self.echo))
    var random = SplitMix(21)
    for _ in 0..<rounds(60, cost: 50) {
      let talk = try await site.talk()
      var bytes: [UInt8] = []
      for _ in 0...random.upTo(6) {
        let length = random.upTo(random.oneIn(4) ? 300 : 40)
        bytes.append((random.oneIn(5) ? 0 : 0x80) | (random.oneIn(20) ? 0x40 : 0) | UInt8([0, 1, 2, 8, 9, 10, 3][random.upTo(6)]))
        let mask: UInt8 = random.oneIn(10) ? 0 : 0x80
        if length > 125 { bytes += [mask | 126, UInt8(length >> 8), UInt8(length & 255)] } else { bytes.append(mask | UInt8(length)) }
        if mask != 0 { bytes += [0, 0, 0, 0] }
        bytes += (0..<length).map { _ in random.oneIn(30) ? 0xff : 65 }
      }
      try await talk.say(Self.handshake)
      _ = await talk.hear("\r\n\r\n")
      try? await talk.say(bytes)
      try? await talk.hangUp()
      _ = await talk.hearAll()
    }
    await site.wait { $0.open == 0 }
    #expect(try await site.ask("GET", "/hello").status == 200)
    await site.server.stop()
  }
}
