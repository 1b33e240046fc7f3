import Sample
import StockbusTestKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct SampleTests {
  private static let trades = [
    trade("A", 10, at: 0), trade("A", 11, at: 100), trade("B", 50, at: 200), trade("A", 12, at: 900), trade("B", 51, at: 1100),
    trade("A", 13, at: 1500), trade("B", 52, at: 2300),
  ]

  @Test func `keeps the contract`() async {
    #expect(await checkContract(.sample, options: "every: 1s") == [])
    #expect(await checkContract(.sample, options: "every: 1s", inputs: [Feed(Self.trades)]) == [])
    #expect(await checkContract(.sample, options: "every: 50ms", inputs: [Feed(Self.trades), Feed(Self.trades)]) == [])
    #expect(await checkContract(.sample, options: "every: 1d", inputs: [Feed([Quote.schema.example, Quote.schema.example])]) == [])
    #expect(await checkContract(.sample, options: "every: 1s", inputs: [Feed([AccountState.schema.example])]) == [])
    #expect(await checkContract(.sample, options: "every: 1s", inputs: [Feed([Position.schema.example])]) == [])
    #expect(await checkContract(.sample, options: "every: 1s", inputs: [Feed([Alert.schema.example, Alert.schema.example])]) == [])
  }

  private func output(_ trades: [Trade], _ options: String = "every: 1s", _ harness: PluginHarness = PluginHarness()) async throws
    -> [String]
  {
    let output: [Trade] = try await harness.output(of: Plugin.sample, options: options, inputs: [trades])
    return output.map(line)
  }

  @Test func `the first event is sent at once, the latest of an interval at its end, and the rest at the end of the input`() async throws {
    // A: 10 opens [0, 1000); 11 waits, 12 takes its place and is sent at 1000, which opens [1000, 2000); 13 is sent at 2000.
    // B: 50 opens [200, 1200); 51 is sent at 1200, which opens [1200, 2200), which has no event. So 52 is sent at once.
    #expect(try await output(Self.trades) == ["A 10 @+0", "B 50 @+200", "A 12 @+1000", "B 51 @+1200", "A 13 @+2000", "B 52 @+2300"])
  }

  @Test func `an event at the end of an interval belongs to the next one`() async throws {
    #expect(
      try await output([trade("A", 1, at: 0), trade("A", 2, at: 400), trade("A", 3, at: 1000), trade("B", 9, at: 2000)])
        == ["A 1 @+0", "A 2 @+1000", "A 3 @+2000", "B 9 @+2000"])
    #expect(try await output([trade("A", 1, at: 0), trade("A", 2, at: 1000)]) == ["A 1 @+0", "A 2 @+1000"])
  }

  @Test func `events of one receipt are one after the other`() async throws {
    #expect(
      try await output([trade("A", 1, at: 0), trade("A", 2, at: 0), trade("A", 3, at: 0), trade("B", 1, at: 1000)])
        == ["A 1 @+0", "A 3 @+1000", "B 1 @+1000"])
  }

  @Test func `what waits at the end of the input is sent in the order of its receipts, with the latest receipt`() async throws {
    let trades = [
      trade("A", 1, at: 0), trade("B", 1, at: 100), trade("A", 2, at: 200), trade("B", 2, at: 300), trade("A", 3, at: 400),
      trade("C", 7, at: 500),
    ]
    #expect(try await output(trades) == ["A 1 @+0", "B 1 @+100", "C 7 @+500", "B 2 @+500", "A 3 @+500"])
  }

  @Test func `an event that is sent later keeps all but its receipt`() async throws {
    let output: [Trade] = try await PluginHarness().output(of: Plugin.sample, options: "every: 1s", inputs: [Self.trades])
    var expected = Self.trades[3]
    expected.received = Timestamp(ns: morning + second)
    #expect(output[2] == expected)
    #expect(output[0] == Self.trades[0])
  }

  @Test func `a price that does not count takes the place of none that counts`() async throws {
    let trades = [
      trade("A", 10, at: 0), trade("A", 11, at: 100), trade("A", 99, at: 200, .oddLot), trade("A", 98, at: 1100, .oddLot),
      trade("A", 97, at: 1200, .oddLot), trade("A", 12, at: 2100, .oddLot), trade("A", 13, at: 2200),
    ]
    let harness = PluginHarness()
    // 97 takes the place of 98, as neither counts; 13 takes that of 12.
    #expect(try await output(trades, "every: 1s", harness) == ["A 10 @+0", "A 11 @+1000", "A 97 @+2000", "A 13 @+2200"])
    #expect(harness.counter("passed over") == 1)
  }

  @Test func `what is replaced is filtered, and each event is accounted for`() async throws {
    let running: RunningPlugin<Trade> = try PluginHarness().start(
      Plugin.sample, options: "every: 1s", taking: Trade.self, emitting: Trade.self)
    for trade in Self.trades { try await running.send([trade]) }
    await running.delivered()
    // 11, whose place 12 took.
    #expect(running.counts[0].filtered == 1 && running.counts[0].delivered == 6)
    try await running.stop()
  }

  @Test func `an interval ends although no event comes`() async throws {
    let running: RunningPlugin<Trade> = try PluginHarness().start(
      Plugin.sample, options: "every: 1s", taking: Trade.self, emitting: Trade.self)
    try await running.send([trade("A", 1, at: 0), trade("A", 2, at: 10)])
    await running.advance(to: Timestamp(ns: morning + second - 2))
    await running.delivered()
    #expect(running.output.count <= 1)
    await running.advance(to: Timestamp(ns: morning + second - 1))
    #expect(await running.output(count: 2).map(line) == ["A 1 @+0", "A 2 @+1000"])
    try await running.stop()
  }

  @Test func `accounts are told apart, and symbols of different accounts too`() async throws {
    func position(_ account: Symbol, _ symbol: Symbol, _ quantity: Quantity, at milliseconds: Int64) -> Position {
      var position = Position.schema.example
      (position.account, position.symbol, position.quantity) = (account, symbol, quantity)
      position.received = Timestamp(ns: morning + milliseconds * 1_000_000)
      return position
    }
    let output: [Position] = try await PluginHarness().output(
      of: Plugin.sample, options: "every: 1s",
      inputs: [
        [
          position("p", "A", 1, at: 0), position("q", "A", 2, at: 1), position("p", "B", 3, at: 2), position("p", "A", 4, at: 3),
          position("p", "A", 5, at: 4),
        ]
      ])
    #expect(output.map(\.quantity) == [1, 2, 3, 5])
  }

  @Test func `waiting events outlive a change of the options, and an interval keeps its beginning`() async throws {
    let running: RunningPlugin<Trade> = try PluginHarness().start(
      Plugin.sample, options: "every: 10s", taking: Trade.self, emitting: Trade.self)
    try await running.send([trade("A", 1, at: 0), trade("A", 2, at: 100), trade("B", 1, at: 3000)])
    await running.delivered()
    // The interval of A was over at 2000, and that of B is over at 5000; nothing is sent before what was sent at 3000.
    try await running.replace(options: "every: 2s")
    try await running.send([trade("B", 2, at: 4000), trade("B", 3, at: 4500), trade("C", 1, at: 5000)])
    #expect(await running.output(count: 5).map(line) == ["A 1 @+0", "B 1 @+3000", "A 2 @+3000", "B 3 @+5000", "C 1 @+5000"])
    try await running.stop()
  }

  @Test(arguments: [
    ("", "1:1: error: 'every' is required: a duration such as 250ms"),
    ("every: 999us", "1:8: error: 'every'"), ("every: 2d", "1:8: error: 'every'"), ("evry: 1s", "1:1: error: unknown option 'evry'"),
  ])
  func `wrong options are reported where they are`(options: String, beginning: String) async throws {
    let problems = await #expect(throws: Problems.self) { _ = try await output(Self.trades, options) }
    #expect(problems?.sorted.contains { "\($0)".hasPrefix("options.yaml:" + beginning) } == true, "\(problems.map { "\($0)" } ?? "")")
  }

  @Test func `an event that waits keeps its columns, also over a change`() async throws {
    let columns = ColumnLayout([ColumnInfo("vwap", .number), ColumnInfo("hot", .flag)])
    // The second one waits with its columns, and the third one of another symbol has none.
    let feed = Feed(
      [trade("A", 1, at: 0), trade("A", 2, at: 100), trade("B", 3, at: 200), trade("A", 4, at: 1500)], columns: columns,
      rows: [[10_000_000_000, 0], [20_000_000_000, 1], [nil, nil], [40_000_000_000, nil]])
    let lines = try await PluginHarness().jsonOutput(of: Plugin.sample, options: "every: 1s", feeds: [feed])
    #expect(
      lines.map { $0.split(separator: ",").suffix(2).joined(separator: ",") } == [
        #""vwap":10,"hot":false}"#, #""vwap":null,"hot":null}"#, #""vwap":20,"hot":true}"#, #""vwap":40,"hot":null}"#,
      ])
  }

  @Test func `events about nothing are refused`() async throws {
    let letters = [DeadLetter(component: "x", origin: "x", sequence: 1, reason: "r", payload: "p", time: Timestamp(ns: 0))]
    let problems = await #expect(throws: Problems.self) {
      let _: [DeadLetter] = try await PluginHarness().output(of: Plugin.sample, options: "every: 1s", inputs: [letters])
    }
    #expect(
      problems?.description
        == "options.yaml:1:8: error: 'every' needs events about a symbol or an account, of each of which one is sent, and dead_letter has neither"
    )
  }
}
