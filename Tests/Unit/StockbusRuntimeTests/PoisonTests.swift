import StockbusTestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct PoisonTests {
  static let letters = "letters: { plugin: letters, inputs: [dead_letters] }"

  @Test(arguments: ["pass", "async_pass"])
  func `a processor's poisoned events become dead letters and nothing else is lost or doubled`(plugin: String) async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 10 } }
        processors: { middle: { plugin: \(plugin), inputs: [ticks], poison: [3, 7] } }
        sinks: { all: { plugin: keep, inputs: [middle] }, \(Self.letters) }
        """)
      let report = await harness.run()
      #expect(journal.received(by: "all") == [1, 2, 4, 5, 6, 8, 9, 10])
      #expect(
        journal.lines.filter { $0.hasPrefix("letter ") } == [
          #"letter middle ticks 3 3 is poison: {"symbol":"A","number":3,"time":"1970-01-01T00:00:00Z"}"#,
          #"letter middle ticks 7 7 is poison: {"symbol":"A","number":7,"time":"1970-01-01T00:00:00Z"}"#,
        ])
      #expect(report.counts("ticks", "middle") == counts(in: 10, delivered: 8, dead: 2))
      #expect(report.counts("middle", "all") == counts(in: 8, delivered: 8))
      #expect(report.counts("dead_letters", "letters") == counts(in: 2, delivered: 2))
      #expect(report.counter("middle", "dead letters") == 2)
      #expect(report.ledger.isBalanced)
      #expect(report.exitStatus == 0)
      // All ten came as one batch: once as a whole, then one by one, with a new life for each poisoned event.
      #expect(report.fate("middle")?.lives == 4)
    }
  }

  @Test(arguments: Plugin.sums.map(\.name))
  func `what a processor has remembered of a batch that threw is forgotten with what it has sent`(plugin: String) async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 6 } }
        processors: { middle: { plugin: \(plugin), inputs: [ticks], poison: [6, 12] } }
        sinks: { all: { plugin: keep, inputs: [middle] } }
        """)
      let report = await harness.run()
      // 1 + 2 + 3 is poisoned, and 1 + 2 + 4 + 5 too: both 3 and 5 are left out.
      #expect(journal.received(by: "all") == [1, 3, 7, 13])
      #expect(report.counts("ticks", "middle") == counts(in: 6, delivered: 4, dead: 2))
      #expect(report.fate("middle")?.lives == 4)
    }
  }

  @Test func `events that a sink took before the world failed it count as delivered and do not come again`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        "{ sources: { ticks: { plugin: numbers, count: 6 } }, sinks: { all: { plugin: keep, inputs: [ticks], takes: 2 } } }")
      let report = await harness.run()
      #expect(journal.received(by: "all") == [1, 2, 3, 4, 5, 6])
      #expect(report.counts("ticks", "all") == counts(in: 6, delivered: 6))
      #expect(report.fate("all")?.lives == 2)
    }
  }

  @Test func `events filtered in a run that throws are counted once`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 6 } }
        processors: { middle: { plugin: pass, inputs: [ticks], drops: [1, 2], poison: [3] } }
        sinks: { all: { plugin: keep, inputs: [middle] } }
        """)
      let report = await harness.run()
      #expect(journal.received(by: "all") == [4, 5, 6])
      #expect(report.counts("ticks", "middle") == counts(in: 6, delivered: 3, filtered: 2, dead: 1))
    }
  }

  @Test func `a sink's poisoned event becomes a dead letter and the others come at least once`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 5 } }
        sinks: { all: { plugin: keep, inputs: [ticks], poison: [3] }, other: { plugin: keep, inputs: [ticks] }, \(Self.letters) }
        """)
      let report = await harness.run()
      // First the whole batch, up to the poisoned event; then one by one.
      #expect(journal.received(by: "all") == [1, 2, 3, 1, 2, 3, 4, 5])
      #expect(journal.received(by: "other") == [1, 2, 3, 4, 5])
      #expect(report.counts("ticks", "all") == counts(in: 5, delivered: 4, dead: 1))
      #expect(report.counts("ticks", "other") == counts(in: 5, delivered: 5))
      #expect(journal.lines.count { $0.hasPrefix("letter all ticks 3 3 is poison") } == 1)
      #expect(report.exitStatus == 0)
    }
  }

  @Test func `a sink of two types sets aside the poison of each`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 4 }, tocks: { plugin: tocks, count: 6 } }
        sinks: { both: { plugin: keep_both, inputs: [ticks, tocks], poison: [2, 5] }, \(Self.letters) }
        """)
      let report = await harness.run()
      #expect(Set(journal.received(by: "ticks")) == [1, 3, 4])
      #expect(Set(journal.received(by: "tocks")) == [1, 3, 4, 6])
      let letters = Set(journal.lines.filter { $0.hasPrefix("letter ") }.map { $0.prefix { $0 != ":" } })
      #expect(
        letters == [
          "letter both ticks 2 2 is poison", "letter both tocks 2 2 is poison", "letter both tocks 5 5 is poison",
        ])
      #expect(report.counts("ticks", "both") == counts(in: 4, delivered: 3, dead: 1))
      #expect(report.counts("tocks", "both") == counts(in: 6, delivered: 4, dead: 2))
      #expect(report.exitStatus == 0)
    }
  }

  @Test func `a few poisoned events in a row are dead letters, and the others go on`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 10 } }
        processors: { middle: { plugin: pass, inputs: [ticks], poison: [1, 2, 3], supervision: { backoff: 100ms } } }
        sinks: { all: { plugin: keep, inputs: [middle] } }
        """)
      async let running = harness.run()
      // The first costs no pause, although nothing has been delivered before it.
      for bound in [100, 200] { await harness.clock.passPause(upTo: .milliseconds(bound)) }
      let report = await running
      #expect(journal.received(by: "all") == [4, 5, 6, 7, 8, 9, 10])
      #expect(report.counts("ticks", "middle") == counts(in: 10, delivered: 7, dead: 3))
      #expect(report.fate("middle")?.lives == 5)
      #expect(report.exitStatus == 0)
    }
  }

  @Test func `poison everywhere ends the component at its limit`() async throws {
    try await journalled { journal in
      let numbers = (1...40).map(String.init).joined(separator: ", ")
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 40 } }
        processors: { middle: { plugin: pass, inputs: [ticks], poison: [\(numbers)], supervision: { restarts: 6, max_backoff: 100ms } } }
        sinks: { all: { plugin: keep, inputs: [middle] } }
        """)
      async let running = harness.run()
      for _ in 0..<5 { await harness.clock.passPause(upTo: .milliseconds(100)) }
      let report = await running
      #expect(journal.received(by: "all") == [])
      // The batch, and seven events alone, of which the first counts with the batch.
      #expect(report.fate("middle")?.lives == 8)
      #expect(report.fate("middle")?.outcome == .failed("7 is poison"))
      #expect(report.counts("ticks", "middle") == counts(in: 40, dropped: 33, dead: 7))
      #expect(report.exitStatus == 1)
      // Five are logged; the fifth message says that further ones are only counted.
      let logged = harness.log.texts(.warning).filter { $0.contains("set aside") }
      #expect(logged.count == 5)
      #expect(logged.last?.hasSuffix("(more of them are counted and no longer logged)") == true)
    }
  }
}
