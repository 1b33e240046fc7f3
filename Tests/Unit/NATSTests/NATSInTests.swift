import TestSupport
import StockbusTestKit
import TestServers
import Testing

@testable import NATS

@Suite(.timeLimit(.minutes(15))) struct NATSInTests {
  private func fill(_ server: FakeNATS, _ range: Range<Int>, input: String = "live") async throws {
    try await PluginHarness().consume(
      [trades(range)], by: Plugin.natsOut,
      options: server.options("stream: TICKS\nsubject: 'ticks.{partition}'\npartitions: 4\ninput: \(input)"))
  }

  private func states(_ harness: PluginHarness) -> [String] { harness.notices.connections.value.map { "\($0.state): \($0.reason)" } }

  @Test(arguments: ["", "\ndurable: desk"]) func `it keeps the contract`(durable: String) async throws {
    let server = try await FakeNATS()
    // Each instance finds more than the ones before have read.
    let writing = Task {
      var asked = 0
      while !Task.isCancelled {
        let before = asked
        await server.lines.wait { $0.count { $0.contains("CONSUMER.MSG.NEXT") } > before }
        asked += 1
        for trade in trades(0..<50) { server.store(.init(subject: "ticks.0", payload: Trade.schema.json(trade))) }
      }
    }
    // Where a durable reader begins depends on the instances before.
    let violations = await checkContract(
      .natsIn, options: server.options("stream: TICKS" + durable), isDeterministic: durable.isEmpty, jumps: .milliseconds(100))
    writing.cancel()
    await writing.value
    #expect(violations == [])
    await server.close()
  }

  @Test func `a stream is read from its beginning, and what comes then`() async throws {
    let server = try await FakeNATS()
    try await fill(server, 0..<5000)
    let harness = PluginHarness()
    let reader = try harness.start(Plugin.natsIn, options: server.options("stream: TICKS"), emitting: Trade.self)
    #expect(await reader.output(count: 5000) == trades(0..<5000))
    try await fill(server, 5000..<5100)
    #expect(await reader.output(count: 5100) == trades(0..<5100))
    #expect(harness.deadLetters == [])
    #expect(harness.notices.gaps.value == [])
    try? await reader.stop()
    #expect(
      states(harness).filter { $0.contains("TICKS") } == [
        "connected: catching up: 5000 messages of 'TICKS' pending", "connected: live: all messages of 'TICKS' up to 5000 were received",
      ])
    await server.close()
  }

  @Test func `a connection is reported once its stream is there too`() async throws {
    let server = try await FakeNATS()
    server.deleteStream()
    for (plugin, options) in [(Plugin.natsIn, ""), (.natsOut, "\nsubject: ticks.all")] {
      let harness = PluginHarness()
      let options = server.options("stream: TICKS" + options)
      if plugin.name == "nats_in" {
        let reader = try harness.start(plugin, options: options, emitting: Trade.self)
        await harness.notices.connections.wait { $0.contains { $0.state == .disconnected } }
        try? await reader.stop()
      } else {
        let writer = try harness.start(plugin, options: options, taking: [Trade.self])
        await harness.notices.connections.wait { $0.contains { $0.state == .disconnected } }
        try? await writer.stop()
      }
      #expect(!harness.notices.connections.value.contains { $0.state == .connected })
    }
    await server.close()
  }

  @Test func `the chosen partitions are read, each in its order`() async throws {
    let server = try await FakeNATS()
    try await fill(server, 0..<400)
    let wanted = trades(0..<400).filter { [1, 3].contains(SubjectTemplate.partition(of: $0.symbol.utf8, among: 4)) }
    let harness = PluginHarness()
    let reader = try harness.start(
      Plugin.natsIn, options: server.options("stream: TICKS\nsubject: 'ticks.{partition}'\npartitions: [1, 3]"), emitting: Trade.self)
    #expect(await reader.output(count: wanted.count) == wanted)
    #expect(harness.notices.gaps.value == [])
    try? await reader.stop()
    await server.close()
  }

  @Test(arguments: [("start: new", 101), ("sequence: 41", 41), ("start: all", 1)])
  func `reading begins where it is asked to`(_ option: String, _ first: Int) async throws {
    let server = try await FakeNATS()
    try await fill(server, 0..<100)
    let harness = PluginHarness()
    let reader = try harness.start(Plugin.natsIn, options: server.options("stream: TICKS\n\(option)"), emitting: Trade.self)
    await harness.notices.connections.wait { $0.count >= 2 }
    try await fill(server, 100..<150)
    #expect(await reader.output(count: 151 - first) == trades((first - 1)..<150))
    try? await reader.stop()
    await server.close()
  }

  @Test(arguments: 1...4) func `connections that are lost lose and double nothing`(seed: Int) async throws {
    let server = try await FakeNATS()
    try await fill(server, 0..<3000)
    var random = SplitMix(UInt64(seed))
    let harness = PluginHarness()
    let durable = seed % 2 == 0 ? "\ndurable: desk" : ""
    try await harness.withShortPauses {
      let reader = try harness.start(Plugin.natsIn, options: server.options("stream: TICKS" + durable), emitting: Trade.self)
      var have = 3000
      for _ in 0..<8 {
        _ = await reader.output(count: random.upTo(have))
        server.cut()
        let more = 1 + random.upTo(200)
        try await fill(server, have..<have + more)
        have += more
      }
      #expect(await reader.output(count: have) == trades(0..<have))
      try? await reader.stop()
    }
    #expect(harness.notices.gaps.value == [])
    await server.close()
  }

  @Test func `what holds something else is a dead letter with its place, and the rest goes on`() async throws {
    let server = try await FakeNATS()
    let good = trades(0..<3).map { Trade.schema.json($0) }
    server.store(.init(subject: "ticks.0", payload: good[0]))
    server.store(.init(subject: "ticks.0", headers: "NATS/1.0\r\nStockbus-Event: trade 00000000deadbeef\r\n\r\n", payload: good[1]))
    server.store(.init(subject: "ticks.0", payload: "{\"symbol\":"))
    server.store(.init(subject: "ticks.0", payload: good[1] + "x"))
    server.store(.init(subject: "ticks.0", payload: good[1].dropLast() + ",\"fee\":1}"))
    server.store(.init(subject: "ticks.0", headers: "NATS/1.0\r\nStockbus-Event: \(EventMark(Trade.self).text)\r\n\r\n", payload: good[2]))
    let harness = PluginHarness()
    let reader = try harness.start(Plugin.natsIn, options: server.options("stream: TICKS"), emitting: Trade.self)
    #expect(await reader.output(count: 2) == [trades(0..<1)[0], trades(2..<3)[0]])
    #expect(harness.deadLetters.map(\.origin) == ["TICKS:2", "TICKS:3", "TICKS:4", "TICKS:5"])
    #expect(harness.deadLetters[3].reason.hasPrefix("'fee': no such field at byte "))
    #expect(harness.deadLetters[3].reason.hasSuffix("; a trade has symbol, price, size, side, time, received, condition"))
    #expect(
      harness.deadLetters[0].reason == "it has 'trade 00000000deadbeef', but this component reads '\(EventMark(Trade.self).text)'")
    #expect(harness.counter("rejected") == 4)
    try? await reader.stop()
    await server.close()
  }

  @Test func `a message that is missing between two positions is a gap`() async throws {
    let server = try await FakeNATS()
    func put(_ n: Int, _ position: String, subject: String = "ticks.0") {
      let headers = "NATS/1.0\r\nStockbus-Position: \(position)\r\n\r\n"
      server.store(.init(subject: subject, headers: headers, payload: Trade.schema.json(trades(n..<n + 1)[0])))
    }
    put(0, "w 5 2")
    put(1, "w 6 9", subject: "ticks.1")
    put(2, "w 9 3")
    put(3, "w 10 x")
    put(4, "w 11 12", subject: "ticks.1")
    let harness = PluginHarness()
    let whole = try harness.start(Plugin.natsIn, options: server.options("stream: TICKS"), emitting: Trade.self)
    _ = await whole.output(count: 5)
    #expect(harness.notices.gaps.value.map { "\($0.stream) \($0.expected) \($0.got)" } == ["positions 7 9", "positions 10 11"])
    try? await whole.stop()
    let other = PluginHarness()
    let parts = try other.start(Plugin.natsIn, options: server.options("stream: TICKS\nsubject: 'ticks.*'"), emitting: Trade.self)
    _ = await parts.output(count: 5)
    #expect(other.notices.gaps.value.map { "\($0.stream) \($0.expected) \($0.got)" } == ["ticks.1 10 12"])
    try? await parts.stop()
    await server.close()
  }

  @Test func `a durable reader that starts again goes on behind what was finished`() async throws {
    let server = try await FakeNATS()
    try await fill(server, 0..<100)
    let options = server.options("stream: TICKS\ndurable: desk")
    for (range, generation) in [(0..<100, 1), (100..<180, 2)] {
      if range.lowerBound > 0 { try await fill(server, range) }
      let harness = PluginHarness()
      try await harness.withShortPauses {
        let reader = try harness.start(Plugin.natsIn, options: options, emitting: Trade.self)
        #expect(await reader.output(count: range.count) == trades(range))
        try? await reader.stop()
      }
      #expect(server.consumers == ["desk-\(generation)": range.upperBound])
    }
    await server.close()
  }

  @Test func `a durable reader waits until the servers know again how far it was`() async throws {
    let server = try await FakeNATS()
    try await fill(server, 0..<100)
    let options = server.options("stream: TICKS\ndurable: desk")
    for range in [0..<100, 100..<120] {
      if range.lowerBound > 0 { try await fill(server, range) }
      let harness = PluginHarness()
      try await harness.withShortPauses {
        if range.lowerBound > 0 { server.hideConsumers(times: 2) }
        let reader = try harness.start(Plugin.natsIn, options: options, emitting: Trade.self)
        #expect(await reader.output(count: range.count) == trades(range))
        try? await reader.stop()
        let waited = harness.notices.connections.value.filter { $0.reason.contains("no leader at present for the consumers desk-1") }
        #expect(waited.count == (range.lowerBound > 0 ? 2 : 0))
      }
    }
    await server.close()
  }

  @Test func `a second reader of a durable name takes over, and the first ends with an error`() async throws {
    let server = try await FakeNATS()
    try await fill(server, 0..<10)
    let options = server.options("stream: TICKS\ndurable: desk")
    let harness = PluginHarness()
    let said = await failure {
      try await harness.withShortPauses {
        let first = try harness.start(Plugin.natsIn, options: options, emitting: Trade.self)
        _ = await first.output(count: 10)
        let second = PluginHarness()
        let other = try second.start(Plugin.natsIn, options: options, emitting: Trade.self)
        await second.notices.connections.wait { $0.count >= 2 }
        await harness.notices.connections.wait { $0.contains { $0.state == .disconnected } }
        await second.withShortPauses { try? await other.stop() }
        try await first.stop()
      }
    }
    #expect(said.contains("another reader has taken over 'desk' of the stream 'TICKS'"))
    await server.close()
  }

  @Test func `a stream that is not there yet is waited for, and one that was deleted is told`() async throws {
    let server = try await FakeNATS()
    server.deleteStream()
    let harness = PluginHarness()
    let said = await failure {
      try await harness.withShortPauses {
        let reader = try harness.start(Plugin.natsIn, options: server.options("stream: TICKS"), emitting: Trade.self)
        await harness.notices.connections.wait { $0.contains { $0.reason == "there is no stream 'TICKS' yet" } }
        let options = server.options("stream: TICKS\nsubject: 'ticks.{partition}'\npartitions: 5\ncreate: {}")
        try await PluginHarness().consume([trades(0..<3)], by: Plugin.natsOut, options: options)
        #expect(await reader.output(count: 3) == trades(0..<3))
        let seen = harness.notices.connections.value.count
        server.deleteStream()
        server.cut()
        await harness.notices.connections.wait { $0.dropFirst(seen).contains { $0.reason.contains("was deleted") } }
        try await reader.stop()
      }
    }
    #expect(said.contains("the stream 'TICKS' was deleted"))
    await server.close()
  }

  @Test func `a reader with other options goes on behind the last message, unless they say where it begins`() async throws {
    let server = try await FakeNATS()
    try await fill(server, 0..<100)
    let harness = PluginHarness()
    let whole = server.options("stream: TICKS")
    let reader = try harness.start(Plugin.natsIn, options: whole, emitting: Trade.self)
    _ = await reader.output(count: 100)
    try await reader.replace(options: server.options("stream: TICKS\nold_servers: true"))
    try await fill(server, 100..<150)
    #expect(await reader.output(count: 150) == trades(0..<150))
    try await reader.replace(options: server.options("stream: TICKS\nsubject: 'ticks.{partition}'\npartitions: [0, 1, 2, 3, 4]"))
    try await fill(server, 150..<200)
    #expect(await reader.output(count: 200) == trades(0..<200))
    try await reader.replace(options: server.options("stream: TICKS\nsequence: 191"))
    #expect(await reader.output(count: 210) == trades(0..<200) + trades(190..<200))
    #expect(harness.notices.gaps.value == [])
    try? await reader.stop()
    await server.close()
  }

  @Test(arguments: [true, false]) func `what a durable reader had still to read and is gone is told`(isWhole: Bool) async throws {
    let server = try await FakeNATS()
    try await fill(server, 0..<100)
    let options = server.options("stream: TICKS\ndurable: desk" + (isWhole ? "" : "\nsubject: 'ticks.*'"))
    let first = PluginHarness()
    let reader = try first.start(Plugin.natsIn, options: options, emitting: Trade.self)
    _ = await reader.output(count: 100)
    // It waits until what it has published is finished.
    await first.withShortPauses { try? await reader.stop() }
    try await fill(server, 100..<150)
    server.trim(120)
    let second = PluginHarness()
    let next = try second.start(Plugin.natsIn, options: options, emitting: Trade.self)
    #expect(await next.output(count: 30) == trades(120..<150))
    #expect(second.notices.gaps.value.map { "\($0.stream) \($0.expected) \($0.got)" } == (isWhole ? ["messages of 'TICKS' 101 121"] : []))
    let warning = "warning plugin: messages 101 to 120 of the stream 'TICKS' were deleted; those of 'ticks.*' among them are missing"
    #expect(second.log.texts(.warning).filter { $0.contains("were deleted") } == (isWhole ? [] : [warning]))
    await second.withShortPauses { try? await next.stop() }
    await server.close()
  }

  @Test func `a partition that the stream does not have, and a subject that it does not take, are told`() async throws {
    let server = try await FakeNATS()
    let writing = server.options("stream: TICKS\nsubject: 'ticks.{partition}'\npartitions: 4\ncreate: {}")
    server.deleteStream()
    try await PluginHarness().consume([trades(0..<3)], by: Plugin.natsOut, options: writing)
    let said = await failure {
      let harness = PluginHarness()
      let reader = try harness.start(
        Plugin.natsIn, options: server.options("stream: TICKS\nsubject: 'ticks.{partition}'\npartitions: [0, 9]"), emitting: Trade.self)
      await harness.notices.connections.wait { $0.contains { $0.state == .disconnected } }
      try await reader.stop()
    }
    #expect(said.contains("the stream 'TICKS' has 4 partitions, numbered from 0, but 'partitions' names 9"))
    let harness = PluginHarness()
    let reader = try harness.start(Plugin.natsIn, options: server.options("stream: TICKS\nsubject: tick.0"), emitting: Trade.self)
    await harness.notices.connections.wait { $0.count >= 2 }
    #expect(
      harness.log.texts(.warning) == ["warning plugin: the stream 'TICKS' has the subjects ticks.>, so it may have no messages of 'tick.0'"]
    )
    try? await reader.stop()
    await server.close()
  }
}
