import EventBus
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import StockbusRuntime

@Suite struct RunViewTests {
  /// A sink that stores what it sees of the run.
  actor Onlooker: Sink {
    static let seen = Seen()

    final class Seen: Sendable {
      let components = Watched<[RunComponent]>([])
      let edges = Watched<[RunEdge]>([])
    }

    private let context: Context
    init(_: NoOptions, _ context: Context) { self.context = context }
    func receive(_ events: Span<Tick>) {
      context.logger.notice("looking")
      Self.seen.components.update { $0 = context.run.components }
    }
    func drain() async {
      Self.seen.edges.update { $0 = context.run.edges }
      context.run.stop()
    }
  }

  actor Five: Source {
    init(_: NoOptions, _: Context) {}
    func run(into output: inout Outlet<Tick>) async throws { for i in 1...5 { output.send(Tick(Int64(i))) } }
  }

  @Test func `a component sees the run around it`() async throws {
    let onlooker = Plugin("onlooker", "Looks around.", .sink(Onlooker.self))
    let five = Plugin("five", "Counts to five.", .source(Five.self))
    let harness = try PipelineHarness(
      "{ sources: { ticks: { plugin: five } }, sinks: { eye: { plugin: onlooker, inputs: [ticks] } } }",
      plugins: [five, onlooker])
    let report = await harness.run()
    #expect(report.exitStatus == 0)
    let components = Onlooker.seen.components.value
    #expect(components.map(\.id) == ["ticks", "eye"])
    #expect(components.map(\.kind) == [.source, .sink] && components.map(\.plugin) == ["five", "onlooker"])
    #expect(components[1].inputs == ["ticks"] && components[1].published == nil && components[1].isRunning)
    let edges = Onlooker.seen.edges.value
    #expect(edges.map(\.from) == ["ticks"] && edges.map(\.to) == ["eye"])
    #expect(edges[0].counts.published == 5 && edges[0].counts.delivered == 5)
    let lines = harness.pipeline.log(after: 0)
    #expect(lines.first?.number == 1 && lines.contains { $0.component == "eye" && $0.message == "looking" && $0.level == .notice })
    #expect(harness.pipeline.log(after: lines.last?.number ?? 0) == [])
  }

  @Test func `the log keeps the last lines and goes on to its first reader`() {
    let captured = CapturedLog()
    let log = RunLog(ManualTimekeeper())
    var logger = log.recording(captured.logger())
    logger[metadataKey: "component"] = "echo"
    for i in 1...RunLog.limit + 3 { logger.info("line \(words(i))") }
    #expect(log.lines(after: 0).first?.message == "line \(words(4))")
    #expect(log.lines(after: RunLog.limit + 2).map(\.message) == ["line \(words(RunLog.limit + 3))"])
    #expect(captured.lines.count == RunLog.limit + 3 && captured.lines.last?.component == "echo")
    logger.logLevel = .error
    logger.info("not this")
    #expect(captured.lines.count == RunLog.limit + 3)
  }

  @Test func `alone there is no run`() async {
    let run = NoRun()
    #expect(run.components == [] && run.edges == [] && run.log(after: 0) == [])
    let error = await #expect(throws: CommandError.self) { _ = try await run.perform(Command(verb: "a", arguments: []), on: "b") }
    #expect(error?.description == "no component 'b'")
  }
}
