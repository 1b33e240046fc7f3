import StockbusPlugin
import StockbusRuntime
import StockbusTestKit
import Testing

/// Components that are changed during a run.
@Suite(.timeLimit(.minutes(15))) struct ChangeTests {
  private func text(
    numbers: String = "count: 3000, single: true", pass: String = "", keep: String = "", passInputs: String = "[numbers]"
  ) -> String {
    """
    sources: { numbers: { plugin: numbers, \(numbers) } }
    processors: { pass: { plugin: pass, inputs: \(passInputs)\(pass.isEmpty ? "" : ", ")\(pass) } }
    sinks: { keep: { plugin: keep, inputs: [pass]\(keep.isEmpty ? "" : ", ")\(keep) } }
    """
  }

  private func all(_ count: Int64) -> [Int64] { Array(1...count) }

  /// The reason why a change is refused; nil if it is carried out.
  private func refusal(_ harness: PipelineHarness, _ text: String) async -> String? {
    do {
      try await harness.change(to: text)
      return nil
    } catch { return "\(error)" }
  }

  @Test func `each kind of component is changed in mid-stream, and nothing is lost, doubled or reordered`() async throws {
    try await journalled { journal in
      let harness = try pipeline(text(numbers: "count: 3000, single: true, hold: true"))
      async let report = harness.run()
      await journal.wait(until: "keep", has: 10)
      for round in 1...20 {
        try await harness.change(to: text(numbers: "count: 3000, single: true, hold: true", pass: "drops: [-\(round)]"))
        try await harness.change(to: text(numbers: "count: \(3000 + round), single: true, hold: true", pass: "drops: [-\(round)]"))
        try await harness.change(
          to: text(numbers: "count: \(3000 + round), single: true, hold: true", pass: "drops: [-\(round)]", keep: "poison: [-\(round)]"))
      }
      await journal.wait(until: "keep", has: 3020)
      harness.pipeline.stop()
      let end = await report
      #expect(journal.received(by: "keep") == all(3020))
      #expect(end.exitStatus == 0)
      #expect(end.counts("numbers", "pass") == counts(in: 3020, delivered: 3020))
      #expect(end.counts("pass", "keep") == counts(in: 3020, delivered: 3020))
      #expect(end.counter("pass", "seen") == 3020)
      // The first text of each round undoes the changes of source and sink in the round before, so these change twice in each round except
      // the first.
      #expect(end.fates.map(\.lives) == [40, 21, 40])
    }
  }

  @Test func `what does not start leaves the old one at work`() async throws {
    try await journalled { journal in
      let harness = try pipeline(text(numbers: "count: 100, hold: true"))
      async let report = harness.run()
      await journal.wait(until: "keep", has: 100)
      // It has started once; the next start fails.
      let reason = await refusal(harness, text(numbers: "count: 100, hold: true", keep: "failing_starts: 2"))
      #expect(reason == "no start")
      try await harness.change(to: text(numbers: "count: 120, hold: true"))
      await journal.wait(until: "keep", has: 120)
      harness.pipeline.stop()
      let end = await report
      #expect(journal.received(by: "keep") == all(120))
      #expect(end.exitStatus == 0)
      #expect(harness.log.texts(.error).contains { $0.contains("keep could not be changed: no start; it continues as before") })
    }
  }

  /// What is not as before after a change that was refused; nil if all is.
  private func consequence(_ harness: PipelineHarness, _ text: String) async -> (reason: String, consequence: String?)? {
    do {
      try await harness.change(to: text)
      return nil
    } catch { return (error as? ChangeError).map { ($0.description, $0.consequence) } }
  }

  @Test(arguments: [true, false])
  func `what starts neither with its new options nor again with its old ones is gone, which the answer says`(isAlone: Bool) async throws {
    try await journalled { journal in
      func text(_ options: String) -> String {
        """
        sources: { numbers: { plugin: numbers, count: 5, hold: true } }
        sinks:
          keep: { plugin: keep, inputs: [numbers], starts: 1, supervision: { restarts: 0 }\(options) }
          \(isAlone ? "" : "other: { plugin: keep, inputs: [numbers] }")
        """
      }
      let harness = try pipeline(text(""))
      async let report = harness.run()
      await journal.wait(until: "keep", has: 5)
      let answer = await consequence(harness, text(", poison: [-1]"))
      #expect(answer?.reason == "no start")
      #expect(
        answer?.consequence
          == "'keep' has failed for good with its old options too: no start; it is no longer running, and "
          + (isAlone ? "the run stops" : "the others continue as before"))
      #expect(!harness.log.texts(.error).contains { $0.contains("continues as before") })
      harness.pipeline.stop()
      #expect(await report.exitStatus == 1)
    }
  }

  @Test func `what does not come back with its old options in time is said to be missing`() async throws {
    try await journalled { journal in
      func text(_ options: String) -> String {
        changingText(
          "", "keep: { plugin: keep, inputs: [numbers], starts: 1, supervision: { backoff: 1m, max_backoff: 1m }\(options) }", count: 5)
      }
      let harness = try pipeline(text(""))
      async let report = harness.run()
      await journal.wait(until: "keep", has: 5)
      async let answer = consequence(harness, text(", poison: [-1]"))
      // The old options are tried twice at once, then there is a pause.
      await harness.clock.waitForPause(upTo: .seconds(60))
      await harness.clock.waitForSleeper(until: .seconds(10))
      harness.clock.advance(by: .seconds(10))
      #expect(await answer?.consequence == "'keep' has not restarted with its old options so far: no start")
      harness.pipeline.abort()
      _ = await report
    }
  }

  @Test func `what fails for good while it makes room is gone, which the answer says`() async throws {
    try await journalled { journal in
      let old = changingText(
        "", "keep: { plugin: keep, inputs: [numbers], stuck: true }, other: { plugin: keep, inputs: [numbers] }", count: 5)
      let harness = try pipeline(old)
      async let report = harness.run()
      await journal.wait(until: "keep", has: 5)
      let answer = await consequence(harness, old.replacing("stuck: true", with: "stuck: true, poison: [-1]"))
      #expect(answer?.reason == "'keep' has failed for good in the meantime: no room")
      #expect(answer?.consequence == "it is no longer running, and the others continue as before")
      harness.pipeline.stop()
      #expect(await report.exitStatus == 1)
    }
  }

  @Test func `who does not make room in time goes on`() async throws {
    try await journalled { journal in
      let harness = try pipeline(text(numbers: "count: 50, hold: true", keep: "gated: true"))
      async let report = harness.run()
      await journal.wait(for: "entered")
      async let reason = refusal(harness, text(numbers: "count: 50, hold: true", keep: "gated: true, poison: [-1]"))
      await harness.clock.waitForSleeper(until: .seconds(10))
      harness.clock.advance(by: .seconds(10))
      #expect(await reason == "'keep' has not stopped for the change within 10s")
      #expect(harness.pipeline.health.first { $0.id == "keep" }?.state == .running)
      journal.gate.open()
      await journal.wait(until: "keep", has: 50)
      harness.pipeline.stop()
      let end = await report
      #expect(journal.received(by: "keep") == all(50))
      #expect(end.exitStatus == 0)
    }
  }

  @Test func `other inputs are read by the same instance, and the edges before stay in the ledger`() async throws {
    try await journalled { journal in
      func two(_ inputs: String) -> String {
        """
        sources: { numbers: { plugin: numbers, count: 40, hold: true }, dice: { plugin: dice } }
        sinks: { keep: { plugin: keep, inputs: \(inputs) }, all: { plugin: keep, inputs: [dice, numbers] } }
        """
      }
      let harness = try pipeline(two("[numbers]"))
      async let report = harness.run()
      await journal.wait(until: "keep", has: 40)
      try await harness.change(to: two("[{ from: numbers, overflow: drop_oldest, capacity: 7 }]"))
      try await harness.change(to: two("[dice, numbers]"))
      try await harness.change(to: two("[numbers]"))
      harness.pipeline.stop()
      let end = await report
      #expect(journal.count(of: "keep starts") == 1)
      #expect(end.fate("keep")?.lives == 1)
      #expect(end.exitStatus == 0)
      let edges = end.ledger.edges.filter { $0.to == "keep" }
      #expect(edges.map(\.from) == ["dice", "numbers"], "the retired one first")
      #expect(edges.last?.counts == counts(in: 40, delivered: 40))
      #expect(edges.allSatisfy { $0.counts.residue == 0 })
    }
  }

  @Test func `what fails over and over is changed without waiting for its next attempt`() async throws {
    try await journalled { journal in
      let harness = try pipeline(text(numbers: "count: 5, hold: true", keep: "failing_starts: 1000000"))
      async let report = harness.run()
      // The clock does not move, so the supervisor waits after the second failure in a row.
      while journal.count(of: "keep starts") < 2 { await Task.yield() }
      try await harness.change(to: text(numbers: "count: 5, hold: true"))
      await journal.wait(until: "keep", has: 5)
      harness.pipeline.stop()
      #expect(await report.exitStatus == 0)
      #expect(journal.received(by: "keep") == all(5))
    }
  }

  @Test func `what cannot be changed is refused with the reason`() async throws {
    try await journalled { journal in
      let harness = try pipeline(text(numbers: "count: 5, hold: true"))
      async let report = harness.run()
      await journal.wait(until: "keep", has: 5)
      let more = text(numbers: "count: 5, hold: true") + "\n#"
      #expect(await refusal(harness, more) == nil, "a comment is no change")
      let otherOutput = text(numbers: "count: 5, hold: true").replacing("plugin: pass", with: "plugin: pass, output: { capacity: 64 }")
      #expect(await refusal(harness, otherOutput) == "the ring that 'pass' writes to cannot change")
      let added = text(numbers: "count: 5, hold: true").replacing("sinks: {", with: "sinks: { more: { plugin: keep, inputs: [numbers] },")
      #expect(await refusal(harness, added) == "added: more")
      harness.pipeline.stop()
      _ = await report
      #expect(await refusal(harness, text(keep: "poison: [1]")) == "the run is over")
    }
  }

  @Test func `a change that a stop overtakes is told so`() async throws {
    try await journalled { journal in
      let harness = try pipeline(text(numbers: "count: 50, hold: true", keep: "gated: true"))
      async let report = harness.run()
      await journal.wait(for: "entered")
      async let reason = refusal(harness, text(numbers: "count: 50, hold: true", keep: "gated: true, poison: [-1]"))
      await harness.clock.waitForSleeper(until: .seconds(10))
      harness.pipeline.stop()
      journal.gate.open()
      let end = await report
      // The sink has made room already, or ends with the run; in both cases all events have come.
      _ = await reason
      #expect(journal.received(by: "keep") == all(50))
      #expect(end.exitStatus == 0)
    }
  }
}
