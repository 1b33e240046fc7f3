import TestSupport
import StockbusTestKit
import TestServers
import Testing

@testable import NATS

/// A server whose answers are well-formed and not true.
@Suite(.timeLimit(.minutes(15))) struct LieTests {
  /// The reason of the first lost connection, or of the end, of a reader that runs against a server that lies.
  private func reader(_ more: String = "", _ server: FakeNATS) async throws -> String {
    let harness = PluginHarness()
    let reader = try harness.start(Plugin.natsIn, options: server.options("stream: TICKS\n" + more), emitting: Trade.self)
    await harness.notices.connections.wait { $0.contains { $0.state == .disconnected } }
    let reason = harness.notices.connections.value.first { $0.state == .disconnected }?.reason ?? ""
    try? await reader.stop()
    return reason
  }

  private func filled(_ count: Int = 3) async throws -> FakeNATS {
    let server = try await FakeNATS()
    for trade in trades(0..<count) { server.store(.init(subject: "ticks.0", payload: Trade.schema.json(trade))) }
    return server
  }

  private static let most = String(UInt64.max)

  @Test(arguments: [
    ("", "STREAM.INFO", #""last_seq":3"#), ("start: new", "STREAM.INFO", #""last_seq":3"#), ("", "STREAM.INFO", #""first_seq":1"#),
    ("", "CONSUMER.CREATE", #""num_pending":3"#), ("durable: desk", "CONSUMER.CREATE", #""stream_seq":0"#),
  ])
  func `a number that no stream has is no answer`(options: String, call: String, member: String) async throws {
    let server = try await filled()
    let name = member.prefix { $0 != ":" }
    server.lie { asked, answer in asked.hasPrefix(call) ? answer.replacing(member, with: "\(name):\(Self.most)") : answer }
    #expect(
      try await reader(options, server).hasPrefix("the server broke the protocol: a malformed reply of JetStream: {"))
    await server.close()
  }

  @Test func `a durable reader whose acknowledgements are beyond the stream's end ends with an error`() async throws {
    let server = try await filled()
    server.lie { asked, answer in
      asked.hasPrefix("CONSUMER.LIST") ? #"{"total":1,"consumers":[{"name":"desk-1","ack_floor":{"stream_seq":9}}]}"# : answer
    }
    #expect(
      try await reader("durable: desk", server)
        == "the stream 'TICKS' ends with message 3, but 'desk' has acknowledged message 9: the stream was deleted and created again, or its servers have lost messages; use another name in 'durable' to read it"
    )
    await server.close()
  }

  @Test func `a list of consumers that never ends is given up`() async throws {
    let server = try await filled()
    server.lie { asked, answer in
      asked.hasPrefix("CONSUMER.LIST") ? #"{"total":1000000000,"consumers":[{"name":"x","ack_floor":{"stream_seq":0}}]}"# : answer
    }
    #expect(try await reader("durable: desk", server) == "the server broke the protocol: an endless list of consumers")
    #expect(server.lines.value.count { $0.contains("CONSUMER.LIST") } == 400)
    await server.close()
  }

  @Test func `another consumer than the one that was asked for is none`() async throws {
    let server = try await filled()
    server.lie { asked, answer in
      asked.hasPrefix("CONSUMER.CREATE") ? #"{"name":"x\r\nPUB a 0","num_pending":0}"# : answer
    }
    let reason = try await reader("", server)
    #expect(reason.hasPrefix("the server broke the protocol: it created the consumer 'x"), "\(reason)")
    #expect(!server.lines.value.contains { $0.hasPrefix("PUB a") })
    await server.close()
  }

  @Test(arguments: [
    // The number in the stream stands still, or goes back.
    (2, "1", "message 1 of a stream came after 1"), (3, "1", "message 1 of a stream came after 2"),
  ])
  func `numbers of the stream that do not rise are noticed, and nothing is lost or doubled`(
    number: Int, said: String, words: String
  ) async throws {
    let server = try await filled()
    let lied = Watched(false)
    server.lie(places: { place in
      var parts = place.split(separator: ".").map(String.init)
      if parts[5] == "\(number)", !lied.value {
        lied.update { $0 = true }
        parts[5] = said
      }
      return parts.joined(separator: ".")
    })
    let harness = PluginHarness()
    let reader = try harness.start(Plugin.natsIn, options: server.options("stream: TICKS"), emitting: Trade.self)
    await harness.withShortPauses { #expect(await reader.output(count: 3) == trades(0..<3)) }
    let reasons = harness.notices.connections.value.filter { $0.state == .disconnected }.map(\.reason)
    #expect(reasons == ["the server broke the protocol: \(words)"])
    try? await reader.stop()
    #expect(reader.output.count == 3)
    await server.close()
  }

  @Test func `what was read already does not come in place of what was asked for`() async throws {
    let server = try await filled()
    let harness = PluginHarness()
    let reader = try harness.start(Plugin.natsIn, options: server.options("stream: TICKS"), emitting: Trade.self)
    _ = await reader.output(count: 3)
    server.lie(places: { place in
      var parts = place.split(separator: ".").map(String.init)
      parts[5] = "2"
      return parts.joined(separator: ".")
    })
    server.cut()
    let words = "the server broke the protocol: message 2 came again, but messages after 3 were requested"
    await harness.withShortPauses {
      await harness.notices.connections.wait { $0.last { $0.reason.contains("live") } != nil }
      server.store(.init(subject: "ticks.0", payload: Trade.schema.json(trades(3..<4)[0])))
      await harness.notices.connections.wait { $0.contains { $0.reason == words } }
    }
    server.lie()
    await harness.withShortPauses { #expect(await reader.output(count: 4) == trades(0..<4)) }
    try? await reader.stop()
    await server.close()
  }

  @Test func `positions at the end of their range are none, and writing goes on`() async throws {
    let server = try await FakeNATS()
    let mark = EventMark(Trade.self).text
    for (n, words) in ["9223372036854775806 5", "7 9223372036854775806"].enumerated() {
      server.store(
        .init(
          subject: "ticks.\(n)",
          headers: "NATS/1.0\r\nStockbus-Event: \(mark)\r\nStockbus-Position: w \(words)\r\nStockbus-Packed: 9223372036854775807\r\n\r\n",
          payload: "{}"))
    }
    let options = server.options("stream: TICKS\nsubject: 'ticks.{partition}'\npartitions: 2\ninput: live")
    try await PluginHarness().consume([trades(0..<10)], by: Plugin.natsOut, options: options)
    #expect(server.stored.count == 12)
    // Behind message 2, whose own position counts for nothing.
    #expect(server.positions.map(\.number) == Array(2..<12))
    await server.close()
  }

  @Test func `another message than the one that was asked for tells nothing of where to go on`() async throws {
    let server = try await FakeNATS()
    let options = server.options("stream: TICKS\nsubject: ticks\ninput: live".replacing("ticks", with: "ticks.a"))
    try await PluginHarness().consume([trades(0..<3)], by: Plugin.natsOut, options: options)
    let lies = Watched(0)
    server.lie { asked, answer in
      guard asked.hasPrefix("STREAM.MSG.GET"), lies.value == 0 else { return answer }
      lies.update { $0 += 1 }
      return answer.replacing(#""seq":3"#, with: #""seq":2"#)
    }
    let harness = PluginHarness()
    try await harness.withShortPauses {
      try await harness.consume([trades(3..<5)], by: Plugin.natsOut, options: options)
    }
    #expect(server.sizes == [1, 2, 3, 4, 5])
    #expect(
      harness.notices.connections.value.contains {
        $0.reason == "the server broke the protocol: message 2 instead of message 3"
      })
    await server.close()
  }
}
