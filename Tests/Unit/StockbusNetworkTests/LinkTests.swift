import StockbusPlugin
import StockbusTestKit
import TestServers
import Testing

@testable import StockbusNetwork

@Suite(.timeLimit(.minutes(15))) struct LinkTests {
  let harness = PluginHarness()

  private func states() -> [String] { harness.notices.connections.value.map { "\($0.state): \($0.reason)" } }

  private func link(_ port: Int, _ change: (inout ConnectionSettings) -> Void = { _ in }) throws -> WebSocketLink {
    var settings = ConnectionSettings()
    settings.backoff = .seconds(1)
    settings.maxBackoff = .seconds(4)
    change(&settings)
    return try WebSocketLink(WebSocketURL(isSecure: false, host: "127.0.0.1", port: port), settings, harness.context)
  }

  @Test func `a lost connection is made again, and every change of state is told`() async throws {
    let lives = Watched(0)
    let server = try await WebSocketServer.start(
      clock: harness.clock,
      .script { connection in
        let life = lives.update { lives in
          lives += 1
          return lives
        }
        try? await connection.send("life \(life)")
        if life < 3 { connection.drop() } else { await connection.awaitEnd() }
      })
    let link = try link(server.port)
    let heard = Watched<[String]>([])
    let life = Task {
      try await link.run { connection in
        let batch = try await texts(1, from: connection)
        heard.update { $0 += batch }
        if heard.value.count < 3 { _ = try await connection.receive() }
      }
    }
    for lost in 1...2 {
      await harness.notices.connections.wait { $0.count == 3 * lost }
      await harness.clock.waitForSleepers(1)
      harness.clock.advance(by: .seconds(2))
    }
    try await life.value
    #expect(heard.value == ["life 1", "life 2", "life 3"])
    let url = "ws://127.0.0.1:\(server.port)"
    let cycle = ["connecting: \(url)", "connected: \(url)"]
    let lost = "disconnected: the connection was lost"
    #expect(states() == cycle + [lost] + cycle + [lost] + cycle + ["disconnected: closed normally"])
    #expect(harness.log.texts(.warning).count == 2)
    await server.stop()
  }

  @Test func `pauses grow up to their limit, by the clock`() async throws {
    let refusing = RefusingPort()
    defer { withExtendedLifetime(refusing) {} }
    let port = refusing.number
    let link = try link(port)
    let life = Task { try await link.run { _ in } }
    var pauses: [Duration] = []
    for attempt in 1...5 {
      await harness.notices.connections.wait { $0.count == 2 * attempt }
      await harness.clock.waitForSleepers(1)
      let deadline = try #require(harness.clock.deadlines.first)
      pauses.append(deadline - harness.clock.uptime)
      harness.clock.advance(by: deadline - harness.clock.uptime)
    }
    var expected = Backoff(first: .seconds(1), most: .seconds(4), random: harness.context.random())
    #expect(pauses == (0..<5).map { _ in expected.next() })
    #expect(
      states().allSatisfy { $0 == "connecting: ws://127.0.0.1:\(port)" || $0 == "disconnected: 127.0.0.1:\(port): Connection refused" })
    life.cancel()
    await #expect(throws: CancellationError.self) { try await life.value }
  }

  /// How long the link pauses after each of its first `count` connections or attempts, each of which lasts for `life`.
  private func pauses(_ count: Int, _ server: WebSocketServer?, life: Duration = .zero) async -> [Duration] {
    var pauses: [Duration] = []
    for attempt in 1...count {
      if life > .zero {
        await harness.notices.connections.wait { $0.count == 3 * attempt - 1 }
        harness.clock.advance(by: life)
        for peer in server?.connections ?? [] { peer.drop() }
      }
      await harness.notices.connections.wait { $0.filter { $0.state == .disconnected }.count == attempt }
      // Then only the pause is waited for.
      while !(server?.connections.isEmpty ?? true) { await Task.yield() }
      await harness.clock.waitForSleepers(1)
      let pause = (harness.clock.deadlines.first ?? .zero) - harness.clock.uptime
      pauses.append(pause)
      harness.clock.advance(by: pause)
    }
    return pauses
  }

  private func growing(_ count: Int) -> [Duration] {
    var expected = Backoff(first: .seconds(1), most: .seconds(4), random: harness.context.random())
    return (0..<count).map { _ in expected.next() }
  }

  @Test(arguments: [false, true]) func `pauses grow where the peer says something and closes, whatever it is`(isEvent: Bool) async throws {
    let server = try await WebSocketServer.start(
      clock: harness.clock,
      .script { connection in
        try? await connection.send("welcome")
        connection.drop()
      })
    let link = try link(server.port)
    let life = Task {
      try await link.run { connection in
        while true {
          _ = try await connection.receive()
          if isEvent { connection.noteData() }
        }
      }
    }
    #expect(await pauses(5, server) == growing(5))
    life.cancel()
    await #expect(throws: CancellationError.self) { try await life.value }
    await server.stop()
  }

  @Test(arguments: [(9, true, false), (10, true, true), (59, false, false), (60, false, true)])
  func `a first pause follows a connection that has served`(seconds: Int, hasDelivered: Bool, hasServed: Bool) async throws {
    let server = try await WebSocketServer.start(clock: harness.clock, .script { await $0.awaitEnd() })
    let link = try link(server.port) { $0.ping = .seconds(3600) }
    let life = Task {
      try await link.run { connection in
        if hasDelivered { connection.noteData() }
        _ = try await connection.receive()
      }
    }
    let pauses = await pauses(3, server, life: .seconds(seconds))
    #expect(pauses.allSatisfy { $0 <= .seconds(1) } == hasServed, "\(pauses)")
    if !hasServed { #expect(pauses == growing(3)) }
    life.cancel()
    await #expect(throws: CancellationError.self) { try await life.value }
    await server.stop()
  }

  @Test func `a server that refuses the handshake is left alone as long as it asks for`() async throws {
    let server = try await RawServer(answering: "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 8.5\r\n\r\n")
    let link = try link(server.port)
    let life = Task { try await link.run { _ in } }
    #expect(await pauses(2, nil) == [.milliseconds(8500), .milliseconds(8500)])
    #expect(
      states().filter { $0.hasPrefix("disconnected") }.allSatisfy {
        $0 == "disconnected: the server refused the upgrade with status 429: Too Many Requests; asked to wait 8.5 s"
      })
    link.finish()
    try await life.value
    await server.stop()
  }

  @Test func `the last connection is kept, and a pause or a loss is then the end`() async throws {
    let server = try await WebSocketServer.start(
      clock: harness.clock,
      .script { connection in
        try? await connection.send("one")
        try? await connection.send("two")
        connection.drop()
      })
    let working = try link(server.port)
    let heard = Watched<[String]>([])
    try await working.run { connection in
      working.finishWhenAway()
      while true {
        let batch = try await texts(1, from: connection)
        heard.update { $0 += batch }
      }
    }
    #expect(heard.value == ["one", "two"])
    await server.stop()
    let pausing = try link(server.port)
    let life = Task { try await pausing.run { _ in } }
    await harness.notices.connections.wait { $0.count == 5 }
    pausing.finishWhenAway()
    try await life.value
    #expect(harness.clock.uptime == .zero)
    #expect(harness.notices.connections.value.map(\.state) == [.connecting, .connected, .disconnected, .connecting, .disconnected])
  }

  @Test func `finish ends it while it pauses, while it shakes hands, and while it works`() async throws {
    let raw = try await RawServer(answering: nil)
    let shaking = try link(raw.port)
    let first = Task { try await shaking.run { _ in } }
    await harness.notices.connections.wait { $0.count == 1 }
    shaking.finish()
    try await first.value
    await raw.stop()
    let pausing = try link(raw.port)
    let second = Task { try await pausing.run { _ in } }
    await harness.notices.connections.wait { $0.count == 4 }
    pausing.finish()
    try await second.value
    let server = try await WebSocketServer.start(clock: harness.clock, .echo)
    let working = try link(server.port)
    let third = Task { try await working.run { connection in while true { _ = try await connection.receive() } } }
    await harness.notices.connections.wait { $0.last?.state == .connected }
    working.finish()
    try await third.value
    #expect(states().last == "disconnected: closed normally")
    // A finished link does not start again.
    try await working.run { _ in Issue.record("it began again") }
    await server.stop()
  }

  @Test func `finish does not wait for a peer that answers nothing`() async throws {
    let server = try await WebSocketServer.start(clock: harness.clock, .echo)
    let link = try link(server.port) { $0.closeDeadline = .seconds(2) }
    let life = Task { try await link.run { connection in while true { _ = try await connection.receive() } } }
    await harness.notices.connections.wait { $0.last?.state == .connected }
    for peer in server.connections { peer.stall() }
    link.finish()
    await harness.clock.waitForSleeper(until: .seconds(2))
    harness.clock.advance(by: .seconds(2))
    try await life.value
    #expect(states().last == "disconnected: closed normally")
    for peer in server.connections { peer.drop() }
    await server.stop()
  }

  @Test func `an error of the body's own ends it, and the connection with it`() async throws {
    struct Own: Error {}
    let server = try await WebSocketServer.start(clock: harness.clock, .echo)
    let link = try link(server.port)
    await #expect(throws: Own.self) { try await link.run { _ in throw Own() } }
    await server.stop()
    #expect(server.connections.isEmpty)
  }
}
