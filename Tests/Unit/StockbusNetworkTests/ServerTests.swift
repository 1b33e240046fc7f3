import NIOCore
import StockbusPlugin
import StockbusTestKit
import Synchronization
import Testing

@testable import StockbusNetwork

/// How many connections a server accepts, and how long it keeps them.
@Suite(.timeLimit(.minutes(15))) struct ServerTests {
  @Test func `connections that are silent though they answer pings give their places to others`() async throws {
    let pair = try await Pair {
      $0.connections = 2
      $0.ping = .seconds(30)
      $0.pongDeadline = .seconds(3600)
      $0.idleDeadline = .seconds(60)
    }
    let silent = try await pair.client().open()
    let busy = try await pair.client().open()
    // A third connection is refused.
    await #expect(throws: WebSocketError.self) { _ = try await pair.client().open() }
    await pair.clock.waitForSleepers(2)
    let reads = busy.reads
    pair.clock.advance(by: .seconds(30))
    await busy.awaitPing(after: reads)
    try await busy.send("here")
    #expect(try await texts(1, from: busy) == ["here"])
    pair.clock.advance(by: .seconds(30))
    #expect(await ending(of: silent) == .closed(.goingAway, reason: "no message came for 1m"))
    #expect(busy.isOpen)
    while pair.server.connections.count > 1 { await Task.yield() }
    let third = try await pair.client().open()
    try await third.send("me too")
    #expect(try await texts(1, from: third) == ["me too"])
    for connection in [busy, third] { await connection.close(within: .seconds(1)) }
    await pair.server.stop()
  }

  @Test func `connections that do not answer a ping are closed`() async throws {
    let pair = try await Pair {
      $0.ping = .seconds(30)
      $0.pongDeadline = .seconds(10)
      $0.idleDeadline = nil
    }
    let dead = try await pair.client().open()
    dead.stall()
    await pair.clock.waitForSleeper(until: .seconds(30))
    pair.clock.advance(by: .seconds(30))
    await pair.clock.waitForSleeper(until: .seconds(40))
    pair.clock.advance(by: .seconds(10))
    while !pair.server.connections.isEmpty { await Task.yield() }
    dead.drop()
    await pair.server.stop()
  }

  @Test func `connections that never finish the handshake are closed`() async throws {
    let pair = try await Pair {
      $0.connections = 1
      $0.handshakeDeadline = .seconds(10)
    }
    let half = try await RawClient(port: pair.server.port, saying: "GET / HTTP/1.1\r\nHost: a\r\n")
    await pair.clock.waitForSleeper(until: .seconds(10))
    #expect(pair.server.connections.count == 1)
    pair.clock.advance(by: .seconds(10))
    await half.awaitEnd()
    while !pair.server.connections.isEmpty { await Task.yield() }
    let next = try await pair.client().open()
    await next.close(within: .seconds(1))
    await pair.server.stop()
  }

  @Test func `a script is left alone, or watched over where that is wanted`() async throws {
    for isWatched in [false, true] {
      let pair = try await Pair(.script { connection in await connection.awaitEnd() }) {
        $0.watchesScripts = isWatched
        $0.ping = .seconds(30)
        $0.pongDeadline = .seconds(3600)
        $0.idleDeadline = .seconds(60)
      }
      let connection = try await pair.client().open()
      while !(pair.server.connections.first?.isOpen ?? false) { await Task.yield() }
      if isWatched {
        // The clock advances no further than necessary: sockets do not follow it, and would be too late for the deadline of closing.
        await pair.clock.waitForSleeper(until: .seconds(30))
        pair.clock.advance(by: .seconds(30))
        await pair.clock.waitForSleeper(until: .seconds(60))
        pair.clock.advance(by: .seconds(30))
        #expect(await ending(of: connection) == .closed(.goingAway, reason: "no message came for 1m"))
      } else {
        #expect(pair.clock.deadlines.isEmpty)
        await connection.close(within: .seconds(1))
      }
      await pair.server.stop()
    }
  }

  @Test func `a head that comes byte by byte is read as one that comes whole`() async throws {
    let pair = try await Pair()
    let text = """
      GET / HTTP/1.1\r
      Upgrade: websocket\r
      Connection: Upgrade\r
      Sec-WebSocket-Version: 13\r
      Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
      X-Long: \(String(repeating: "x", count: 300))\r
      \r

      """
    let client = try await RawClient(port: pair.server.port, saying: text, byteByByte: true)
    #expect(await client.firstLine() == "HTTP/1.1 101 Switching Protocols")
    client.close()
    await pair.server.stop()
  }
}

extension WebSocketConnection {
  fileprivate var reads: Int { state.withLock { $0.reads } }

  /// Waits until more bytes have come, such as a ping.
  fileprivate func awaitPing(after reads: Int) async { while self.reads == reads { await Task.yield() } }
}
