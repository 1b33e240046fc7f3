import EchoSocket
import StockbusNetwork
import StockbusTestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct EchoTests {
  @Test func `everything comes back once and in order, through the server inside`() async throws {
    let harness = PluginHarness()
    let sent = trades(3000)
    let back: [Trade] = try await harness.output(of: Plugin.echoSocket, inputs: [sent])
    #expect(back == sent)
    #expect(harness.counter("sent") == 3000)
    #expect(harness.counter("echoed") == 3000)
    #expect(harness.counter("sent again") == 0)
    #expect(harness.counter("connections") == 1)
    #expect(harness.deadLetters == [])
    #expect(harness.notices.connections.value.map(\.state) == [.connecting, .connected, .disconnected])
  }

  @Test(arguments: [1, 7, 1024]) func `a window of any size will do`(size: Int) async throws {
    let sent = trades(500)
    let back: [Trade] = try await PluginHarness().output(of: Plugin.echoSocket, options: "in_flight: \(size)", inputs: [sent])
    #expect(back == sent)
  }

  @Test func `any event type goes, also one that is not about a symbol`() async throws {
    func check<E: Event & Equatable>(_: E.Type) async throws {
      let events = Array(repeating: E.schema.example, count: 3)
      let back: [E] = try await PluginHarness().output(of: Plugin.echoSocket, inputs: [events])
      #expect(back == events)
    }
    try await check(Quote.self)
    try await check(Bar.self)
    try await check(Ranked.self)
    try await check(Alert.self)
    try await check(ConnectionStatus.self)
    try await check(DeadLetter.self)
  }

  @Test func `it keeps the contract`() async {
    let violations = await checkContract(.echoSocket, inputs: [Feed(trades(50))], isDeterministic: false)
    #expect(violations == [])
  }

  @Test func `nothing comes where nothing went`() async throws {
    let back: [Trade] = try await PluginHarness().output(of: Plugin.echoSocket, inputs: [[Trade]()])
    #expect(back == [])
  }

  @Test func `what was sent and not echoed is sent again on the next connection, and comes once`() async throws {
    let lives = Watched(0)
    let stage = try await Stage { connection in
      let life = lives.update { lives in
        lives += 1
        return lives
      }
      if life == 1 {
        // The server replies to four of ten, and to the third of those twice; then it closes.
        let received = try await messages(10, from: connection)
        for index in [0, 1, 2, 2, 3] { connection.queue(received[index]) }
        try await connection.flush()
        connection.drop()
      } else {
        try await echo(connection)
      }
    }
    let sent = trades(10)
    let running = try stage.start()
    try await running.send(sent)
    await stage.harness.notices.connections.wait { $0.last?.state == .disconnected }
    await stage.letPausePass()
    #expect(await running.output(count: 10) == sent)
    try await running.stop()
    #expect(running.output == sent)
    // When a peer cuts the connection, its last replies may be lost; then those events are sent again too.
    #expect(try #require(stage.harness.counter("sent again")) >= 6)
    #expect(try #require(stage.harness.counter("duplicates")) <= 1)
    #expect(stage.harness.counter("connections") == 2)
    await stage.server.stop()
  }

  @Test func `an answer that never comes ends the connection, and the rest is held back for the order`() async throws {
    let lives = Watched(0)
    let stage = try await Stage { connection in
      let life = lives.update { lives in
        lives += 1
        return lives
      }
      if life == 1 {
        for (index, message) in try await messages(5, from: connection).enumerated() where index != 1 { connection.queue(message) }
        try await connection.flush()
      }
      try await echo(connection)
    }
    let sent = trades(5)
    let running = try stage.start("deadline: 10s\nconnection: { ping: 1h }")
    try await running.send(sent)
    #expect(await running.output(count: 1) == [sent[0]])
    await stage.harness.clock.waitForSleeper(until: .seconds(10))
    stage.harness.clock.advance(by: .seconds(10))
    await stage.harness.notices.connections.wait { $0.last?.state == .disconnected }
    #expect(stage.harness.notices.connections.value.last?.reason == "a reply did not come in time")
    await stage.letPausePass()
    // Only the second event is sent again: the replies to the later ones were kept.
    #expect(await running.output(count: 5) == sent)
    try await running.stop()
    #expect(stage.harness.counter("sent again") == 1)
    #expect(stage.harness.counter("duplicates") == 0)
    await stage.server.stop()
  }
}
