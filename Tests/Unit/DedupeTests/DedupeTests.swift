import Dedupe
import StockbusTestKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct DedupeTests {
  private let first = [
    trade(10, came: 1), trade(10, came: 2), trade(11, at: 5, came: 6), trade(7, of: "B", at: 8, came: 9), trade(12, at: 20, came: 30),
  ]
  private let second = [
    trade(10, came: 3), trade(10, came: 4), trade(11, at: 5, came: 5), trade(12, at: 20, came: 30), trade(13, at: 40, came: 41),
  ]

  @Test func `keeps the contract`() async {
    #expect(await checkContract(.dedupe, options: "within: 2s") == [])
    #expect(await checkContract(.dedupe, options: "within: 2s", inputs: [Feed(first), Feed(second)]) == [])
    #expect(await checkContract(.dedupe, options: "{ within: 2ms, by: [price] }", inputs: [Feed(first), Feed(second), Feed(first)]) == [])
    let quotes = [Quote.schema.example, Quote.schema.example]
    #expect(await checkContract(.dedupe, options: "within: 2s", inputs: [Feed(quotes), Feed(quotes)]) == [])
    let alerts = [Alert.schema.example, Alert.schema.example]
    #expect(await checkContract(.dedupe, options: "within: 2s", inputs: [Feed(alerts), Feed(alerts)]) == [])
  }

  private func output(
    _ lines: [[Trade]], _ options: String = "within: 2s", _ harness: PluginHarness = PluginHarness()
  ) async throws -> [String] {
    let output: [Trade] = try await harness.output(of: Plugin.dedupe, options: options, inputs: lines)
    return output.map(line)
  }

  @Test func `each event passes once, from the line that has it first, and a real repeat passes too`() async throws {
    let harness = PluginHarness()
    // 12 came at the same time on both lines: that of the first input passes.
    #expect(
      try await output([first, second], "within: 2s", harness) == ["A 10 @+1", "A 10 @+2", "A 11 @+5", "B 7 @+9", "A 12 @+30", "A 13 @+41"])
    // B 7 came on the first one only, and 13 on the second one only.
    #expect(harness.counter("only input1") == 1 && harness.counter("only input2") == 1)
    #expect(harness.counter("forgotten early") == nil)
  }

  @Test func `the order of the lines is that of the receipts, however they come`() async throws {
    let expected = try await output([first, second])
    let running: RunningPlugin<Trade> = try PluginHarness().start(
      Plugin.dedupe, options: "within: 2s", taking: Trade.self, inputs: 2, emitting: Trade.self)
    try await running.send(second, toInput: 1)
    try await running.send(first, toInput: 0)
    await running.advance(to: Timestamp(ns: morning + 1_000_000_000), input: 0)
    #expect(await running.output(count: 6).map(line) == expected)
    await running.delivered()
    #expect(running.counts.map(\.filtered) == [1, 3])
    try await running.stop()
  }

  @Test func `one of three equal prints that a line loses is brought by the other`() async throws {
    let a = [trade(10, came: 1), trade(10, came: 3), trade(10, came: 5)]
    let b = [trade(10, came: 2), trade(10, came: 6)]
    #expect(try await output([a, b]) == ["A 10 @+1", "A 10 @+3", "A 10 @+5"])
  }

  @Test func `after the time without a copy an event is new`() async throws {
    // Exactly 100 ms after the last copy it is still known, a millisecond later it is not.
    let other = trade(1, of: "B", at: 1, came: 500)
    #expect(
      try await output([[trade(10, came: 0), other], [trade(10, came: 100), other]], "within: 100ms") == ["A 10 @+0", "B 1 @+500"])
    #expect(
      try await output([[trade(10, came: 0), other], [trade(10, came: 101), other]], "within: 100ms")
        == ["A 10 @+0", "A 10 @+101", "B 1 @+500"])
    // The repeat on one line is a further copy.
    #expect(
      try await output([[trade(10, came: 0), trade(10, came: 90)], [trade(10, came: 180), trade(10, came: 181)]], "within: 100ms")
        == ["A 10 @+0", "A 10 @+90"])
  }

  @Test func `with chosen fields the others make no difference`() async throws {
    let a = [trade(10, at: 1, came: 1), trade(11, at: 2, came: 2)]
    let b = [trade(10, at: 3, came: 3), trade(12, at: 4, came: 4)]
    #expect(try await output([a, b]).count == 4)
    #expect(try await output([a, b], "{ within: 2s, by: [symbol, price] }") == ["A 10 @+1", "A 11 @+2", "A 12 @+4"])
    #expect(try await output([a, b], "{ within: 2s, by: symbol }") == ["A 10 @+1", "A 11 @+2"])
  }

  @Test func `texts, amounts and choices are compared too`() async throws {
    func alert(_ message: String, _ status: AlertStatus = .firing, at milliseconds: Int64) -> Alert {
      Alert(
        symbol: "A", rule: "a rule with a name that fills more than a word", message: message, price: 10,
        time: Timestamp(ns: morning + milliseconds * 1_000_000), status: status)
    }
    let options = "{ within: 2s, by: [rule, message, status] }"
    let alerts: [Alert] = try await PluginHarness().output(
      of: Plugin.dedupe, options: options,
      inputs: [
        [alert("it rose to 10 at last", at: 1), alert("it rose to 11 at last", at: 3)],
        [alert("it rose to 10 at last", at: 2), alert("it rose to 11 at last", .resolved, at: 4)],
      ])
    #expect(alerts.map { $0.time.ns - morning } == [1_000_000, 3_000_000, 4_000_000])
    var bar = Bar.schema.example
    var other = bar
    other.turnover = Amount(raw: bar.turnover.raw + 1 << 64)
    other.received = Timestamp(ns: bar.received.ns + 1)
    let bars: [Bar] = try await PluginHarness().output(of: Plugin.dedupe, options: "within: 2s", inputs: [[bar], [other]])
    #expect(bars.count == 2)
    bar.received = other.received
    let same: [Bar] = try await PluginHarness().output(of: Plugin.dedupe, options: "within: 2s", inputs: [[other], [other, bar]])
    #expect(same.count == 2)
  }

  @Test func `what it knows outlives a change of the time, and not one of the fields`() async throws {
    let running: RunningPlugin<Trade> = try PluginHarness().start(
      Plugin.dedupe, options: "within: 2s", taking: Trade.self, inputs: 2, emitting: Trade.self)
    try await running.send([trade(10, came: 1), trade(11, came: 2)])
    await running.advance(to: Timestamp(ns: morning + 2_000_000), input: 1)
    #expect(await running.output(count: 2).map(line) == ["A 10 @+1", "A 11 @+2"])
    await running.delivered()
    try await running.replace(options: "within: 3s")
    try await running.send([trade(10, came: 4)], toInput: 1)
    await running.advance(to: Timestamp(ns: morning + 4_000_000))
    await running.delivered()
    #expect(running.output.count == 2 && running.counts.map(\.filtered) == [0, 1])
    try await running.replace(options: "{ within: 3s, by: [price] }")
    try await running.send([trade(11, came: 5)], toInput: 1)
    await running.advance(to: Timestamp(ns: morning + 5_000_000))
    #expect(await running.output(count: 3).map(line) == ["A 10 @+1", "A 11 @+2", "A 11 @+5"])
    try await running.stop()
  }

  @Test(arguments: [
    ("", "1:1: error: 'within' is required: a duration"),
    ("within: 0s", "1:9: error: 'within'"),
    ("{ within: 1s, by: [symbol, prise] }", "1:28: error: 'by': trade has no field 'prise'; did you mean 'price'?"),
    (
      "{ within: 1s, by: [xyzzy] }",
      "1:20: error: 'by': trade has no field 'xyzzy'; there are symbol, price, size, side, time, received, condition"
    ),
    ("{ within: 1s, by: [price, price] }", "1:27: error: 'by' names 'price' twice"),
    ("{ within: 1s, by: [received] }", "1:20: error: 'by': 'received' differs on every line, so no event would be a copy of another"),
    ("{ within: 1s, by: [] }", "1:19: error: 'by'"),
  ])
  func `wrong options are reported where they are`(options: String, beginning: String) async throws {
    let problems = await #expect(throws: Problems.self) { _ = try await output([first, second], options) }
    #expect(problems?.sorted.contains { "\($0)".hasPrefix("options.yaml:" + beginning) } == true, "\(problems.map { "\($0)" } ?? "")")
  }

  private func problems(_ inputs: String) -> [String] {
    do throws(Problems) {
      _ = try PipelineHarness(
        """
        sources: { a: { plugin: none }, b: { plugin: none } }
        processors: { once: { plugin: dedupe, inputs: \(inputs), within: 2s } }
        sinks: { end: { plugin: forget, inputs: [once] }, other: { plugin: forget, inputs: [a, b] } }
        """, plugins: [.dedupe, .none, .forget])
      return []
    } catch { return error.sorted.map(\.description) }
  }

  @Test func `one line is refused at its place`() {
    #expect(problems("[a, b]") == [])
    #expect(
      problems("[a]") == [
        "plugins.yaml:2:48: error: processor 'once': its input 'a' is the only one, and what one line brings twice happened twice; "
          + "name two lines of one feed in 'inputs'"
      ])
  }
}

private actor Silent: Source {
  init(_: NoOptions, _: Context) {}
  func run(into output: inout Outlet<Trade>) {}
}

private actor Forget: Sink {
  init(_: NoOptions, _: Context) {}
  func receive(_: Span<Trade>) {}
}

extension Plugin {
  fileprivate static let none = Plugin("none", "Sends nothing.", .source(Silent.self))
  fileprivate static let forget = Plugin("forget", "Forgets.", .sink(Forget.self))
}
