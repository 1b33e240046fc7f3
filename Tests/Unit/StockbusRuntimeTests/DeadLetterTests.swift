import StockbusTestKit
import Testing

@testable import StockbusRuntime

@Suite(.timeLimit(.minutes(15))) struct DeadLetterTests {
  @Test func `whoever reads the dead letters drains after all others`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 10, rejects: 3 } }
        sinks: { late: { plugin: letters, inputs: [dead_letters] }, end: { plugin: keep, inputs: [ticks], poison: [10] } }
        """)
      let end = await harness.run()
      #expect(journal.lines.last == "letters drained")
      #expect(
        journal.lines.filter { $0.hasPrefix("letter ") } == [
          "letter ticks input:0 0 bad: piece 0", "letter ticks input:1 0 bad: piece 1", "letter ticks input:2 0 bad: piece 2",
          #"letter end ticks 10 10 is poison: {"symbol":"A","number":10,"time":"1970-01-01T00:00:00Z"}"#,
        ])
      #expect(end.counts("dead_letters", "late") == counts(in: 4, delivered: 4))
      #expect(end.counter("ticks", "dead letters") == 3)
      #expect(end.counter("end", "dead letters") == 1)
      #expect(end.exitStatus == 0)
      #expect(
        harness.log.texts(.warning).first == "warning ticks: set aside: input:0: bad: piece 0")
    }
  }

  @Test func `letters beyond the limit are counted`() async throws {
    try await journalled { journal in
      // The reader hangs with the first letters: a ring and two buffers of 4,096 are full before 30,000 are posted.
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 1, rejects: 30000, opens: true } }
        sinks: { late: { plugin: letters, gated: true, inputs: [dead_letters] }, end: { plugin: keep, inputs: [ticks] } }
        """)
      let end = await harness.run()
      let read = journal.lines.count { $0.hasPrefix("letter ") }
      let unread = end.ledger.lost
      #expect(unread > 0)
      #expect(read + unread == 30000)
      #expect(read >= noticeLimit)
      #expect(end.counter("ticks", "dead letters") == 30000)
      #expect(end.counts("dead_letters", "late") == counts(in: read, delivered: read))
      // They had a reader, so losing them is a failure.
      #expect(end.exitStatus == 1)
    }
  }

  @Test func `letters of those who read dead letters are counted and end`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 3, rejects: 2 } }
        sinks: { end: { plugin: keep, inputs: [ticks] } }
        """)
      let end = await harness.run()
      #expect(end.counter("ticks", "dead letters") == 2)
      #expect(end.counter("dead_letters", "without a reader") == nil)
      #expect(end.exitStatus == 0)
    }
  }

  @Test func `a payload is cut to 512 bytes between two characters`() {
    let harness = PluginHarness(id: "in")
    harness.context.reject(String(repeating: "é", count: 300), origin: "file:1", reason: "too long")
    harness.context.reject("x" + String(repeating: "é", count: 300), origin: "file:2", reason: "too long")
    harness.context.reject(String(repeating: "e", count: 512), origin: "file:3", reason: "just right")
    #expect(
      harness.deadLetters.map(\.payload) == [
        String(repeating: "é", count: 256) + "…", "x" + String(repeating: "é", count: 255) + "…", String(repeating: "e", count: 512),
      ])
    #expect(harness.deadLetters.map(\.component) == ["in", "in", "in"])
    #expect(harness.deadLetters[0].time == harness.clock.epoch)
  }
}
