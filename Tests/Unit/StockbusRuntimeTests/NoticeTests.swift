import EventBus
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import StockbusRuntime

extension Plugin {
  fileprivate static let line = Plugin("line", "Posts what a connection goes through.", .source(Line.self))
  fileprivate static let notes = Plugin("notes", "Notes states and gaps.", .sink(Notes.self))
  fileprivate static let herald = Plugin("herald", "Passes on every second number.", .relay(Herald.self, as: .sink))
}

private let connected: [Plugin] = [.numbers, .keep, .pass, .line, .notes, .herald]

private struct LineSettings: Options {
  @Setting("How many gaps.") var gaps = 1
  @Setting("How long it has no connection before it has a second one.") var away = Duration.zero
  init() {}
}

private actor Line: Source {
  private let gaps: Int
  private let away: Duration
  private let context: Context
  init(_ settings: LineSettings, _ context: Context) {
    (gaps, away) = (settings.gaps, settings.away)
    self.context = context
  }

  func run(into output: inout Outlet<Tick>) async throws {
    context.connection(.connecting, "to a place")
    context.connection(.connected, "hello")
    for gap in 0..<gaps { context.gap(in: "A", expected: Int64(10 * gap + 3), got: Int64(10 * gap + 7)) }
    if away > .zero {
      for reason in ["it was cut", "refused"] {
        context.connection(.disconnected, reason)
        context.connection(.connecting, "to a place")
      }
      try await context.clock.sleep(for: away)
      context.connection(.connected, "hello")
    }
    try await output.publish(Tick(1))
    context.connection(.disconnected, "good bye")
  }
}

private actor Notes: MultiSink {
  private let journal = Journal.current
  init(_: NoOptions, _: Context) {}

  static var handlers: [Handler<Notes>] {
    [
      Handler(ConnectionStatus.self) { sink, events in
        for i in events.indices { sink.note("\(events[i].component) \(events[i].state.fieldName): \(events[i].reason)") }
      },
      Handler(Gap.self) { sink, events in
        for i in events.indices {
          sink.note("\(events[i].component) \(events[i].stream): \(events[i].got) for \(events[i].expected)")
        }
      },
      Handler(Tick.self) { sink, events in for i in events.indices { sink.note("tick \(events[i].number)") } },
    ]
  }

  private func note(_ line: String) { journal.note(line) }
  func drain() { journal.note("notes drained") }
}

/// Publishes only the even ones.
private actor Herald: Sink, Source {
  private let told: AsyncStream<Tick>
  private let tell: AsyncStream<Tick>.Continuation
  init(_: NoOptions, _: Context) { (told, tell) = AsyncStream.makeStream() }

  func receive(_ events: Span<Tick>) {
    for i in events.indices where events[i].number.isMultiple(of: 2) { tell.yield(events[i]) }
  }

  func drain() { tell.finish() }

  func run(into output: inout Outlet<Tick>) async throws { for await tick in told { try await output.publish(tick) } }
}

@Suite(.timeLimit(.minutes(15))) struct NoticeTests {
  @Test func `connection states and gaps are read like any output, and drain after their makers`() async throws {
    try await journalled { journal in
      let harness = try PipelineHarness(
        """
        sources: { venue: { plugin: line } }
        sinks: { seen: { plugin: notes, inputs: [venue, connections, gaps] } }
        """, plugins: connected)
      let end = await harness.run()
      #expect(
        journal.lines.filter { $0.hasPrefix("venue") && !$0.contains("start") && !$0.contains("stop") }.sorted() == [
          "venue A: 7 for 3", "venue connected: hello", "venue connecting: to a place", "venue disconnected: good bye",
        ])
      #expect(
        journal.lines.filter { $0.hasPrefix("venue c") || $0.hasPrefix("venue d") }.map { $0.split(separator: ":")[0] }
          == ["venue connecting", "venue connected", "venue disconnected"])
      #expect(journal.lines.last == "notes drained")
      #expect(end.counts("connections", "seen") == counts(in: 3, delivered: 3))
      #expect(end.counts("gaps", "seen") == counts(in: 1, delivered: 1))
      #expect(end.counter("venue", "gaps") == 1)
      #expect(end.counter("venue", "dead letters") == nil)
      #expect(end.exitStatus == 0)
      #expect(
        harness.log.texts(.warning) == ["warning venue: gap in A: expected 3, got 7"])
    }
  }

  @Test func `a connection that is there again is in the log, with the time without it`() async throws {
    try await journalled { _ in
      let harness = try PipelineHarness(
        """
        sources: { venue: { plugin: line, gaps: 0, away: 90s } }
        sinks: { end: { plugin: keep, inputs: [venue] } }
        """, plugins: connected)
      async let running = harness.run()
      await harness.clock.waitForSleeper(until: .seconds(90))
      harness.clock.advance(by: .seconds(90))
      #expect(await running.exitStatus == 0)
      #expect(harness.log.texts(.notice) == ["notice venue: connected after 1m30s: hello"])
    }
  }

  @Test func `notices that nobody reads cost nothing and are no loss`() async throws {
    try await journalled { _ in
      let harness = try PipelineHarness(
        """
        sources: { venue: { plugin: line, gaps: 10000 } }
        sinks: { end: { plugin: keep, inputs: [venue] } }
        """, plugins: connected)
      let end = await harness.run()
      #expect(end.counter("venue", "gaps") == 10_000)
      #expect(end.ledger.lost == 0)
      #expect(end.exitStatus == 0)
      #expect(harness.log.texts(.warning).count == 5)
      #expect(
        harness.log.texts(.warning).last == "warning venue: gap in A: expected 43, got 47 (more of them are counted and no longer logged)")
    }
  }

  @Test func `a sink that publishes is read like a processor`() async throws {
    try await journalled { journal in
      let harness = try PipelineHarness(
        """
        sources: { ticks: { plugin: numbers, count: 5 } }
        processors: { again: { plugin: pass, inputs: [news] } }
        sinks: { news: { plugin: herald, inputs: [ticks] }, end: { plugin: keep, inputs: [again] } }
        """, plugins: connected)
      let end = await harness.run()
      #expect(journal.received(by: "end") == [2, 4])
      #expect(end.counts("ticks", "news") == counts(in: 5, delivered: 5))
      #expect(end.counts("news", "again") == counts(in: 2, delivered: 2))
      #expect(end.exitStatus == 0)
    }
  }

  @Test func `a sink that publishes need not be read`() async throws {
    try await journalled { _ in
      let harness = try PipelineHarness(
        """
        sources: { ticks: { plugin: numbers, count: 100000 } }
        sinks: { news: { plugin: herald, inputs: [ticks] } }
        """, plugins: connected)
      let end = await harness.run()
      #expect(end.counts("ticks", "news") == counts(in: 100_000, delivered: 100_000))
      #expect(end.exitStatus == 0)
    }
  }
}
