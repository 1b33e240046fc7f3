import StockbusPlugin
import StockbusTestKit
import Synchronization
import TestServers
import Testing

@testable import StockbusNetwork

@Suite(.timeLimit(.minutes(15))) struct ConnectionTests {
  @Test func `messages go there and come back in order, and a planned close is one on both sides`() async throws {
    let seen = Watched<[String]>([])
    let pair = try await Pair(
      .script { connection in
        while let batch = try? await connection.receive() {
          for message in batch { connection.queue(message) }
          try? await connection.flush()
        }
        let end = await ending(of: connection)
        seen.update { $0.append(end.map { "\($0)" } ?? "") }
      })
    let received = try await pair.client().withConnection { connection in
      for n in 0..<500 { connection.queue(text: "message \(n)") }
      try await connection.flush()
      return try await texts(500, from: connection)
    }
    #expect(received == (0..<500).map { "message \($0)" })
    await pair.server.stop()
    #expect(pair.server.accepted == 1)
    #expect(seen.value == ["the peer closed the connection with 1000 (normal)"])
  }

  @Test func `the embedded echo sends text and binary back as they are`() async throws {
    let pair = try await Pair()
    let connection = try await pair.client().open()
    connection.send(binary: [0, 255, 10])
    try await connection.send("ä")
    var messages: [WebSocketMessage] = []
    while messages.count < 2 { messages += try await connection.receive() }
    #expect(messages.map(\.kind) == [.binary, .text])
    #expect(messages[0].withBytes { Array($0) } == [0, 255, 10])
    #expect(messages[1].text == "ä")
    await connection.close(within: .seconds(1))
    #expect(await ending(of: connection) == .finished(.normal))
    await pair.server.stop()
    #expect(pair.server.echoed == 2)
  }

  @Test func `who closes tells code and reason, and what came before is still received`() async throws {
    let pair = try await Pair(
      .script { connection in
        try? await connection.send("last words")
        await connection.close(CloseCode(rawValue: 4001), "see you", within: .seconds(1))
      })
    let connection = try await pair.client().open()
    #expect(try await texts(1, from: connection) == ["last words"])
    #expect(await ending(of: connection) == .closed(CloseCode(rawValue: 4001), reason: "see you"))
    #expect("\(WebSocketError.closed(CloseCode(rawValue: 4001), reason: "see you"))" == "the peer closed the connection with 4001: see you")
    await pair.server.stop()
  }

  @Test(arguments: [true, false])
  func `a connection that is cut is told, with or without a reset`(reset: Bool) async throws {
    let pair = try await Pair(.script { $0.drop(reset: reset) })
    let connection = try await pair.client().open()
    let end = await ending(of: connection)
    guard case .closed(nil, _)? = end else {
      Issue.record("\(String(describing: end))")
      return
    }
    await pair.server.stop()
  }

  @Test func `a server that is not there, a name that is not known`() async throws {
    let refusing = RefusingPort()
    let port = refusing.number
    let clock = ManualTimekeeper()
    let client = try WebSocketClient(WebSocketURL(isSecure: false, host: "127.0.0.1", port: port), ConnectionSettings(), clock: clock)
    await #expect(throws: WebSocketError.unreachable("127.0.0.1:\(port): Connection refused")) { try await client.open() }
    let nowhere = try WebSocketClient(WebSocketURL(option: "ws://no.such.host.invalid:1"), ConnectionSettings(), clock: clock)
    await #expect(throws: WebSocketError.unreachable("no.such.host.invalid:1: the host is unknown")) { try await nowhere.open() }
    withExtendedLifetime(refusing) {}
  }

  @Test(arguments: [
    ("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", "the server refused the upgrade with status 403: Forbidden"),
    (
      "HTTP/1.1 302 Found\r\nLocation: https://elsewhere/\r\n\r\n",
      "the server refused the upgrade with status 302: Found to https://elsewhere/; write that into 'url' if it is right"
    ), ("hello\r\n\r\n", "no WebSocket handshake: the response is not HTTP"),
    ("endless", "no WebSocket handshake: more than 16384 bytes without an end"),
  ])
  func `an answer that is no upgrade is told with its status`(answer: String, words: String) async throws {
    let server = try await RawServer(answering: answer == "endless" ? String(repeating: "x", count: 20_000) : answer)
    let client = try WebSocketClient(
      WebSocketURL(isSecure: false, host: "127.0.0.1", port: server.port), ConnectionSettings(), clock: ManualTimekeeper())
    await #expect {
      _ = try await client.open()
    } throws: { "\($0)" == words }
    await server.stop()
  }

  @Test func `a server that never answers the handshake is given up in time`() async throws {
    let server = try await RawServer(answering: nil)
    let clock = ManualTimekeeper()
    var settings = ConnectionSettings()
    settings.connectDeadline = .seconds(3)
    settings.handshakeDeadline = .seconds(4)
    let client = try WebSocketClient(WebSocketURL(isSecure: false, host: "127.0.0.1", port: server.port), settings, clock: clock)
    let opening = Task { try await client.open() }
    await clock.waitForSleeper(until: .seconds(4))
    clock.advance(by: .seconds(4))
    await #expect(throws: WebSocketError.timedOut(.handshake)) { _ = try await opening.value }
    await server.stop()
  }

  @Test func `pings are sent, and a peer that does not answer is given up`() async throws {
    let pair = try await Pair()
    let clock = pair.clock
    let client = try pair.client {
      $0.ping = .seconds(10)
      $0.pongDeadline = .seconds(3)
    }
    let made = Watched<WebSocketConnection?>(nil)
    let life = Task {
      try await client.withConnection { connection in
        made.update { $0 = connection }
        _ = try await connection.receive()
      }
    }
    await made.wait { $0 != nil }
    let connection = try #require(made.value)
    await clock.waitForSleeper(until: .seconds(10))
    let before = connection.state.withLock { $0.reads }
    clock.advance(by: .seconds(10))
    await clock.waitForSleeper(until: .seconds(13))
    // There is no notification of a pong, so this polls.
    while connection.state.withLock({ $0.reads }) == before { await Task.yield() }
    clock.advance(by: .seconds(3))
    await clock.waitForSleeper(until: .seconds(20))
    #expect(connection.isOpen)
    for peer in pair.server.connections { peer.stall() }
    clock.advance(by: .seconds(7))
    await clock.waitForSleeper(until: .seconds(23))
    clock.advance(by: .seconds(3))
    await #expect(throws: WebSocketError.timedOut(.pong)) { try await life.value }
    #expect("\(WebSocketError.timedOut(.pong))" == "no reply to a ping in time")
    for peer in pair.server.connections { peer.drop() }
    await pair.server.stop()
  }

  @Test func `pings of the other side are answered, the last of many`() async throws {
    let pair = try await Pair()
    let connection = try await pair.client().open()
    Array("are you there".utf8).withUnsafeBytes { connection.queue(.ping, $0) }
    connection.flushWithoutWaiting()
    // Two reads: that of the handshake, which may end after the opening, and that of the answer; opening counts too.
    while connection.state.withLock({ $0.reads }) < 3 { await Task.yield() }
    #expect(connection.isOpen)
    await connection.close(within: .seconds(1))
    await pair.server.stop()
  }

  @Test func `silence is a fault only where it is said, and reading on is none`() async throws {
    let pair = try await Pair()
    let clock = pair.clock
    let client = try pair.client {
      $0.ping = .seconds(3600)
      $0.idleDeadline = .seconds(5)
    }
    let made = Watched<WebSocketConnection?>(nil)
    let life = Task {
      try await client.withConnection { connection in
        made.update { $0 = connection }
        while true { _ = try await connection.receive() }
      }
    }
    await made.wait { $0 != nil }
    let connection = try #require(made.value)
    await clock.waitForSleeper(until: .seconds(5))
    clock.advance(by: .seconds(4))
    let before = connection.state.withLock { $0.reads }
    try await connection.send("news")
    while connection.state.withLock({ $0.reads }) == before { await Task.yield() }
    clock.advance(by: .seconds(1))
    await clock.waitForSleeper(until: .seconds(9))
    #expect(connection.isOpen)
    clock.advance(by: .seconds(4))
    await #expect(throws: WebSocketError.idle(.seconds(5), option: "idle_deadline")) { try await life.value }
    await pair.server.stop()
  }

  @Test func `a frame of 64 MiB closes with 1009 and is not kept, sent whole, in fragments or only announced`() async throws {
    let block = [UInt8](repeating: 65, count: 1 << 20)
    for form in ["whole", "fragments", "announced"] {
      let told = Watched<WebSocketError?>(nil)
      let pair = try await Pair(
        .script { connection in
          switch form {
          case "announced": connection.sendRaw([0x82, 0x7f, 0, 0, 0, 0, 4, 0, 0, 0])
          case "whole":
            connection.sendRaw([0x82, 0x7f, 0, 0, 0, 0, 4, 0, 0, 0])
            for _ in 0..<64 where connection.isOpen {
              connection.sendRaw(block)
              try? await connection.flush()
            }
          default:
            for n in 0..<64 where connection.isOpen {
              connection.sendRaw([n == 0 ? 0x02 : 0, 0x7f, 0, 0, 0, 0, 0, 0x10, 0, 0] + block)
              try? await connection.flush()
            }
          }
          let end = await ending(of: connection)
          told.update { $0 = end }
        })
      let connection = try await pair.client().open()
      guard case .tooLarge(_, 1 << 20, _)? = await ending(of: connection) else {
        Issue.record("\(form): \(String(describing: connection.state.withLock { $0.ending }))")
        continue
      }
      await connection.finish(within: .seconds(1))
      await told.wait { $0 != nil }
      guard case .closed(.messageTooBig, _)? = told.value else {
        Issue.record("\(form): the other side was told \(String(describing: told.value))")
        continue
      }
      await pair.server.stop()
    }
  }

  @Test func `text that is no UTF-8 is told with its beginning, and closes with 1007`() async throws {
    let told = Watched<WebSocketError?>(nil)
    let pair = try await Pair(
      .script { connection in
        connection.sendRaw([0x81, 0x04, 0x68, 0x69, 0xc3, 0x28])
        let end = await ending(of: connection)
        told.update { $0 = end }
      })
    let connection = try await pair.client().open()
    #expect(await ending(of: connection) == .invalidText(beginning: "hi\u{fffd}("))
    await told.wait { $0 != nil }
    guard case .closed(.invalidPayload, _)? = told.value else {
      Issue.record("\(String(describing: told.value))")
      return
    }
    await pair.server.stop()
  }

  @Test func `who sends more than is taken has to wait, and goes on when it is`() async throws {
    let gate = Watched(false)
    let taken = Watched(0)
    let pair = try await Pair(
      .script { connection in
        await gate.wait { $0 }
        while let batch = try? await connection.receive() { taken.update { $0 += batch.count } }
      })
    let connection = try await pair.client().open()
    let text = String(repeating: "x", count: 1 << 16)
    let sent = Watched(0)
    let sending = Task {
      for _ in 0..<400 {
        try await connection.send(text)
        sent.update { $0 += 1 }
      }
    }
    // 400 messages are 25 MiB: one mebibyte waits in the receiver, a few more in the system's buffers.
    let peer = Watched<WebSocketConnection?>(nil)
    while peer.value == nil {
      peer.update { $0 = pair.server.connections.first }
      await Task.yield()
    }
    let other = try #require(peer.value)
    while !other.state.withLock({ $0.isPaused }) { await Task.yield() }
    #expect(sent.value < 400)
    #expect(other.state.withLock { $0.inboxBytes } <= 2 << 20)
    gate.update { $0 = true }
    try await sending.value
    await taken.wait { $0 == 400 }
    await connection.close(within: .seconds(1))
    await pair.server.stop()
  }

  @Test func `a connection that nobody reads is not taken for a dead one`() async throws {
    let pair = try await Pair(
      .script { connection in
        let text = String(repeating: "x", count: 1 << 16)
        for _ in 0..<200 { try? await connection.send(text) }
        await connection.awaitEnd()
      })
    let clock = pair.clock
    let client = try pair.client {
      $0.ping = .seconds(10)
      $0.pongDeadline = .seconds(3)
      $0.idleDeadline = .seconds(20)
    }
    let gate = Watched(false)
    let made = Watched<WebSocketConnection?>(nil)
    let life = Task {
      try await client.withConnection { connection in
        made.update { $0 = connection }
        await gate.wait { $0 }
        return try await texts(200, from: connection).count
      }
    }
    await made.wait { $0 != nil }
    let connection = try #require(made.value)
    while !connection.state.withLock({ $0.isPaused }) { await Task.yield() }
    // A minute passes in which no pong can come.
    for _ in 0..<6 {
      clock.advance(by: .seconds(10))
      await clock.waitForSleepers(1)
      for _ in 0..<20 { await Task.yield() }
    }
    #expect(connection.isOpen)
    gate.update { $0 = true }
    #expect(try await life.value == 200)
    await pair.server.stop()
  }

  @Test func `the other side gets time for its closing handshake, and no more`() async throws {
    let pair = try await Pair()
    let connection = try await pair.client().open()
    for peer in pair.server.connections { peer.stall() }
    async let closed: Void = connection.close(within: .seconds(2))
    await pair.clock.waitForSleeper(until: .seconds(2))
    pair.clock.advance(by: .seconds(2))
    await closed
    #expect(await ending(of: connection) == .finished(.normal))
    for peer in pair.server.connections { peer.drop() }
    await pair.server.stop()
  }

  @Test func `a cancelled task closes all the same`() async throws {
    let told = Watched<WebSocketError?>(nil)
    let pair = try await Pair(
      .script { connection in
        let end = await ending(of: connection)
        told.update { $0 = end }
      })
    let client = try pair.client()
    let made = Watched(false)
    let life = Task {
      try await client.withConnection { connection in
        made.update { $0 = true }
        _ = try await connection.receive()
      }
    }
    await made.wait { $0 }
    life.cancel()
    await #expect(throws: CancellationError.self) { try await life.value }
    await told.wait { $0 != nil }
    #expect(told.value == .closed(.goingAway, reason: ""))
    await pair.server.stop()
  }

  @Test func `a server takes only so many, and says when it cannot listen`() async throws {
    let pair = try await Pair { $0.connections = 1 }
    let first = try await pair.client().open()
    await #expect(throws: WebSocketError.self) { _ = try await pair.client().open() }
    #expect(pair.server.accepted == 1)
    #expect(pair.server.refused == 1)
    var settings = WebSocketServer.Settings()
    settings.port = pair.server.port
    await #expect {
      _ = try await WebSocketServer.start(settings, clock: pair.clock, .echo)
    } throws: { "\($0)" == "127.0.0.1:\(pair.server.port): cannot listen there: Address already in use" }
    await first.close(within: .seconds(1))
    await pair.server.stop()
  }
}
