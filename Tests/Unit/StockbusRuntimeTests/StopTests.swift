import StockbusTestKit
import Testing

@testable import StockbusRuntime

@Suite(.timeLimit(.minutes(15))) struct StopTests {
  @Test func `a graceful stop ends the source and delivers what it has sent`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 20000, hold: true } }
        processors: { first: { plugin: pass, inputs: [ticks], output: { capacity: 16 } }, second: { plugin: async_pass, inputs: [first] } }
        sinks: { end: { plugin: keep, inputs: [second] } }
        """)
      async let report = harness.run()
      await journal.wait(for: "ticks has sent everything")
      harness.pipeline.stop()
      harness.pipeline.stop()
      let end = await report
      #expect(journal.received(by: "end") == Array(1...20000))
      #expect(journal.lines.suffix(2) == ["end drains", "end stops"])
      #expect(end.exitStatus == 0)
      #expect(end.fates.map(\.outcome) == [.completed, .completed, .completed, .completed])
    }
  }

  @Test func `what a stopped source has sent but not flushed is delivered`() async throws {
    try await journalled { journal in
      // The ring has room for 16 of the 100; the others are in the spill until there is room, although the source is cancelled meanwhile.
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 100, output: { capacity: 16 } } }
        sinks: { end: { plugin: keep, inputs: [ticks], gated: true } }
        """)
      async let report = harness.run()
      await journal.wait(for: "entered")
      harness.pipeline.stop()
      journal.gate.open()
      let end = await report
      #expect(journal.received(by: "end") == Array(1...100))
      #expect(end.exitStatus == 0)
    }
  }

  @Test func `a relay sends on what it has received before it ends`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 3000, hold: true }, back: { plugin: echo, inputs: [ticks] } }
        sinks: { end: { plugin: keep, inputs: [back] } }
        """)
      async let report = harness.run()
      await journal.wait(for: "ticks has sent everything")
      harness.pipeline.stop()
      let end = await report
      #expect(journal.received(by: "end") == Array(1...3000))
      #expect(end.exitStatus == 0)
      #expect(try #require(journal.index(of: "back stops")) < #require(journal.index(of: "end drains")))
    }
  }

  @Test func `the deadline names who was late`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        runtime: { drain_deadline: 7s }
        sources: { ticks: { plugin: numbers, hold: true } }
        sinks: { stuck: { plugin: keep, inputs: [ticks], gated: true }, fine: { plugin: keep, inputs: [ticks] } }
        """)
      async let report = harness.run()
      await journal.wait(for: "entered")
      harness.pipeline.stop()
      await journal.wait(for: "fine stops")
      await harness.clock.waitForSleeper(until: .seconds(7))
      harness.clock.advance(by: .seconds(7) - .nanoseconds(1))
      #expect(harness.clock.deadlines == [.seconds(7)])
      harness.clock.advance(by: .nanoseconds(1))
      await harness.log.wait(for: "not drained within")
      #expect(harness.pipeline.runningComponents == ["stuck"])
      // Only so that the test can end; the program ends without this.
      journal.gate.open()
      let end = await report
      #expect(harness.log.texts(.error) == ["error not drained within 7s: stuck"])
      #expect(end.late == ["stuck"])
      #expect(end.fate("stuck")?.outcome == .cancelled)
      #expect(end.fate("fine")?.outcome == .completed)
      #expect(end.ledger.isBalanced)
      #expect(end.exitStatus == 1)
    }
  }

  @Test func `at the end of the data who takes long is named, again and again, and not cut off`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        runtime: { drain_deadline: 7s }
        sources: { ticks: { plugin: numbers, count: 30 } }
        sinks: { slow: { plugin: keep, inputs: [ticks], gated: true }, fine: { plugin: keep, inputs: [ticks] } }
        """)
      async let report = harness.run()
      await journal.wait(for: "fine stops")
      for seconds in [7, 14, 28] {
        await harness.clock.waitForSleeper(until: .seconds(seconds))
        harness.clock.advance(by: harness.clock.deadlines[0] - harness.clock.uptime)
        await harness.log.wait(for: "after \(seconds)s:")
      }
      journal.gate.open()
      let end = await report
      #expect(
        harness.log.texts(.warning) == ["7s", "14s", "28s"].map { "warning still draining after \($0): slow" })
      #expect(journal.received(by: "slow") == Array(1...30))
      #expect(end.exitStatus == 0)
    }
  }

  @Test func `an abort ends everything, and what waits is dropped`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, count: 1000, hold: true, meet_after: 1 } }
        sinks: { stuck: { plugin: keep, inputs: [ticks], gated: true } }
        """)
      async let report = harness.run()
      await journal.wait(for: "ticks has sent everything")
      harness.pipeline.stop()
      harness.pipeline.abort()
      journal.gate.open()
      let end = await report
      #expect(journal.received(by: "stuck").first == 1)
      #expect(end.fate("stuck")?.outcome == .cancelled)
      #expect(end.ledger.isBalanced)
      #expect(end.counts("ticks", "stuck")?.published == 1000)
      #expect(end.counts("ticks", "stuck")?.inFlight == 0)
      #expect(end.exitStatus == 1)
    }
  }

  /// Otherwise the run's loop would listen in vain, again and again, while a component takes long to end.
  @Test func `a cancelled reader of the changes is told so, whatever waits`() async {
    let queue = ChangeQueue()
    let reader = Task { await queue.next() }
    reader.cancel()
    #expect(await reader.value?.count == nil)
    queue.post(.started(1))
    #expect(await Task { await queue.next() }.value?.count == 1)
  }

  @Test func `an abort ends a back-off`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, hold: true } }
        sinks: { bad: { plugin: keep, inputs: [ticks], failing_starts: 1000, supervision: { restarts: 1000, backoff: 1h, max_backoff: 1h } } }
        """)
      async let report = harness.run()
      await harness.clock.waitForPause(upTo: .seconds(3600))
      harness.pipeline.abort()
      let end = await report
      #expect(end.fate("bad")?.outcome == .cancelled)
      #expect(end.counts("ticks", "bad")?.residue == 0)
      #expect(end.exitStatus == 1)
    }
  }

  @Test func `cancelling the run's task aborts`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        """
        sources: { ticks: { plugin: numbers, hold: true } }
        processors: { middle: { plugin: pass, inputs: [ticks] } }
        sinks: { end: { plugin: keep, inputs: [middle] } }
        """)
      let run = Task { await harness.run() }
      await journal.wait(until: "end", has: 10)
      run.cancel()
      let end = await run.value
      #expect(end.fate("end")?.outcome == .cancelled)
      #expect(end.ledger.isBalanced)
      #expect(end.exitStatus == 1)
    }
  }

  @Test func `a stop before the beginning runs nothing`() async throws {
    try await journalled { journal in
      let harness = try pipeline(
        "{ sources: { ticks: { plugin: numbers, hold: true } }, sinks: { end: { plugin: keep, inputs: [ticks] } } }")
      harness.pipeline.stop()
      let end = await harness.run()
      #expect(end.exitStatus == 0)
      #expect(end.ledger.total.residue == 0)
    }
  }
}
