import EventBus
import MarketData
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import StockbusRuntime

extension Plugin {
  fileprivate static let states = Plugin("states", "Notes the states of components.", .sink(States.self))
  fileprivate static let pulse = Plugin("pulse", "Sends a number every ten seconds.", .source(Pulse.self))
  fileprivate static let talking = Plugin("talking", "Tells of a connection, at first and at the end.", .sink(Talking.self))
  fileprivate static let links = Plugin("links", "Takes connections.", .sink(Links.self))
  fileprivate static let givingUp = Plugin("giving_up", "Cannot work, and says so, and fails.", .sink(GivingUp.self))
  fileprivate static let troubled = Plugin("troubled", "Cannot work at first.", .sink(Troubled.self))
}

private actor States: Sink {
  private let journal = Journal.current
  init(_: NoOptions, _: Context) {}

  func receive(_ events: Span<Health>) {
    for i in events.indices {
      let reason = events[i].reason.isEmpty ? "" : ": \(events[i].reason)"
      journal.note("\(events[i].component) is \(events[i].state.fieldName) after \(events[i].starts)\(reason)")
    }
  }
}

/// Says of itself that it cannot work, until the third number.
private actor Troubled: Sink {
  private let context: Context
  init(_: NoOptions, _ context: Context) { self.context = context }

  func receive(_ events: Span<Tick>) {
    for i in events.indices { context.report(trouble: events[i].number < 3 ? "no room" : nil) }
  }
}

private actor Talking: Sink {
  private let context: Context
  init(_: NoOptions, _ context: Context) { self.context = context }

  func start() { context.connection(.connected, "there") }
  func receive(_ events: Span<Health>) {}
  func drain() { context.connection(.disconnected, "gone") }
}

private actor Links: Sink {
  private let journal = Journal.current
  init(_: NoOptions, _: Context) {}
  func receive(_ events: Span<ConnectionStatus>) { journal.note("\(events.count) connection") }
}

private actor GivingUp: Sink {
  private let context: Context
  init(_: NoOptions, _ context: Context) { self.context = context }

  func receive(_ events: Span<Tick>) throws {
    context.report(trouble: "no room")
    throw EnvironmentFailure("still no room", isPermanent: true)
  }
}

private actor Pulse: Source {
  private let clock: any Timekeeper
  init(_: NoOptions, _ context: Context) { clock = context.clock }

  func run(into output: inout Outlet<Tick>) async throws {
    for number in 1... {
      try await clock.sleep(for: .seconds(10))
      try await output.publish(Tick(Int64(number)))
    }
  }
}

/// The topic of the components' states.
@Suite(.timeLimit(.minutes(15))) struct HealthTests {
  private func harness(_ text: String) throws -> PipelineHarness {
    try PipelineHarness(text, plugins: plugins + [.states, .pulse, .troubled])
  }

  private func states(of id: String, _ journal: Journal) -> [String] { journal.lines.filter { $0.hasPrefix("\(id) is ") } }

  @Test func `a component is degraded after a failure until it does its work again`() async throws {
    try await journalled { journal in
      let harness = try harness(
        """
        sources: { beat: { plugin: pulse } }
        sinks: { bad: { plugin: keep, inputs: [beat], failing_starts: 1 }, seen: { plugin: states, inputs: [health] } }
        """)
      async let report = harness.run()
      await journal.wait(for: "bad is degraded after 2: no start")
      while !journal.lines.contains("bad is running after 2: no start") {
        harness.clock.advance(by: .seconds(1))
        await Task.yield()
      }
      harness.pipeline.stop()
      let end = await report
      #expect(
        states(of: "bad", journal) == [
          "bad is starting after 0", "bad is degraded after 2: no start", "bad is running after 2: no start",
          "bad is draining after 2: no start", "bad is ended after 2: no start",
        ])
      #expect(
        states(of: "beat", journal) == [
          "beat is starting after 0", "beat is running after 1", "beat is draining after 1", "beat is ended after 1",
        ])
      // What becomes of the one that reads them would be news about news.
      #expect(states(of: "seen", journal).isEmpty)
      #expect(end.counts("health", "seen") == counts(in: 9, delivered: 9))
      #expect(end.exitStatus == 0)
    }
  }

  @Test func `a component that says it cannot work is degraded until it says that it can`() async throws {
    try await journalled { journal in
      let harness = try harness(
        """
        sources: { beat: { plugin: pulse } }
        sinks: { bad: { plugin: troubled, inputs: [beat] }, seen: { plugin: states, inputs: [health] } }
        """)
      async let report = harness.run()
      while journal.count(of: "bad is running after 1") < 2 {
        harness.clock.advance(by: .seconds(1))
        await Task.yield()
      }
      harness.pipeline.stop()
      #expect(await report.exitStatus == 0)
      #expect(
        states(of: "bad", journal) == [
          "bad is starting after 0", "bad is running after 1", "bad is degraded after 1: no room", "bad is running after 1",
          "bad is draining after 1", "bad is ended after 1",
        ])
    }
  }

  @Test func `a component that hangs is degraded until it goes on, and those that it holds up are not`() async throws {
    try await journalled { journal in
      let harness = try PipelineHarness(
        """
        sources: { ticks: { plugin: numbers, hold: true } }
        processors: { between: { plugin: pass, inputs: [ticks], output: { capacity: 2 } } }
        sinks:
          stuck: { plugin: keep, inputs: [between], gated: true, supervision: { stall: 20s } }
          good: { plugin: keep, inputs: [ticks] }
          seen: { plugin: states, inputs: [health] }
        """, plugins: plugins + [.states], watchesStalls: true)
      async let report = harness.run()
      await journal.wait(for: "entered")
      for id in ["ticks", "between", "stuck", "good"] { await journal.wait(for: "\(id) is running after 1") }
      func isHeldUp(_ id: String) -> Bool { id == "stuck" || id == "between" }
      while harness.pipeline.edges.contains(where: { !isHeldUp($0.to) && $0.counts.inFlight > 0 }) { await Task.yield() }
      // The watch begins with what it sees after 5 s; 20 s later nothing was finished.
      for time in [5, 10, 15, 20] {
        await harness.clock.waitForSleeper(until: .seconds(time))
        harness.clock.advance(by: .seconds(5))
      }
      await harness.clock.waitForSleeper(until: .seconds(25))
      #expect(states(of: "stuck", journal).last == "stuck is running after 1")
      harness.clock.advance(by: .seconds(5))
      await journal.wait(for: "stuck is degraded after 1: has finished no event for 20s while events wait")
      #expect(harness.pipeline.health.filter { $0.state == .degraded }.map(\.id) == ["stuck"])
      journal.gate.open()
      while harness.pipeline.edges.contains(where: { $0.to == "stuck" && $0.counts.delivered < 10 }) { await Task.yield() }
      await harness.clock.waitForSleeper(until: .seconds(30))
      harness.clock.advance(by: .seconds(5))
      while states(of: "stuck", journal).last != "stuck is running after 1" { await Task.yield() }
      harness.pipeline.stop()
      #expect(await report.exitStatus == 0)
      #expect(
        states(of: "stuck", journal) == [
          "stuck is starting after 0", "stuck is running after 1",
          "stuck is degraded after 1: has finished no event for 20s while events wait", "stuck is running after 1",
          "stuck is draining after 1", "stuck is ended after 1",
        ])
      #expect(states(of: "between", journal).count == 4 && states(of: "good", journal).count == 4)
    }
  }

  @Test func `one that fails for good says so, with its reason, and one that waits for its next attempt too`() async throws {
    try await journalled { journal in
      let harness = try harness(
        """
        sources: { ticks: { plugin: numbers, hold: true } }
        sinks:
          bad: { plugin: keep, inputs: [ticks], failing_starts: 9, supervision: { restarts: 2, backoff: 100s, max_backoff: 100s } }
          good: { plugin: keep, inputs: [ticks] }
          seen: { plugin: states, inputs: [health] }
        """)
      async let report = harness.run()
      await journal.wait(for: "bad is backing_off after 2: no start")
      await harness.clock.passPause(upTo: .seconds(100))
      await journal.wait(for: "bad is failed after 3: no start")
      #expect(
        states(of: "bad", journal) == [
          "bad is starting after 0", "bad is backing_off after 2: no start", "bad is starting after 3: no start",
          "bad is failed after 3: no start",
        ])
      harness.pipeline.stop()
      #expect(await report.exitStatus == 1)
      #expect(states(of: "bad", journal).count == 4 && states(of: "good", journal).last == "good is ended after 1")
    }
  }

  @Test func `a component that comes with a change, and one that leaves`() async throws {
    try await journalled { journal in
      func text(_ sink: String) -> String {
        """
        sources: { ticks: { plugin: numbers, hold: true } }
        sinks: { \(sink): { plugin: keep, inputs: [ticks] }, seen: { plugin: states, inputs: [health] } }
        """
      }
      let harness = try harness(text("old"))
      async let report = harness.run()
      await journal.wait(for: "old is running after 1")
      _ = try await harness.apply(text("new"))
      await journal.wait(for: "old is ended after 1")
      await journal.wait(for: "new is running after 1")
      harness.pipeline.stop()
      let end = await report
      #expect(end.exitStatus == 0 && end.ledger.lost == 0)
      #expect(states(of: "new", journal).last == "new is ended after 1")
    }
  }

  @Test func `readers of several topics of a run end one after another, and nothing is lost`() async throws {
    try await journalled { journal in
      let harness = try harness(
        """
        sources: { ticks: { plugin: numbers, count: 3, rejects: 2 } }
        sinks:
          end: { plugin: keep, inputs: [ticks] }
          late: { plugin: letters, inputs: [dead_letters] }
          seen: { plugin: states, inputs: [health] }
        """)
      let end = await harness.run()
      #expect(end.exitStatus == 0 && end.ledger.lost == 0)
      #expect(states(of: "late", journal).last == "late is ended after 1")
      #expect(journal.lines.firstIndex(of: "letters drained")! < journal.lines.firstIndex(of: "late is ended after 1")!)
      #expect(end.counter("health", "reported too late") == nil)
    }
  }

  @Test func `what a reader of states says to a topic that has ended is counted, and no loss`() async throws {
    try await journalled { journal in
      let harness = try PipelineHarness(
        """
        sources: { ticks: { plugin: numbers, hold: true } }
        sinks:
          end: { plugin: keep, inputs: [ticks] }
          late: { plugin: links, inputs: [connections] }
          seen: { plugin: talking, inputs: [health] }
        """, plugins: plugins + [.talking, .links])
      async let report = harness.run()
      await journal.wait(for: "1 connection")
      harness.pipeline.stop()
      let end = await report
      #expect(end.exitStatus == 0 && end.ledger.lost == 0)
      #expect(end.counts("connections", "late")?.delivered == 1)
      #expect(end.counter("connections", "reported too late") == 1)
    }
  }

  @Test func `one that cannot work and then fails for good is degraded until it has failed`() async throws {
    try await journalled { journal in
      let harness = try PipelineHarness(
        """
        sources: { ticks: { plugin: numbers, count: 3 } }
        sinks:
          bad: { plugin: giving_up, inputs: [ticks] }
          good: { plugin: keep, inputs: [ticks] }
          seen: { plugin: states, inputs: [health] }
        """, plugins: plugins + [.states, .givingUp])
      #expect(await harness.run().exitStatus == 1)
      #expect(
        states(of: "bad", journal) == [
          "bad is starting after 0", "bad is running after 1", "bad is degraded after 1: no room", "bad is failed after 1: still no room",
        ])
    }
  }

  @Test func `states that nobody reads are no loss, however a run ends`() async throws {
    try await journalled { _ in
      let harness = try harness("sources: { ticks: { plugin: numbers, hold: true } }\nsinks: { end: { plugin: keep, inputs: [ticks] } }")
      async let report = harness.run()
      await harness.pipeline.waitForStart()
      harness.pipeline.abort()
      let end = await report
      #expect(end.ledger.lost == 0 && end.ledger.counters.allSatisfy { $0.component != "health" })
    }
  }
}
