import StockbusTestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct OrderTests {
  static let chain = """
    sources: { ticks: { plugin: numbers, count: 100 } }
    processors: { first: { plugin: pass, inputs: [ticks] }, second: { plugin: pass, inputs: [first] } }
    sinks: { end: { plugin: keep, inputs: [second], slow: true }, side: { plugin: keep, inputs: [first] } }
    """

  @Test func `readers start before those they read`() async throws {
    try await journalled { journal in
      _ = await (try pipeline(Self.chain)).run()
      let starts = try ["ticks", "first", "second", "end", "side"].map { try #require(journal.index(of: "\($0) starts")) }
      #expect(starts[3] < starts[2] && starts[2] < starts[1] && starts[4] < starts[1] && starts[1] < starts[0])
    }
  }

  @Test func `drains and stops go downstream, and every start has its stop`() async throws {
    try await journalled { journal in
      let report = await (try pipeline(Self.chain)).run()
      #expect(report.exitStatus == 0)
      let order = ["ticks stops", "first drains", "first stops", "second drains", "second stops", "end drains", "end stops"]
      #expect(journal.lines.filter(order.contains) == order)
      for id in ["ticks", "first", "second", "end", "side"] {
        #expect(journal.count(of: "\(id) starts") == 1)
        #expect(journal.count(of: "\(id) stops") == 1)
      }
    }
  }

  @Test func `a start that fails is followed by a stop and does not hold back the others`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers } }
        sinks: { bad: { plugin: keep, inputs: [ticks], failing_starts: 1 }, good: { plugin: keep, inputs: [ticks] } }
        """)
      let report = await harness.run()
      #expect(report.exitStatus == 0)
      #expect(journal.lines.filter { $0.hasPrefix("bad") } == ["bad starts", "bad stops", "bad starts", "bad drains", "bad stops"])
      #expect(journal.received(by: "bad") == Array(1...10))
      #expect(report.fate("bad")?.lives == 2)
    }
  }
}
