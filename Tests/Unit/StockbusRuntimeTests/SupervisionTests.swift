import StockbusTestKit
import Testing

@testable import StockbusRuntime

@Suite(.timeLimit(.minutes(15))) struct SupervisionTests {
  @Test func `the first restart is at once, the bounds of further waits double, up to the longest one`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers } }
        sinks:
          bad:
            plugin: keep
            inputs: [ticks]
            failing_starts: 1000
            supervision: { restarts: 6, backoff: 100ms, max_backoff: 500ms }
        """)
      async let report = harness.run()
      // With other pauses there would be no sleeper between these times, and this would wait for ever.
      for bound in [100, 200, 400, 500, 500] { await harness.clock.passPause(upTo: .milliseconds(bound)) }
      let end = await report
      #expect(end.fate("bad")?.lives == 7)
      #expect(end.fate("bad")?.outcome == .failed("no start"))
      // The same error is logged once.
      #expect(harness.log.texts(.error) == ["error bad failed: no start"])
      #expect(harness.log.texts(.critical) == ["critical bad has failed for good after 7 attempts; the others continue"])
      #expect(journal.count(of: "bad starts") == 7)
      #expect(journal.count(of: "bad stops") == 7)
    }
  }

  @Test func `what is lost again is no progress`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 10000, output: { capacity: 4 } } }
        sinks: { bad: { plugin: keep, inputs: [ticks], loses: true, supervision: { restarts: 3, backoff: 100ms } } }
        """)
      async let report = harness.run()
      for bound in [100, 200] { await harness.clock.passPause(upTo: .milliseconds(bound)) }
      let end = await report
      #expect(end.fate("bad")?.lives == 4)
      #expect(end.fate("bad")?.outcome == .failed("nothing is kept"))
      #expect(end.ledger.isBalanced)
      #expect(end.exitStatus == 1)
    }
  }

  @Test(arguments: [
    (done: 1, lost: 0, seconds: 0, isProgress: true), (done: 0, lost: 0, seconds: 100, isProgress: false),
    (done: 9, lost: 9, seconds: 1, isProgress: false), (done: 9, lost: 5, seconds: 1, isProgress: false),
    (done: 9, lost: 4, seconds: 1, isProgress: true), (done: 9, lost: 9, seconds: 11, isProgress: true),
  ])
  func `progress is work of which most is kept, or that took longer than the longest pause`(
    _ life: (done: Int, lost: Int, seconds: Int, isProgress: Bool)
  ) {
    let before = Achievement(done: 100, lost: 50, time: .seconds(7))
    let after = Achievement(done: 100 + life.done, lost: 50 + life.lost, time: .seconds(7 + life.seconds))
    #expect(after.isProgress(since: before, longest: .seconds(10)) == life.isProgress)
  }

  @Test func `components that fail together are not restarted together, and the seed says when`() async throws {
    func restarts(seed: Int) async throws -> [Duration] {
      try await journalled { journal in
        let harness = try pipeline(
          """
          runtime: { seed: \(seed) }
          sources: { ticks: { plugin: numbers } }
          sinks:
            one: { plugin: keep, inputs: [ticks], failing_starts: 1000, supervision: { restarts: 2, backoff: 100s, max_backoff: 100s } }
            two: { plugin: keep, inputs: [ticks], failing_starts: 1000, supervision: { restarts: 2, backoff: 100s, max_backoff: 100s } }
          """)
        async let report = harness.run()
        // The source has ended, so the run sleeps too; its deadlines are whole seconds.
        func pauses() -> [Duration] { harness.clock.deadlines.filter { $0.components.attoseconds != 0 } }
        while pauses().count < 2 { await Task.yield() }
        let times = pauses()
        harness.clock.advance(by: .seconds(100))
        _ = await report
        return times
      }
    }
    let times = try await restarts(seed: 1)
    #expect(times.count == 2 && times[0] != times[1])
    #expect(times.allSatisfy { $0 >= .seconds(50) && $0 <= .seconds(100) })
    #expect(try await restarts(seed: 1) == times)
    #expect(try await restarts(seed: 2) != times)
  }

  @Test func `a component that has failed for good takes nobody down`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 10000, output: { capacity: 4 } } }
        processors: { broken: { plugin: pass, inputs: [ticks], poison: [5], supervision: { restarts: 0 } } }
        sinks: { behind: { plugin: keep, inputs: [broken] }, beside: { plugin: keep, inputs: [ticks] } }
        """)
      let end = await harness.run()
      #expect(journal.received(by: "beside") == Array(1...10000))
      #expect(journal.lines.contains("behind drains"))
      #expect(end.fate("broken")?.outcome == .failed("5 is poison"))
      #expect(end.fate("behind")?.outcome == .completed)
      #expect(end.counts("ticks", "broken")?.published == 10000)
      #expect(end.ledger.isBalanced)
      #expect(end.exitStatus == 1)
      #expect(harness.log.texts(.critical) == ["critical broken has failed for good after 1 attempt; the others continue"])
    }
  }

  @Test(arguments: ["", ", late: { plugin: letters, inputs: [dead_letters] }"])
  func `a run whose last sink has ended behind a failed processor stops, with the status of a failure`(letters: String) async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 100, hold: true } }
        processors: { broken: { plugin: pass, inputs: [ticks], poison: [5], supervision: { restarts: 0 } } }
        sinks: { behind: { plugin: keep, inputs: [broken] }\(letters) }
        """)
      let end = await harness.run()
      #expect(end.fate("broken")?.outcome == .failed("5 is poison"))
      #expect(end.fate("behind")?.outcome == .completed && end.fate("ticks")?.outcome == .completed)
      #expect(end.ledger.isBalanced && end.exitStatus == 1)
      #expect(harness.log.texts(.notice).contains("notice no sink is left: the run stops"))
    }
  }

  @Test func `on_failure stop ends the run gracefully`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 100, hold: true } }
        processors: { broken: { plugin: pass, inputs: [ticks], poison: [5], supervision: { restarts: 0, on_failure: stop } } }
        sinks: { behind: { plugin: keep, inputs: [broken] }, beside: { plugin: keep, inputs: [ticks] } }
        """)
      let end = await harness.run()
      #expect(journal.received(by: "beside") == Array(1...100))
      #expect(end.fate("ticks")?.outcome == .completed)
      #expect(end.fate("beside")?.outcome == .completed)
      #expect(end.exitStatus == 1)
      #expect(harness.log.texts(.critical) == ["critical broken has failed for good after 1 attempt; the run stops"])
    }
  }

  @Test func `a source that fails is restarted and goes on where it was`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 20, fails_at: [4, 11, 12] } }
        sinks: { end: { plugin: keep, inputs: [ticks] } }
        """)
      // Between 11 and 12 there is progress, so there is no pause.
      let end = await harness.run()
      #expect(journal.received(by: "end") == Array(1...20))
      #expect(end.fate("ticks")?.lives == 4)
      #expect(end.fate("ticks")?.outcome == .completed)
      #expect(harness.log.texts(.error) == [4, 11, 12].map { "error ticks failed: \($0) is poison" })
      #expect(end.exitStatus == 0)
    }
  }

  @Test func `a source that is stopped while it waits for its restart has completed`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 20, fails_at: [5, 5] } }
        sinks: { end: { plugin: keep, inputs: [ticks] } }
        """)
      async let report = harness.run()
      await harness.clock.waitForPause(upTo: .milliseconds(100))
      harness.pipeline.stop()
      let end = await report
      #expect(journal.received(by: "end") == [1, 2, 3, 4])
      #expect(end.fate("ticks")?.outcome == .completed)
      #expect(end.fate("ticks")?.lives == 2)
      #expect(end.exitStatus == 0)
    }
  }

  @Test func `a relay is restarted when its outgoing half fails, though nothing comes in`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 5, hold: true }, back: { plugin: echo, inputs: [ticks], poison: [5] } }
        sinks: { end: { plugin: keep, inputs: [back] } }
        """)
      async let report = harness.run()
      // The source sleeps, so no event wakes the receiving half.
      await harness.log.wait(for: "back failed: 5 is poison")
      harness.pipeline.stop()
      let end = await report
      #expect(journal.received(by: "end") == [1, 2, 3, 4])
      #expect(end.fate("back")?.lives == 2)
      #expect(end.fate("back")?.outcome == .completed)
    }
  }

  @Test func `a drain that throws is a failure for good, because what was held back is lost`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers } }
        processors: { leaky: { plugin: pass, inputs: [ticks], leaks: true } }
        sinks: { end: { plugin: keep, inputs: [leaky] } }
        """)
      let end = await harness.run()
      #expect(end.fate("leaky")?.outcome == .failed("a leak"))
      #expect(end.fate("leaky")?.lives == 1)
      #expect(journal.received(by: "end") == Array(1...10))
      #expect(end.exitStatus == 1)
    }
  }
}
