import EventBus
import Generator
import MarketData
import NullSink
import SortingFeed
import StockbusEmbedding
import StockbusTestKit
import Testing

/// Runs inside another program.
@Suite(.timeLimit(.minutes(15))) struct EmbeddedRunTests {
  private static let text = """
    sources: { ticks: { plugin: generator, symbols: [AAPL, NVDA], count: 6, seed: 1 } }
    processors: { ranked: { plugin: sorting_feed, inputs: [ticks] } }
    """
  private static let plugins: [Plugin] = [.generator, .sortingFeed, .nullSink]

  /// Everything that a sequence still gives.
  private static func all<E: Event>(_ events: RunEvents<E>) async -> [E] {
    var all: [E] = []
    for await event in events { all.append(event) }
    return all
  }

  @Test func `a sequence that is asked for before the run begins gets the first event, also if it is read later`() async throws {
    let run = try EmbeddedRun(yaml: Self.text, plugins: Self.plugins, logger: CapturedLog().logger())
    let ticks = try run.events(of: "ticks", as: Trade.self)
    let ranked = try run.events(of: "ranked", as: Ranked.self)
    async let report = run.run()
    let read = await Self.all(ticks)
    let moves = await Self.all(ranked)
    let end = await report
    #expect(end.exitStatus == 0 && end.events == 6)
    #expect(read.count == 6)
    // The generator sends a price of each symbol, round by round.
    #expect(read.map(\.symbol.description) == ["AAPL", "NVDA", "AAPL", "NVDA", "AAPL", "NVDA"])
    // The first move of each symbol brings it into the list.
    #expect(moves.first?.symbol == read.first?.symbol && moves.first?.rank == 1)
    #expect(end.description.contains("ticks → ranked"), "\(end)")
  }

  @Test func `a run that is wired in code gives the same as its configuration`() async throws {
    let written = try EmbeddedRun(yaml: Self.text, plugins: Self.plugins, logger: CapturedLog().logger())
    let coded = try EmbeddedRun(
      [
        // In any order.
        RunNode("ranked", .sortingFeed, inputs: ["ticks"]),
        RunNode("ticks", .generator, options: ["symbols": ["AAPL", "NVDA"], "count": 6, "seed": 1]),
      ], logger: CapturedLog().logger())
    var outputs: [[String]] = []
    for run in [written, coded] {
      let ranked = try run.events(of: "ranked", as: Ranked.self)
      async let report = run.run()
      outputs.append(await Self.all(ranked).map { "\($0.rank) \($0.symbol) \($0.price)" })
      #expect(await report.exitStatus == 0)
    }
    #expect(outputs[0].count >= 6)
    #expect(outputs[0] == outputs[1])
  }

  @Test func `all problems of a text are thrown with their places`() {
    let text = """
      sources: { ticks: { plugin: generator, symbls: 3 } }
      sinks: { end: { plugin: null_snk, inputs: [ticks] } }
      """
    let error = #expect(throws: RunError.self) { try EmbeddedRun(yaml: text, file: "desk.yaml", plugins: Self.plugins) }
    #expect(
      error?.problems == [
        "desk.yaml:1:40: error: source 'ticks': unknown option 'symbls'; did you mean 'symbols'?",
        "desk.yaml:2:25: error: sink 'end': unknown plugin 'null_snk'; did you mean 'null_sink'?",
      ])
  }

  @Test func `problems of components in code name the component and the option, at the line of the component`() {
    let error = #expect(throws: RunError.self) {
      try EmbeddedRun([
        RunNode("ticks", .generator, options: ["count": "many", "intervall": "1s"], file: "Desk/Desk.swift", line: 7),
        RunNode("ranked", .sortingFeed, inputs: [.init("ticks", options: ["overflo": "conflate"])], file: "Desk/Desk.swift", line: 8),
        RunNode("end", .nullSink, inputs: ["rankd"], file: "Desk/Desk.swift", line: 9),
      ])
    }
    let problems = error?.problems ?? []
    #expect(problems.count == 4, "\(problems)")
    #expect(problems.contains { $0.hasPrefix("Desk/Desk.swift:7:1: error: source 'ticks': 'count'") }, "\(problems)")
    #expect(problems.contains("Desk/Desk.swift:7:1: error: source 'ticks': unknown option 'intervall'; did you mean 'interval'?"))
    #expect(problems.contains { $0.hasPrefix("Desk/Desk.swift:8:1: error: processor 'ranked'") && $0.contains("'overflo'") }, "\(problems)")
    #expect(problems.contains("Desk/Desk.swift:9:1: error: sink 'end': unknown input 'rankd'; did you mean 'ranked'?"))
  }

  @Test func `a dollar sign in code is a plain character`() throws {
    let error = #expect(throws: RunError.self) { try EmbeddedRun([RunNode("ticks", .generator, options: ["interval": "${HOME}"])]) }
    #expect(error?.problems.count == 1)
    #expect(error?.description.contains("'${HOME}'") == true, "\(error?.description ?? "")")
  }

  @Test func `no components, options that are no object, and an input among the options are told`() {
    #expect(throws: RunError.self) { try EmbeddedRun([]) }
    let error = #expect(throws: RunError.self) {
      try EmbeddedRun([
        RunNode("a", .generator, options: [1, 2], file: "A.swift", line: 1),
        RunNode("b", .nullSink, options: ["inputs": ["a"]], file: "A.swift", line: 2),
      ])
    }
    #expect(
      error?.problems == [
        "A.swift:1:1: error: source 'a': its options are not an object; write them as in [\"by\": \"price\"]",
        "A.swift:2:1: error: sink 'b': 'inputs' is not an option; RunNode has a parameter for it",
      ])
  }

  @Test func `what is not there, emits nothing or is of another type cannot be read`() throws {
    let run = try EmbeddedRun([
      RunNode("ticks", .generator, options: ["symbols": 3]), RunNode("end", .nullSink, inputs: ["ticks"]),
    ])
    func fault<E: Event>(_ name: String, _: E.Type) -> String? {
      do throws(RunError) {
        _ = try run.events(of: name, as: E.self)
        return nil
      } catch { return error.description }
    }
    #expect(fault("tick", Trade.self) == "there is no component or topic 'tick'; did you mean 'ticks'?")
    #expect(fault("end", Trade.self) == "'end' is a sink and emits nothing")
    #expect(fault("ticks", Ranked.self) == "'ticks' emits trade, and not ranked (\(String(reflecting: Ranked.self)))")
    #expect(fault("ticks", Trade.self) == nil)
    #expect(fault("dead_letters", DeadLetter.self) == nil)
  }

  @Test func `two plugins with one name are told, also where their nodes are far apart`() {
    let other = Plugin("null_sink", "Another one.", .sink(Swallow.self))
    let error = #expect(throws: RunError.self) {
      try EmbeddedRun([
        RunNode("ticks", .generator), RunNode("a", .nullSink, inputs: ["ticks"]), RunNode("b", other, inputs: ["ticks"]),
      ])
    }
    #expect(error?.problems.count == 1)
    #expect(error?.description.contains("two plugins have the name 'null_sink': those of NullSink.") == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("Swallow") == true)
  }

  @Test func `a run takes commands, is stopped, and gives one report to all that wait for it`() async throws {
    let run = try EmbeddedRun(
      [RunNode("ticks", .generator, options: ["symbols": ["AAPL"], "interval": "1h"])], logger: CapturedLog().logger())
    // Nobody reads the ticks, so the first one waits in the ring.
    async let first = run.run()
    async let second = run.run()
    await run.started()
    #expect(try await run.perform("raise AAPL 10", on: "ticks").contains("AAPL"))
    await #expect(throws: CommandError.self) { try await run.perform("raise AAPL 10", on: "tcks") }
    await #expect(throws: CommandError.self) { try await run.perform("", on: "ticks") }
    run.stop()
    let reports = await [first, second]
    #expect(reports.map(\.exitStatus) == [0, 0])
    #expect(reports[0].events == reports[1].events && reports[0].events > 0)
  }

  @Test func `a sequence that is dropped does not keep the run from its end`() async throws {
    let run = try EmbeddedRun(
      [RunNode("ticks", .generator, options: ["symbols": ["AAPL"], "count": 100_000, "rate": "max"])], logger: CapturedLog().logger())
    do { _ = try run.events(of: "ticks", as: Trade.self) }
    #expect(await run.run().events == 100_000)
  }

  @Test func `a history is refused where it is named`() {
    let text = "history: /dev/null/x.db\n" + Self.text
    let error = #expect(throws: RunError.self) { try EmbeddedRun(yaml: text, plugins: Self.plugins) }
    #expect(error?.problems.count == 1 && error?.description.hasPrefix("plugins.yaml:1:10: error: 'history'") == true)
  }

  @Test func `a run with a memory goes on where the one before was stopped`() async throws {
    let folder = TemporaryFolder()
    let text = """
      runtime: { memory: "\(folder.path)/run.memory", drain_deadline: 1h }
      sources: { ticks: { plugin: generator, symbols: [AAPL], rate: max } }
      processors: { ranked: { plugin: sorting_feed, inputs: [ticks] } }
      """
    var first: Price?
    for _ in 0..<3 {
      let run = try EmbeddedRun(yaml: text, plugins: Self.plugins, logger: CapturedLog().logger())
      let ranked = try run.events(of: "ranked", as: Ranked.self)
      async let report = run.run()
      var count = 0
      for await move in ranked {
        first = first ?? move.price
        // The change is that since the first price of the first run.
        #expect(move.change.raw == move.price.raw - (first?.raw ?? 0))
        count += 1
        if count == 100 { run.stop() }
      }
      #expect(count >= 100)
      #expect(await report.exitStatus == 0)
    }
    folder.put("stockbus memory 1 ?\n", in: "run.memory")
    #expect(throws: RunError.self) { try EmbeddedRun(yaml: text, plugins: Self.plugins, logger: CapturedLog().logger()) }
  }
}

private actor Swallow: Sink {
  init(_: NoOptions, _: Context) {}
  func receive(_: Span<Trade>) {}
}
