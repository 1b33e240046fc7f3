import StockbusInstruments
import StockbusTestKit
import Testing

@testable import Guard

/// The order of times, by hand.
@Suite(.timeLimit(.minutes(15))) struct OrderTests {
  private let disordered = [
    trade("A", at: 0), trade("B", at: 150), trade("C", at: 100, after: 60), trade("D", at: 150, after: 20),
    trade("E", at: 400, after: -100),
  ]

  @Test func `guard keeps the contract`() async {
    #expect(await checkContract(.guard) == [])
    #expect(await checkContract(.guard, options: "late: 200ms", inputs: [Feed(disordered), Feed(disordered)]) == [])
    #expect(await checkContract(.guard, options: "{ late: 100ms, too_late: pass, odd: 1% }", inputs: [Feed(disordered)]) == [])
    #expect(await checkContract(.guard, options: "late: 1s", inputs: [Feed([Quote.schema.example])]) == [])
    #expect(await checkContract(.guard, options: "late: 1s", inputs: [Feed([Bar.schema.example])]) == [])
  }

  @Test func `wrong options are reported where they are`() async {
    #expect(
      await problems("too_late: pass", disordered) == "options.yaml:1:1: error: 'too_late' is for 'late': without it no event is too late")
    #expect(
      await problems("{ late: 1s, of: 5 }", disordered) == "options.yaml:1:13: error: 'of' is for 'odd': without it no price is compared")
    #expect(await problems("{ late: 1s, too_late: drp }", disordered).hasSuffix("did you mean 'drop'?"))
    #expect(await problems("late: 2h", disordered).hasPrefix("options.yaml:1:7: error: 'late'"))
    #expect(await problems("odd: 1001%", disordered).hasPrefix("options.yaml:1:6: error: 'odd'"))
    #expect(await problems("odd: 0%", disordered).hasPrefix("options.yaml:1:6: error: 'odd'"))
    #expect(await problems("{ odd: 1%, of: 2 }", disordered).hasPrefix("options.yaml:1:16: error: 'of'"))
  }

  @Test func `without 'late' events pass as they are`() async throws {
    let passed: [Trade] = try await output("", disordered)
    #expect(passed == disordered)
  }

  @Test func `events get into the order of their times, those of equal times as they came`() async throws {
    // A has waited 200 ms at 200. E, received at 300 with a time of 400, lets go what is not after 200; itself it waits until 500.
    #expect(try await lines("late: 200ms", disordered) == ["A 0 @200", "C 100 @300", "B 150 @300", "D 150 @300", "E 400 @500"])
    // B has waited at 270, and what is older than it goes too.
    #expect(try await lines("late: 120ms", disordered) == ["A 0 @120", "C 100 @270", "B 150 @270", "D 150 @270", "E 400 @420"])
  }

  @Test func `what comes later is left out, or passes at once`() async throws {
    // 800 is at most 200 before 1000, 799 is not.
    let trades = [
      trade("A", at: 1000, after: 10), trade("B", at: 800, after: 210), trade("C", at: 799, after: 211), trade("D", at: 900, after: 110),
    ]
    let harness = PluginHarness()
    #expect(try await lines("late: 200ms", trades, in: harness) == ["B 800 @1010", "D 900 @1210", "A 1000 @1210"])
    #expect(harness.counters == ["too late": 1])
    #expect(
      try await lines("{ late: 200ms, too_late: pass }", trades) == ["B 800 @1010", "C 799 @1010", "D 900 @1210", "A 1000 @1210"])
    #expect(try await lines("late: 200ms", trades, odd: true) == [])
    // Without a wait: each is compared with the newest.
    #expect(try await lines("late: 0s", trades) == ["A 1000 @1010"])
  }

  @Test func `in a quiet market events go when time has passed, and what is older is too late then`() async throws {
    let harness = PluginHarness()
    let running: RunningPlugin<Trade> = try harness.start(
      Plugin.guard, options: "late: 200ms", taking: Trade.self, emitting: Trade.self)
    try await running.send([trade("A", at: 100), trade("B", at: 50, after: 60)])
    await running.advance(to: at(299))
    await running.delivered()
    #expect(running.output.isEmpty)
    await running.advance(to: at(5000))
    #expect(await running.output(count: 2).map(line) == ["B 50 @300", "A 100 @300"])
    try await running.send([trade("C", at: 99, after: 4902), trade("D", at: 100, after: 4902)])
    #expect(await running.output(count: 3).last.map(line) == "D 100 @5002")
    #expect(harness.counter("too late") == 1)
    try await running.stop()
  }

  @Test func `an event that is dated ahead is set aside, and lets nothing go`() async throws {
    let trades = [
      trade("A", at: 0), trade("B", at: 60_001, after: -60_000), trade("C", at: 60_003, after: -60_001),
      trade("D", at: 60_010, after: -60_000),
    ]
    let harness = PluginHarness()
    #expect(try await lines("late: 200ms", trades, in: harness) == ["A 0 @1", "B 60001 @201", "D 60010 @210"])
    #expect(harness.counters == ["ahead": 1])
    #expect(try await lines("late: 200ms", trades, odd: true) == ["C 60003 @2"])
    #expect(try await lines("ahead: 0s", trades) == ["A 0 @0"])
  }

  @Test func `a bar of a day may have the midnight of a date that began in the east`() async throws {
    var bar = Bar.schema.example
    (bar.length, bar.time, bar.received) = (.day, at(14 * 3_600_000), at(0))
    var short = bar
    short.length = .time(60_000 * milli)
    let passed: [Bar] = try await output("", [bar, short])
    #expect(passed == [bar])
  }

  @Test(arguments: [false, true]) func `what waits keeps its columns`(odd: Bool) async throws {
    let columns = ColumnLayout([ColumnInfo("vwap", .number), ColumnInfo("hot", .flag)])
    // Each waits, or goes on at once if nothing waits; the price of the fourth is odd, and goes with its columns too.
    let feed = Feed(
      [
        trade("A", at: 5), trade("A", at: 3, after: 2), trade("A", at: 8), trade("A", at: 9, 500), trade("A", at: 7, after: 3),
        trade("A", at: 90), trade("A", at: 80, after: 11),
      ], columns: columns,
      rows: [
        [1_000_000_000, 0], [2_000_000_000, 1], [nil, nil], [4_000_000_000, nil], [5_000_000_000, 1], [6_000_000_000, 0],
        [7_000_000_000, 0],
      ])
    let plugin = odd ? oddHalf : Plugin.guard
    let lines = try await PluginHarness().jsonOutput(of: plugin, options: "late: 20ms\nodd: 20%\nof: 3", feeds: [feed])
    #expect(
      lines.map { $0.split(separator: ",").suffix(2).joined(separator: ",") }
        == (odd
          ? [#""vwap":4,"hot":null}"#]
          : [
            #""vwap":2,"hot":true}"#, #""vwap":1,"hot":false}"#, #""vwap":5,"hot":true}"#, #""vwap":null,"hot":null}"#,
            #""vwap":7,"hot":false}"#,
            #""vwap":6,"hot":false}"#,
          ]))
  }

  @Test func `too many go early, the oldest first`() {
    var settings = GuardSettings()
    settings.late = .seconds(1)
    var state = GuardState<Trade>(settings, Instruments(), limit: 2)
    var gone: [String] = []
    for trade in [trade("A", at: 5), trade("B", at: 3, after: 2), trade("C", at: 4, after: 1), trade("D", at: 3, after: 2)] {
      withUnsafePointer(to: trade) { state.take($0) { verdict, _ in gone.append("\(line(verdict.event)) \(verdict.fate)") } }
    }
    #expect(gone == ["B 3 @5 kept", "D 3 @5 kept"])
    #expect(state.counts.early == 1 && state.order.count == 2)
    // 64 MiB hold half a million trades.
    #expect(GuardState<Trade>.memory / TimeOrder<Trade>.size() > 500_000)
  }

  @Test func `what waits goes on under other options`() async throws {
    let running: RunningPlugin<Trade> = try PluginHarness().start(
      Plugin.guard, options: "late: 200ms", taking: Trade.self, emitting: Trade.self)
    try await running.send([trade("A", at: 100), trade("B", at: 50, after: 60)])
    await running.delivered()
    try await running.replace(options: "late: 300ms")
    await running.advance(to: at(350))
    #expect(running.output.isEmpty)
    await running.advance(to: at(400))
    #expect(await running.output(count: 2).map(line) == ["B 50 @400", "A 100 @400"])
    try await running.send([trade("C", at: 1000)])
    await running.delivered()
    // At the change 1000 has waited long enough.
    await running.advance(to: at(1100))
    await running.delivered()
    try await running.replace(options: "late: 10ms")
    await running.advance(to: at(1101))
    let gone = await running.output(count: 3)
    #expect(gone.last.map { $0.symbol == "C" && $0.received >= at(1010) } == true)
    try await running.stop()
  }
}
