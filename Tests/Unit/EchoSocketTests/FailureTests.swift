import EchoSocket
import StockbusNetwork
import StockbusPlugin
import StockbusRuntime
import StockbusTestKit
import TestServers
import Testing

/// A text event that may be long.
struct Note: Event, Equatable {
  var text: String
  var time: Timestamp

  static let schema = EventSchema<Note>(
    "note", "A text.", time: \.time, example: Note(text: "hello", time: Timestamp(ns: 0)),
    fields: [.init("text", \.text, "The text."), .init("time", \.time, "When it was written.")])
}

@Suite(.timeLimit(.minutes(15))) struct FailureTests {
  private func reasons(_ harness: PluginHarness) -> [String] { harness.deadLetters.map(\.reason) }

  @Test func `what is no answer becomes a dead letter with the reason`() async throws {
    let stage = try await Stage { connection in
      let received = try await messages(2, from: connection)
      connection.queue(text: "hello")
      connection.queue(text: #"{"seq":77,"event":\#(Trade.schema.json(.schema.example))}"#)
      connection.queue(text: #"{"seq":1,"event":{"symbol":"AAPL"}}"#)
      connection.queue(text: received[0].text)
      connection.send(binary: [1, 2, 3])
      connection.queue(text: received[1].text)
      try await connection.flush()
      try await echo(connection)
    }
    let sent = trades(2)
    let running = try stage.start()
    try await running.send(sent)
    #expect(await running.output(count: 1) == [sent[1]])
    try await running.stop()
    #expect(
      reasons(stage.harness) == [
        "not a reply: unexpected text at byte 1", "no event with the number 77 was sent",
        "the reply to 1 is not the event that was sent: 'event.symbol' differs", "a binary message of 3 bytes",
      ])
    #expect(stage.harness.deadLetters.allSatisfy { $0.origin == stage.url })
    #expect(stage.harness.deadLetters[0].payload == "hello")
    // The valid reply to the first event came after the unusable one.
    #expect(stage.harness.counter("duplicates") == 1)
    #expect(running.output == [sent[1]])
    await stage.server.stop()
  }

  @Test func `what comes back is what went out, or a dead letter`() async throws {
    let stage = try await Stage { connection in
      for message in try await messages(4, from: connection).prefix(4) {
        let text = message.text
        if text.contains(#""seq":1,"#) {
          connection.queue(text: text.replacing(#""size":1,"#, with: #""size":1.000,"#))
        } else if text.contains(#""seq":2,"#) {
          connection.queue(text: text.replacing("SYM1", with: "EVIL"))
        } else if text.contains(#""seq":3,"#) {
          connection.queue(text: text.replacing("189.25", with: "0.01"))
        } else {
          connection.queue(message)
        }
      }
      try await connection.flush()
      try await echo(connection)
    }
    let sent = trades(4)
    let running = try stage.start()
    try await running.send(sent)
    #expect(await running.output(count: 2) == [sent[0], sent[3]])
    try await running.stop()
    #expect(
      reasons(stage.harness) == [
        "the reply to 2 is not the event that was sent: 'event.symbol' differs",
        "the reply to 3 is not the event that was sent: 'event.price' differs",
      ])
    await stage.server.stop()
  }

  @Test func `a server that goes on and on without being asked is given up, and later each time`() async throws {
    let stage = try await Stage { connection in
      _ = try await messages(1, from: connection)
      for n in 0..<3000 { connection.queue(text: #"{"seq":1,"event":{"symbol":"FLOOD\#(n)"}}"#.replacing(":1,", with: ":\(n + 1000),")) }
      try await connection.flush()
      await connection.awaitEnd()
    }
    let running = try stage.start("connection: { ping: 10h }\ndeadline: 10h\nattempts: 1")
    try await running.send(trades(3))
    var pauses: [Duration] = []
    for round in 1...3 {
      await stage.harness.notices.connections.wait { $0.count >= 3 * round }
      // At most one message more than the limit is handled, however many have come.
      #expect(stage.harness.deadLetters.count == 1001 * round)
      // Nothing else is due so soon.
      let clock = stage.harness.clock
      while !(clock.deadlines.first.map { $0 - clock.uptime <= .seconds(1) } ?? false) { await Task.yield() }
      pauses.append((clock.deadlines.first ?? .zero) - clock.uptime)
      clock.advanceToNextDeadline()
      await stage.harness.notices.connections.wait { $0.count >= 3 * round + 1 }
    }
    let reason = "the peer sent 1001 unrequested messages"
    #expect(stage.harness.notices.connections.value.filter { $0.state == .disconnected }.allSatisfy { $0.reason == reason })
    // Drawn from the upper halves of 250, 500 and 1000 ms.
    #expect(pauses[0] <= .milliseconds(250) && pauses[1] >= .milliseconds(250) && pauses[2] >= .milliseconds(500), "\(pauses)")
    // No event is blamed, and none is lost.
    #expect(stage.harness.log.texts(.error) == [])
    #expect((stage.harness.counter("sent again") ?? 0) >= 6)
    await stage.server.stop()
  }

  @Test(arguments: ["too large", "not UTF-8", "broken"])
  func `a server that answers with what breaks the connection loses that event, and only that`(how: String) async throws {
    let stage = try await Stage { connection in
      while true {
        for message in try await connection.receive() {
          if message.text.contains(#""seq":2,"#) {
            switch how {
            case "too large": connection.sendRaw([0x81, 0x7f, 0, 0, 0, 0, 4, 0, 0, 0])
            case "not UTF-8": connection.sendRaw([0x81, 0x02, 0xc3, 0x28])
            default: connection.sendRaw([0xf1, 0x00])
            }
            try await connection.flush()
            return await connection.awaitEnd()
          }
          connection.queue(message)
          try await connection.flush()
        }
      }
    }
    let sent = trades(4)
    let running = try stage.start("attempts: 2\nconnection: { ping: 1h }")
    try await running.send(sent)
    for lost in 1...10 {
      await stage.harness.notices.connections.wait { $0.count(where: { $0.state == .disconnected }) >= lost || $0.count > 12 }
      if running.output.count == 3 { break }
      await stage.letPausePass()
      if stage.harness.log.texts(.error).count > 0 { break }
    }
    #expect(await running.output(count: 3) == [sent[0], sent[2], sent[3]])
    try await running.stop()
    let errors = stage.harness.log.texts(.error)
    #expect(errors.count == 1)
    #expect(errors.first?.contains("1 event lost: event 2 had no valid reply in 2 attempts") == true)
    let reason =
      switch how {
      case "too large": "a message of 64MiB or more; the limit is 1MiB"
      case "not UTF-8": "a text that is not UTF-8"
      default: "the peer broke the protocol: a frame with reserved bits"
      }
    #expect(Set(reasons(stage.harness)) == [reason])
    await stage.server.stop()
  }

  @Test func `an event that has no answer in so many attempts is lost, and the others go on`() async throws {
    let stage = try await Stage { connection in
      while true {
        for message in try await connection.receive() where !message.text.contains(#""seq":2,"#) { connection.queue(message) }
        try await connection.flush()
      }
    }
    let sent = trades(3)
    let running = try stage.start("attempts: 2\ndeadline: 10s\nconnection: { ping: 10h }")
    try await running.send(sent)
    #expect(await running.output(count: 1) == [sent[0]])
    for attempt in 1...2 {
      await stage.harness.notices.connections.wait { $0.count == 3 * attempt - 1 }
      while stage.harness.counter("sent again") != 1 * (attempt - 1) { await Task.yield() }
      await stage.harness.clock.waitForSleepers(2)
      // One check may come before the event was sent; the next one is at the deadline.
      while stage.harness.notices.connections.value.count < 3 * attempt {
        stage.harness.clock.advance(by: .seconds(10))
        for _ in 0..<50 { await Task.yield() }
      }
      await stage.letPausePass()
    }
    #expect(await running.output(count: 2) == [sent[0], sent[2]])
    #expect(stage.harness.log.texts(.error).count == 1)
    try await running.stop()
    await stage.server.stop()
  }

  @Test func `an event that is too long for a message is refused before it is sent`() async throws {
    let harness = PluginHarness()
    let notes = ["a", String(repeating: "x", count: 500), "b"].map { Note(text: $0, time: Timestamp(ns: 0)) }
    let back: [Note] = try await harness.output(of: Plugin.echoSocket, options: "connection: { frame_limit: 256B }", inputs: [notes])
    #expect(back == [notes[0], notes[2]])
    #expect(harness.deadLetters.map(\.reason) == ["559 bytes as a message; the limit is 256B"])
    #expect(harness.deadLetters.map(\.origin) == ["event 2"])
  }

  @Test func `no more is under way than told, and upstream waits`() async throws {
    let gate = Watched(false)
    let got = Watched(0)
    let stage = try await Stage { connection in
      var kept: [WebSocketMessage] = []
      while kept.count < 4 {
        kept += try await connection.receive()
        got.update { [count = kept.count] in $0 = count }
      }
      await gate.wait { $0 }
      for message in kept { connection.queue(message) }
      try await connection.flush()
      try await echo(connection)
    }
    let sent = trades(100)
    let running = try stage.start("in_flight: 4")
    try await running.send(sent)
    await got.wait { $0 == 4 }
    for _ in 0..<100 { await Task.yield() }
    #expect(stage.harness.counter("sent") == 4)
    #expect(running.output == [])
    gate.update { $0 = true }
    #expect(await running.output(count: 100) == sent)
    try await running.stop()
    await stage.server.stop()
  }

  @Test func `at the end it waits for what is under way, but not for ever`() async throws {
    let stage = try await Stage { connection in await connection.awaitEnd() }
    let running = try stage.start("patience: 3s")
    try await running.send(trades(5))
    while stage.harness.counter("sent") != 5 { await Task.yield() }
    let stopping = Task { try await running.stop() }
    await stage.harness.clock.waitForSleeper(until: .seconds(3))
    stage.harness.clock.advance(by: .seconds(3))
    try await stopping.value
    #expect(stage.harness.log.texts(.error) == ["error echo: 5 events lost: no reply within 3s of the end"])
    #expect(stage.harness.notices.connections.value.last?.reason == "closed normally")
    await stage.server.stop()
  }

  @Test func `it ends in whatever state it is when upstream does`() async throws {
    // During a pause between attempts, with nothing under way, it ends at once.
    let stage = try await Stage()
    let pausing = try stage.start()
    await stage.harness.notices.connections.wait { $0.count == 2 }
    try await pausing.stop()
    #expect(stage.harness.notices.connections.value.map(\.state) == [.connecting, .disconnected])
    // During a pause, with events under way, it ends within its patience.
    let late = try await Stage()
    let holding = try late.start("patience: 2s")
    try await holding.send(trades(3))
    await late.harness.notices.connections.wait { $0.count == 2 }
    await holding.delivered()
    let stopping = Task { try await holding.stop() }
    while late.harness.log.texts(.error).isEmpty {
      late.harness.clock.advance(by: .milliseconds(500))
      for _ in 0..<50 { await Task.yield() }
    }
    try await stopping.value
    #expect(late.harness.log.texts(.error) == ["error echo: 3 events lost: no reply within 2s of the end"])
  }

  static let away = "the server could not be reached when the run was stopped"

  @Test func `a stop while the server is away ends it at once, and what cannot be sent becomes dead letters`() async throws {
    let stage = try await Stage()
    let running = try stage.start("in_flight: 4")
    // More than the window holds: upstream waits.
    let sent = trades(10)
    try await running.send(sent)
    await stage.harness.notices.connections.wait { $0.count == 2 }
    stage.run.stop()
    // The clock does not move, so nothing is waited for.
    try await running.stop()
    #expect(stage.harness.clock.uptime == .zero)
    #expect(stage.harness.deadLetters.map(\.origin) == (1...10).map { "event \($0)" })
    #expect(stage.harness.deadLetters.map(\.payload) == sent.map { Trade.schema.json($0) })
    #expect(Set(reasons(stage.harness)) == [Self.away])
    #expect(stage.harness.log.texts(.error) == [])
    #expect(stage.states == ["connecting", "disconnected"])
  }

  @Test func `a stop leaves a connection to what is under way, and makes no other when it is lost`() async throws {
    let cut = Watched(false)
    let stage = try await Stage { connection in
      let got = try await messages(4, from: connection)
      for message in [got[0], got[2]] { connection.queue(message) }
      try await connection.flush()
      await cut.wait { $0 }
      connection.drop()
    }
    let running = try stage.start("in_flight: 4")
    let sent = trades(6)
    try await running.send(Array(sent[0..<4]))
    #expect(await running.output(count: 1) == [sent[0]])
    stage.run.stop()
    try await running.send(Array(sent[4...]))
    cut.update { $0 = true }
    try await running.stop()
    // The third event had a reply and is published, although the second had none.
    #expect(running.output == [sent[0], sent[2]])
    #expect(stage.harness.deadLetters.map(\.origin) == ["event 2", "event 4", "event 5", "event 6"])
    #expect(stage.states == ["connecting", "connected", "disconnected"])
    await stage.server.stop()
  }

  @Test func `the ledger of a run that is stopped while the server is away balances`() async throws {
    let refusing = RefusingPort()
    let harness = try PipelineHarness(
      """
      sources:
        ticks: { plugin: counted, count: 1000 }
        echo: { plugin: echo_socket, inputs: [ticks], url: "ws://127.0.0.1:\(refusing.number)", in_flight: 8 }
      sinks: { end: { plugin: kept, inputs: [echo] } }
      """, plugins: [.counted, .echoSocket, .kept])
    async let running = harness.run()
    await harness.log.wait(for: "reconnecting")
    while harness.pipeline.edges.first(where: { $0.to == "echo" })?.counts.published != 1000 { await Task.yield() }
    harness.pipeline.stop()
    let report = await running
    #expect(report.late == [])
    #expect(report.fates.allSatisfy { $0.outcome == .completed })
    #expect(report.ledger.isBalanced && report.ledger.lost == 0)
    let edge = try #require(report.ledger.edges.first { $0.to == "echo" }?.counts)
    #expect(edge.delivered == 1000)
    #expect(report.ledger.counters.first { $0.component == "echo" && $0.name == "dead letters" }?.total == 1000)
    withExtendedLifetime(refusing) {}
  }

  @Test func `cut off, it says what it could not bring back`() async throws {
    let stage = try await Stage { connection in await connection.awaitEnd() }
    do {
      let running = try stage.start()
      try await running.send(trades(5))
      while stage.harness.counter("sent") != 5 { await Task.yield() }
    }  // dropped: cut off
    await stage.harness.log.wait(for: "5 events lost: cut off before the replies came")
    await stage.server.stop()
  }

  @Test func `options that cannot be are told`() throws {
    func words(_ options: String) -> String {
      do {
        _ = try PluginHarness().start(Plugin.echoSocket, options: options, taking: Trade.self, emitting: Trade.self)
        return "no error"
      } catch { return "\(error)" }
    }
    #expect(
      words("url: http://x") == """
        options.yaml:1:6: error: 'url' must be embedded or a WebSocket URL such as wss://host/path, got 'http://x'; \
        write ws:// or wss:// instead of http:// or https://
        """)
    #expect(words("in_flight: 0") == "options.yaml:1:12: error: 'in_flight' must be between 1 and 65536, got 0")
    #expect(
      words("connection: { backoff: 10s, max_backoff: 1s }")
        == "options.yaml:1:29: error: 'connection': 'max_backoff' must be at least 'backoff'")
    #expect(
      words("connection: { headers: { Host: a } }")
        == "options.yaml:1:15: error: 'connection': the header 'Host' is part of the handshake")
    let secret = words("connection: { headers: { X-Key: \"a\\nb\" } }")
    #expect(secret == "options.yaml:1:15: error: 'connection': the header 'X-Key' has a character that no header can have")
  }

  @Test func `a CA file that is missing ends it for good, with the reason`() async throws {
    await #expect {
      let _: [Trade] = try await PluginHarness().output(
        of: Plugin.echoSocket, options: "url: wss://localhost:1\nconnection: { tls: { ca: /no/such.pem } }", inputs: [trades(1)])
    } throws: { error in
      "\(error)" == "/no/such.pem: No such file or directory" && (error as? any EnvironmentError)?.isPermanent == true
    }
  }
}
