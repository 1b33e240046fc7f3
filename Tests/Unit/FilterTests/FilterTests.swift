import Filter
import StockbusTestKit
import Testing

func trade(_ symbol: Symbol, _ price: Int64, size: Int64 = 1, _ side: Side = .buy) -> Trade {
  Trade(
    symbol: symbol, price: Price(raw: price * 1_000_000_000), size: Quantity(raw: size * 1_000_000_000), time: Timestamp(ns: 0),
    received: Timestamp(ns: 0), side: side)
}

@Suite(.timeLimit(.minutes(15))) struct FilterTests {
  static let trades = [trade("AAPL", 100), trade("NVDA", 200), trade("AAPL", 300, .sell), trade("TSLA", 50, size: 0)]

  private func pass(_ options: String, _ trades: [Trade] = trades) async throws -> [String] {
    let passed: [Trade] = try await PluginHarness().output(of: Plugin.filter, options: options, inputs: [trades])
    return passed.map { "\($0.symbol) \($0.price)" }
  }

  @Test func `passes what fulfils the condition, in order`() async throws {
    #expect(try await pass("where: price >= 100") == ["AAPL 100", "NVDA 200", "AAPL 300"])
    #expect(try await pass("where: 'side == sell or symbol in [TSLA]'") == ["AAPL 300", "TSLA 50"])
    #expect(try await pass("where: true") == ["AAPL 100", "NVDA 200", "AAPL 300", "TSLA 50"])
    #expect(try await pass("where: false") == [])
  }

  @Test func `symbols that the condition names and that never came are told at the end, whatever the rest of it says`() async throws {
    func notes(_ condition: String) async throws -> [String] {
      let harness = PluginHarness()
      let _: [Trade] = try await harness.output(of: Plugin.filter, options: "where: '\(condition)'", inputs: [Self.trades])
      return harness.notes
    }
    #expect(try await notes("symbol in [AAPL, nvda] and price > 1e6") == ["'nvda' never came; did you mean 'NVDA'?"])
    #expect(try await notes("price > 1e6 and symbol == AAPL") == [])
    #expect(
      try await notes("not symbol == APPL or symbol in [\"BRK.*\"]") == [
        "'APPL' never came; did you mean 'AAPL'?", "no symbol that came matches 'BRK.*'",
      ])
    #expect(try await notes("price > 1") == [])
  }

  @Test func `says of a symbol's last event whether it passes, and why`() async throws {
    let running: RunningPlugin<Trade> = try PluginHarness().start(
      Plugin.filter, options: "where: price / size > 150", taking: Trade.self, emitting: Trade.self)
    func said(_ trade: Trade?) async -> [String] {
      await running.explain("AAPL", last: trade).map { "\($0.verdict) \($0.reason) by \($0.setting?.description ?? "")" }
    }
    func json(_ trade: Trade) -> String { Trade.schema.json(trade) }
    #expect(await said(nil) == [])
    let (cheap, dear, free) = (trade("AAPL", 100), trade("AAPL", 200), trade("AAPL", 200, size: 0))
    #expect(await said(cheap) == ["filters 'price / size > 150' is false of \(json(cheap)) by where"])
    #expect(await said(dear) == ["passes 'price / size > 150' is true of \(json(dear)) by where"])
    #expect(await said(free) == ["filters 'price / size > 150' cannot be decided for \(json(free)) by where"])
    _ = try await running.perform("where price > 0")
    #expect(await said(cheap) == ["passes 'price > 0' is true of \(json(cheap)) by where"])
    try await running.stop()
  }

  @Test func `long runs, of which all, none and some pass`() async throws {
    let trades = (0..<5000).map { trade("AAPL", Int64($0)) }
    let prices = { (passed: [String]) in passed.compactMap { Int($0.dropFirst(5)) } }
    #expect(try await prices(pass("where: price >= 0", trades)) == Array(0..<5000))
    #expect(try await prices(pass("where: 1000 <= price < 3000", trades)) == Array(1000..<3000))
    #expect(try await prices(pass("where: price / 7 * 7 == price and price > 100", trades)).isEmpty == false)
    #expect(try await prices(pass("where: price < 0", trades)) == [])
  }

  @Test func `counts what is left out, and what could not be decided`() async throws {
    let harness = try PipelineHarness(
      """
      sources: { ticks: { plugin: four } }
      processors: { dear: { plugin: filter, inputs: [ticks], where: price / size > 150 } }
      sinks: { end: { plugin: forget, inputs: [dear] } }
      """, plugins: [.filter, .four, .forget])
    let report = await harness.run()
    let counts = try #require(report.ledger.edges.first { $0.to == "dear" }?.counts)
    #expect(counts.published == 4 && counts.filtered == 2 && counts.delivered == 2)
    #expect(report.ledger.counters.first { $0.component == "dear" && $0.name == "undecided" }?.total == 1)
    #expect(report.exitStatus == 0)
  }

  @Test func `any event type will do`() async throws {
    func letter(_ component: String, _ sequence: Int64) -> DeadLetter {
      DeadLetter(component: component, origin: "x", sequence: sequence, reason: "r", payload: "p", time: Timestamp(ns: 0))
    }
    let letters = [letter("echo", 1), letter("ticks", 2), letter("echo", 9_000_000_000_000_000_000)]
    let passed: [DeadLetter] = try await PluginHarness().output(
      of: Plugin.filter, options: "where: component == echo and sequence > 8e18", inputs: [letters])
    #expect(passed.map(\.sequence) == [9_000_000_000_000_000_000])
  }

  @Test func `the condition can be exchanged while it runs, and is kept for a next life`() async throws {
    let running = try PluginHarness().start(Plugin.filter, options: "where: price > 150", taking: Trade.self, emitting: Trade.self)
    try await running.send(Self.trades)
    #expect(await running.output(count: 2).map(\.symbol) == ["NVDA", "AAPL"])
    #expect(try await running.perform("where") == "the condition is price > 150")
    #expect(try await running.perform("where symbol  == TSLA") == "the condition is now symbol == TSLA")
    try await running.send(Self.trades)
    #expect(await running.output(count: 3).last?.symbol == "TSLA")
    await #expect(throws: CommandError("column 1: trade has no field 'prise'; did you mean 'price'?")) {
      try await running.perform("where prise > 1")
    }
    #expect(try await running.perform("where") == "the condition is symbol == TSLA")
    try await running.stop()
  }

  @Test(arguments: [
    (
      "",
      "1:1: error: 'where' is required: an expression such as price > 100 (The condition that an event must fulfil to pass, such as price > 100 and symbol in [AAPL, NVDA]; it may look at earlier events, as in price > sma(price, 20).)"
    ),
    ("where: price >", "1:15: error: 'where': expected a value, found the end"),
    ("where: \"price > 100 and prise < 0\"", "1:25: error: 'where': trade has no field 'prise'; did you mean 'price'?"),
    ("where: 'side == bye'", "1:17: error: 'where': 'side' is never 'bye'; it is one of unknown, buy, sell"),
    ("{ where: price > time }", "1:18: error: 'where': a number cannot be compared with a time; write a time, as in 2013-10-08T13:30:00Z"),
    (
      "where: |\n  price > 1\n  and size > time\n",
      "1:8: error: 'where': a number cannot be compared with a time; write a time, as in 2013-10-08T13:30:00Z (character 22)"
    ),
    ("where: \"note \\u003d 1\"", "1:8: error: 'where': write '==' to compare (character 6)"),
    ("where: [1]", "1:8: error: 'where' must be an expression such as price > 100, got a list"),
  ])
  func `what is wrong is told with its place`(options: String, message: String) async throws {
    do {
      _ = try await pass(options)
      Issue.record("nothing was wrong")
    } catch let problems as Problems { #expect(problems.description == "options.yaml:" + message) }
  }

  @Test func `keeps the contract`() async {
    #expect(await checkContract(.filter, options: "where: price > 1", inputs: [Feed(Self.trades), Feed(Self.trades)]) == [])
    #expect(await checkContract(.filter, options: "where: bid_size > ask_size", inputs: [Feed([Quote.schema.example])]) == [])
  }
}

actor Four: Source {
  init(_: NoOptions, _: Context) {}
  func run(into output: inout Outlet<Trade>) async throws { for trade in FilterTests.trades { output.send(trade) } }
}

actor Forget: Sink {
  init(_: NoOptions, _: Context) {}
  func receive(_: Span<Trade>) {}
}

extension Plugin {
  static let four = Plugin("four", "Sends four.", .source(Four.self))
  static let forget = Plugin("forget", "Forgets.", .sink(Forget.self))
}
