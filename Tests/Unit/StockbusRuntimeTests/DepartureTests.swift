import EventBus
import TestSupport
import StockbusConfig
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import StockbusRuntime

/// What a run keeps of components that have left it.
@Suite(.timeLimit(.minutes(15))) struct DepartureTests {
  /// Whether a component's slot and topic are still there.
  private struct Trace {
    let number: Int
    weak var slot: Slot?
    weak var topic: (any AnyTopic)?

    init(_ member: Member) {
      number = member.number
      slot = member.slot
      topic = member.slot.output
    }
  }

  private let keep = "keep: { plugin: keep, inputs: [numbers] }"

  /// Changes the run; returns false if that was refused because something does not start, or is read by nobody.
  private func change(_ harness: PipelineHarness, to text: String) async throws -> Bool {
    do {
      try await harness.apply(text)
      return true
    } catch let error as ChangeError {
      #expect("\(error)".hasSuffix(" does not start: no start"))
      return false
    } catch let problems as Problems {
      #expect("\(problems)".contains("nothing reads it"))
      return false
    }
  }

  /// Returns when the loop has done everything before.
  private func passLoop(of harness: PipelineHarness) async throws {
    let stranger = try #require(pipeline(changingText("", "stranger: { plugin: keep, inputs: [numbers] }")).topology.nodes.last)
    await #expect(throws: ChangeError("there is no component 'stranger'")) { try await harness.pipeline.exchange(stranger) }
  }

  /// A component that has left leaves no slot, no topic and no entry of its own behind; only sums under its name.
  @Test(arguments: 0..<4) func `after many changes nothing is left of former components but sums`(seed: Int) async throws {
    try await journalled { journal in
      var random = SplitMix(seed)
      // More than there is time for, so that the source is at work all the time.
      let count = 100_000_000
      let direct = changingText("", keep, count: count)
      let harness = try pipeline(
        direct.replacing("\nsinks: { ", with: "\nsinks: { thrown: { plugin: keep, inputs: [dice] }, ")
          .replacing("sources: { ", with: "sources: { dice: { plugin: dice }, "))
      async let report = harness.run()
      var traces = harness.pipeline.members.map(Trace.init)
      for round in 1...40 {
        await journal.wait(until: "keep", has: journal.received(by: "keep").count + 20)
        if try await change(harness, to: randomText(&random, round, count: count)) { traces += harness.pipeline.members.map(Trace.init) }
      }
      try await harness.apply(direct)
      // The last instance that read otherwise is at its new input when it gets an event from there.
      await journal.wait(until: "keep", has: journal.received(by: "keep").count + 1)
      try await passLoop(of: harness)
      let present = harness.pipeline.members
      #expect(present.map(\.id) == ["numbers", "keep"])
      #expect(harness.pipeline.everybody.map(\.number) == present.map(\.number))
      let former = traces.filter { trace in !present.contains { $0.number == trace.number } }
      #expect(Set(former.map(\.number)).count > 40)
      #expect(former.allSatisfy { $0.slot == nil && $0.topic == nil }, "seed \(seed)")
      #expect(present.allSatisfy { member in traces.contains { $0.slot === member.slot } }, "these are still there")
      harness.pipeline.stop()
      let end = await report
      #expect(end.exitStatus == 0, "\(end.fates)")
      let edges = end.ledger.edges.map { "\($0.from) → \($0.to)" }
      #expect(Set(edges).count == edges.count)
      let counters = end.ledger.counters.map { "\($0.component): \($0.name)" }
      #expect(Set(counters).count == counters.count)
      #expect(Set(end.fates.map(\.id)).count == end.fates.count, "all have ended in the same way")
    }
  }

  /// The test keeps all components that ever were, and adds up at the end what they say themselves.
  @Test(arguments: 0..<6) func `the ledger is the sum of all components that there ever were`(seed: Int) async throws {
    try await journalled { journal in
      var random = SplitMix(seed + 100)
      let harness = try pipeline(changingText("", keep))
      async let report = harness.run()
      var all = Dictionary(uniqueKeysWithValues: harness.pipeline.members.map { ($0.number, $0) })
      for round in 1...25 {
        await journal.wait(until: "keep", has: round * 100)
        guard try await change(harness, to: randomText(&random, round, count: 3000)) else { continue }
        for member in harness.pipeline.members { all[member.number] = member }
      }
      await journal.wait(until: "keep", has: 3000)
      harness.pipeline.stop()
      let end = await report
      #expect(journal.received(by: "keep") == (1...3000).map { Int64($0) })
      var edges: [String: EdgeCounts] = [:]
      var seen: [String: Int] = [:]
      for member in all.values {
        for edge in member.slot.edges { edges["\(edge.from) → \(edge.to)", default: EdgeCounts()] += edge.counts }
        for entry in member.counters.entries { seen[member.id, default: 0] += entry.counter.total }
      }
      #expect(Dictionary(uniqueKeysWithValues: end.ledger.edges.map { ("\($0.from) → \($0.to)", $0.counts) }) == edges)
      #expect(Dictionary(uniqueKeysWithValues: end.ledger.counters.map { ($0.component, $0.total) }) == seen)
      for sink in ["keep", "k0", "k1", "k2", "of_p0", "of_p3"] {
        let delivered = end.ledger.edges.filter { $0.to == sink }.reduce(0) { $0 + $1.counts.delivered }
        #expect(delivered == journal.received(by: sink).count, "\(sink)")
      }
      #expect(end.events == 3000)
      #expect(end.ledger.isBalanced && end.ledger.total.inFlight == 0)
      #expect(end.exitStatus == 0, "\(end.fates)")
    }
  }

  @Test func `nothing is left of components that were to come with a change that was refused`() async throws {
    try await journalled { journal in
      let refusing = Plugin("refusing", "Does not start.", .sink(Refusing.self))
      let harness = try PipelineHarness(changingText("", keep), plugins: plugins + [refusing])
      async let report = harness.run()
      async let change = change(
        harness,
        to: changingText("pass: { plugin: pass, inputs: [numbers] }", keep + ", more: { plugin: refusing, inputs: [pass] }"))
      await journal.wait(for: "asked to start")
      let traces = harness.pipeline.coming.map(Trace.init)
      journal.gate.open()
      #expect(try await !change)
      try await passLoop(of: harness)
      #expect(traces.count == 2 && traces.allSatisfy { $0.slot == nil && $0.topic == nil })
      await journal.wait(until: "keep", has: 3000)
      harness.pipeline.stop()
      #expect(await report.exitStatus == 0)
    }
  }

  @Test func `a component that hangs is kept until it ends, and no longer`() async throws {
    try await journalled { journal in
      let harness = try pipeline(changingText("", keep + ", more: { plugin: keep, inputs: [numbers], gated: true }"))
      async let report = harness.run()
      await journal.wait(for: "entered")
      let (trace, ended) = { ($0.map(Trace.init), $0?.end) }(harness.pipeline.member("more"))
      async let change = harness.apply(changingText("", keep))
      // It does not end by itself, nor when it is cut off.
      for seconds in [10, 20] {
        await harness.clock.waitForSleeper(until: .seconds(seconds))
        harness.clock.advance(by: .seconds(10))
      }
      _ = try await change
      #expect(harness.pipeline.everybody.map(\.id) == ["more", "numbers", "keep"] && trace?.slot != nil)
      journal.gate.open()
      await ended?.wait()
      try await passLoop(of: harness)
      #expect(harness.pipeline.everybody.map(\.id) == ["numbers", "keep"] && trace?.slot == nil)
      await journal.wait(until: "keep", has: 3000)
      harness.pipeline.stop()
      let end = await report
      #expect(end.fate("more") == .init(id: "more", lives: 1, outcome: .cancelled))
      #expect(end.fates.map(\.id) == ["more", "numbers", "keep"])
      #expect(end.ledger.isBalanced && end.ledger.total.inFlight == 0)
    }
  }

  @Test func `a component that ended long ago still counts what is published for it until it has left`() async throws {
    try await journalled { journal in
      let (failing, late) = (Plugin("failing", "Fails.", .sink(Failing.self)), Plugin("late", "Is late.", .asyncProcessor(Late.self)))
      let more = ", more: { plugin: failing, inputs: [late], number: 1, supervision: { restarts: 0 } }"
      let extra = ", extra: { plugin: keep, inputs: [numbers] }"
      let harness = try PipelineHarness(
        changingText("late: { plugin: late, inputs: [numbers] }", keep + more + extra, count: 100_000_000),
        plugins: plugins + [failing, late])
      let pipeline = harness.pipeline
      let before = pipeline.members
      async let report = harness.run()
      await pipeline.member("more")?.end.wait()
      async let change = harness.apply(changingText("", keep, count: 100_000_000))
      // Another component ends during the change, and `late` has still something to publish.
      await before.first { $0.id == "extra" }?.end.wait()
      try await passLoop(of: harness)
      journal.gate.open()
      _ = try await change
      #expect(pipeline.everybody.map(\.id) == ["numbers", "keep"])
      let published = try #require(before.first { $0.id == "late" }?.slot.output?.published)
      pipeline.stop()
      let end = await report
      #expect(end.counts("late", "more")?.published == published)
      #expect(end.ledger.isBalanced && end.ledger.total.inFlight == 0)
    }
  }

  @Test func `the report has one fate for components of a name that have ended alike, and counts them`() async throws {
    try await journalled { journal in
      let failing = Plugin("failing", "Fails.", .sink(Failing.self))
      func text(_ capacity: Int, _ number: Int) -> String {
        changingText(
          "pass: { plugin: pass, inputs: [numbers], output: { capacity: \(capacity) } }",
          keep + ", more: { plugin: failing, inputs: [pass], number: \(number), supervision: { restarts: 0 } }", count: 100_000_000)
      }
      let harness = try PipelineHarness(text(8, 1), plugins: plugins + [failing])
      async let report = harness.run()
      // With another ring `pass` is another component, and so is what has ended.
      for (capacity, number) in [(16, 2), (32, 3), (64, 0), (8, 0)] {
        if capacity != 8 { await harness.pipeline.member("more")?.end.wait() }
        try await harness.apply(text(capacity, number))
      }
      harness.pipeline.stop()
      let end = await report
      func fates(_ id: String) -> [RunReport.Fate] { end.fates.filter { $0.id == id } }
      #expect(fates("pass") == [.init(id: "pass", lives: 5, outcome: .completed, components: 5)])
      #expect(
        fates("more") == [
          .init(id: "more", lives: 3, outcome: .failed("fault 3"), components: 3),
          .init(id: "more", lives: 1, outcome: .completed),
        ])
      #expect(fates("keep") == [.init(id: "keep", lives: 1, outcome: .completed)])
      #expect(harness.log.texts(.critical).count == 3)
      #expect(end.exitStatus == 1)
      #expect(end.ledger.isBalanced)
    }
  }

  @Test func `the last notes of a name are kept, and the others are counted`() async throws {
    try await journalled { journal in
      let noting = Plugin("noting", "Notes its number.", .sink(Noting.self))
      func text(_ number: Int?) -> String {
        changingText("", keep + (number.map { ", more: { plugin: noting, inputs: [numbers], number: \($0) }" } ?? ""))
      }
      let harness = try PipelineHarness(text(nil), plugins: plugins + [noting])
      async let report = harness.run()
      // The first two say the same, which counts once.
      for number in [0] + Array(0..<20) {
        try await harness.apply(text(number))
        try await harness.apply(text(nil))
      }
      harness.pipeline.stop()
      let end = await report
      #expect(end.ledger.notes.map(\.text) == (4..<20).map { "number \($0)" } + ["4 earlier notes left out"])
      #expect(end.ledger.notes.allSatisfy { $0.component == "more" })
      #expect(end.fates.first { $0.id == "more" } == .init(id: "more", lives: 21, outcome: .completed, components: 21))
    }
  }
}

private struct NumberSettings: Options {
  @Setting("Its number.") var number = 0
  init() {}
}

private actor Failing: Sink {
  private let number: Int
  init(_ settings: NumberSettings, _ context: Context) { number = settings.number }

  func receive(_ events: Span<Tick>) throws { if number > 0 { throw Broken(description: "fault \(number)") } }
}

private actor Noting: Sink {
  init(_ settings: NumberSettings, _ context: Context) { context.note("number \(settings.number)") }
  func receive(_ events: Span<Tick>) {}
}

private actor Refusing: Sink {
  private let journal = Journal.current
  init(_: NoOptions, _: Context) {}

  func start() async throws {
    journal.note("asked to start")
    await journal.gate.pass()
    throw Broken(description: "no start")
  }

  func receive(_ events: Span<Tick>) {}
}

/// Passes numbers on, and publishes one more at its end, when the gate is open.
private actor Late: AsyncProcessor {
  private let journal = Journal.current
  init(_: NoOptions, _: Context) {}

  func process(_ events: Span<Tick>, into output: inout Outlet<Tick>) { for i in events.indices { output.send(events[i]) } }

  func drain(into output: inout Outlet<Tick>) async {
    await journal.gate.pass()
    output.send(Tick(0))
  }
}
