import Filter
import NullSink
import StockbusConfig
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import Stockbus
@testable import StockbusProgram

/// Sends six trades of three symbols; then it waits, if the options say so.
actor SixTrades: Source {
  struct Settings: Options {
    @Setting("Whether it goes on living.") var stays = false
    @Setting("How often it sends them.", in: 1...1_000_000) var rounds = 1
    init() {}
  }
  private let settings: Settings
  private let clock: any Timekeeper

  init(_ settings: Settings, _ context: Context) {
    self.settings = settings
    clock = context.clock
  }

  static let trades: [Trade] = {
    let rows: [(Symbol, Int64, Int64)] = [
      ("AAPL", 100, 2), ("NVDA", 250, 1), ("AAPL", 101, 3), ("BRK.B", 440, 1), ("NVDA", 249, 2), ("AAPL", 99, 1),
    ]
    return rows.enumerated().map { i, row in
      let time = Timestamp(ns: 1_381_239_000_000_000_000 + Int64(i) * 1_000_000)
      return Trade(
        symbol: row.0, price: Price(raw: row.1 * 1_000_000_000), size: Quantity(raw: row.2 * 1_000_000_000), time: time, received: time,
        side: i % 2 == 0 ? .buy : .sell, priceDecimals: 2)
    }
  }()

  func run(into output: inout Outlet<Trade>) async throws {
    for _ in 0..<settings.rounds {
      for trade in Self.trades { output.send(trade) }
      try await output.flush()
    }
    if settings.stays { try await clock.sleep(for: .seconds(1_000_000)) }
  }
}

extension Plugin {
  static let sixTrades = Plugin("six_trades", "Sends six trades.", .source(SixTrades.self))
}

/// What was printed.
final class Printed: Sendable {
  private let text = Watched("")
  private let limit: Int

  /// After `limit` bytes the reader is gone.
  init(limit: Int = .max) { self.limit = limit }

  @Sendable func write(_ bytes: UnsafeRawBufferPointer) -> PrintJob.End? {
    if text.value.utf8.count >= limit { return .closed }
    text.update { $0 += String(decoding: bytes, as: UTF8.self) }
    return nil
  }

  var value: String { text.value }
  func wait(for part: String) async { await text.wait { $0.contains(part) } }
}

@Suite(.timeLimit(.minutes(15))) struct PrintTests {
  static let config = """
    # Other tests may keep the processors for long.
    runtime: { drain_deadline: 1h }
    sources:
      six: { plugin: six_trades, stays: STAYS }
      others: { plugin: six_trades }
    processors:
      dear: { plugin: filter, inputs: [six], where: price > 99.5 }
    sinks:
      end: { plugin: null_sink, inputs: [dear] }
      rest: { plugin: null_sink, inputs: [others] }
    """

  static func topology(stays: Bool = false) throws -> Topology {
    let text = config.split(separator: "STAYS").joined(separator: "\(stays)")
    return try Topology.check(
      ConfigLoader(environment: { _ in nil }).load(text: text), catalogue: Catalogue([.sixTrades, .filter, .nullSink]))
  }

  /// The output when the data ends.
  private func print(_ from: String? = nil, _ change: (inout PrintJob.Request) -> Void = { _ in }) async throws -> String {
    var request = PrintJob.Request()
    change(&request)
    let printed = Printed()
    let job = PrintJob(request, write: printed.write)
    let plan = try PrintPlan(job, from: from, in: Self.topology())
    defer { PrintJob.forget(plan.number) }
    let pipeline = Pipeline(plan.topology, logger: CapturedLog().logger())
    job.whether { pipeline.isEndless }
    job.whenDone { pipeline.stop() }
    let report = await pipeline.run()
    #expect(report.exitStatus == 0)
    return printed.value
  }

  @Test func `a table of what the first sink reads, aligned`() async throws {
    #expect(
      try await print { $0.fields = ["symbol", "price", "side", "time"] } == """
        SYMBOL           PRICE  SIDE      TIME
        AAPL            100.00  buy       2013-10-08T13:30:00Z
        NVDA            250.00  sell      2013-10-08T13:30:00.001Z
        AAPL            101.00  buy       2013-10-08T13:30:00.002Z
        BRK.B           440.00  sell      2013-10-08T13:30:00.003Z
        NVDA            249.00  buy       2013-10-08T13:30:00.004Z

        """)
  }

  @Test func `the last event of each symbol, by symbol, in the narrowest table`() async throws {
    #expect(
      try await print {
        $0.once = true
        $0.fields = ["symbol", "price", "size"]
      } == """
        SYMBOL   PRICE  SIZE
        AAPL    101.00     3
        BRK.B   440.00     1
        NVDA    249.00     2

        """)
  }

  @Test func `json lines and csv by the event's own schema`() async throws {
    #expect(
      try await print("six") {
        $0.format = .json
        $0.limit = 1
      } == """
        {"symbol":"AAPL","price":100.00,"size":2,"side":"buy","time":"2013-10-08T13:30:00Z","received":"2013-10-08T13:30:00Z"}

        """)
    #expect(
      try await print("six") {
        $0.format = .csv
        $0.fields = ["size", "symbol"]
        $0.condition = "symbol == AAPL and price != 100"
      } == "size,symbol\n3,AAPL\n1,AAPL\n")
  }

  @Test func `the condition is about the state, not about what led to it`() async throws {
    #expect(
      try await print("six") {
        $0.once = true
        $0.format = .csv
        $0.fields = ["symbol", "price"]
        $0.condition = "price < 100 or price > 200"
      } == "symbol,price\nAAPL,99.00\nBRK.B,440.00\nNVDA,249.00\n")
    #expect(
      try await print("six") {
        $0.once = true
        $0.format = .csv
        $0.fields = ["symbol", "price"]
        $0.condition = "price >= 100"
        $0.limit = 1
      } == "symbol,price\nBRK.B,440.00\n")
  }

  @Test func `a table and csv have their header also where nothing comes`() async throws {
    for (format, header) in [(EventFormat.table, "COMPONENT\n"), (.csv, "component\n"), (.json, "")] {
      #expect(
        try await print("dead_letters") {
          $0.format = format
          $0.fields = ["component"]
        } == header)
    }
  }

  @Test(arguments: [1, 2, 4]) func `ends after the limit, whatever would still come`(limit: Int) async throws {
    let printed = Printed()
    var request = PrintJob.Request()
    request.limit = limit
    request.format = .json
    let job = PrintJob(request, write: printed.write)
    let plan = try PrintPlan(job, from: "six", in: Self.topology(stays: true))
    let clock = ManualTimekeeper()
    let pipeline = Pipeline(plan.topology, clock: clock, logger: CapturedLog().logger())
    job.whenDone { pipeline.stop() }
    let report = await pipeline.run()
    #expect(report.exitStatus == 0)
    #expect(job.end == .complete)
    #expect(printed.value.split(separator: "\n").count == limit)
  }

  /// Prints the state of `six` while it runs; returns the output after `advance` has moved the clock.
  private func snapshot(
    _ change: (inout PrintJob.Request) -> Void, advance: (ManualTimekeeper, PrintJob) async -> Void
  ) async throws -> String {
    let printed = Printed()
    var request = PrintJob.Request()
    request.once = true
    request.format = .csv
    request.fields = ["symbol", "price"]
    change(&request)
    let job = PrintJob(request, write: printed.write)
    let plan = try PrintPlan(job, from: "six", in: Self.topology(stays: true))
    let clock = ManualTimekeeper()
    let pipeline = Pipeline(plan.topology, clock: clock, logger: CapturedLog().logger())
    job.whether { pipeline.isEndless }
    job.whenDone { pipeline.stop() }
    async let report = pipeline.run()
    // All six have been delivered.
    while pipeline.edges.first?.counts.delivered != 6 { await Task.yield() }
    await advance(clock, job)
    #expect(await report.exitStatus == 0)
    #expect(job.end == .complete)
    return printed.value
  }

  private static let state = "symbol,price\nAAPL,99.00\nBRK.B,440.00\nNVDA,249.00\n"

  @Test func `the state of a source without an end is printed when no new symbol came for a while`() async throws {
    let text = try await snapshot {
      $0.settle = .seconds(2)
    } advance: { clock, job in
      await clock.waitForSleeper(until: .seconds(2))
      clock.advance(by: .milliseconds(1999))
      #expect(job.end == nil)
      clock.advance(by: .milliseconds(1))
    }
    #expect(text == Self.state)
  }

  @Test func `the state is printed after the time that was told, however settled it is`() async throws {
    let text = try await snapshot {
      $0.settle = .seconds(2)
      $0.after = .seconds(10)
    } advance: { clock, job in
      await clock.waitForSleeper(until: .seconds(10))
      clock.advance(by: .milliseconds(9999))
      #expect(job.end == nil)
      clock.advance(by: .milliseconds(1))
    }
    #expect(text == Self.state)
  }

  @Test func `the first sink is the first that is written, wherever it stands in the order of the data`() throws {
    let text = """
      sources:
        ticks: { plugin: six_trades }
      processors:
        ranked: { plugin: sorting_feed, inputs: [ticks] }
        mine: { plugin: watchlist_filter, inputs: [ranked], symbols: [AAPL] }
      sinks:
        screen: { plugin: console_viewer, inputs: [connections, ranked, alerts], state: "-" }
        alerts: { plugin: notification_dispatcher, inputs: [mine], rules: [{ above: 1 }], channels: [{ console: {} }] }
      """
    let topology = try Topology.check(
      ConfigLoader().load(text: text), catalogue: Catalogue(.builtIn + [.sixTrades]))
    let plan = try PrintPlan(PrintJob(PrintJob.Request()) { _ in nil }, from: nil, in: topology)
    PrintJob.forget(plan.number)
    #expect(plan.topology.nodes.map(\.id) == ["ticks", "ranked", "standard output"])
    #expect(plan.remarks == ["printing 'ranked', which the first sink, 'screen', reads; --from prints another: 'alerts', 'mine'"])
  }

  @Test(arguments: [true, false]) func `symbols that the condition names and that never came are told`(once: Bool) async throws {
    func notes(_ condition: String, limit: Int? = nil) async throws -> [String] {
      var request = PrintJob.Request()
      request.once = once
      request.condition = condition
      request.limit = limit
      let printed = Printed()
      let job = PrintJob(request, write: printed.write)
      let plan = try PrintPlan(job, from: "six", in: Self.topology())
      defer { PrintJob.forget(plan.number) }
      let pipeline = Pipeline(plan.topology, logger: CapturedLog().logger())
      job.whether { pipeline.isEndless }
      job.whenDone { pipeline.stop() }
      return Printing.notes(await pipeline.run().ledger)
    }
    #expect(try await notes("symbol == aapl") == ["print: 'aapl' never came; did you mean 'AAPL'?"])
    #expect(try await notes("symbol in [AAPL, NVDA] and price > 1000") == [])
    #expect(try await notes("price > 1000") == [])
    // If the stream was cut, it is not known what would have come.
    #expect(try await notes("symbol in [AAPL, TSLA]", limit: 1) == (once ? ["print: 'TSLA' never came"] : []))
  }

  @Test func `when nobody reads any more, it ends`() async throws {
    let printed = Printed(limit: 1)
    let job = PrintJob(PrintJob.Request(), write: printed.write)
    let text =
      "{ sources: { six: { plugin: six_trades, rounds: 1000000, stays: true } }, sinks: { end: { plugin: null_sink, inputs: [six] } } }"
    let topology = try Topology.check(ConfigLoader().load(text: text), catalogue: Catalogue([.sixTrades, .nullSink]))
    let pipeline = Pipeline(try PrintPlan(job, from: nil, in: topology).topology, clock: ManualTimekeeper(), logger: CapturedLog().logger())
    job.whenDone { pipeline.stop() }
    #expect(await pipeline.run().exitStatus == 0)
    #expect(job.end == .closed)
  }

  @Test func `only what is needed runs`() throws {
    func ids(_ from: String?) throws -> [String] {
      let plan = try PrintPlan(PrintJob(PrintJob.Request()) { _ in nil }, from: from, in: Self.topology())
      PrintJob.forget(plan.number)
      return plan.topology.nodes.map(\.id)
    }
    #expect(try ids(nil) == ["six", "dear", "standard output"])
    #expect(try ids("others") == ["others", "standard output"])
    #expect(try ids("gaps") == ["six", "others", "dear", "standard output"])
  }

  @Test(
    arguments: [
      ("sik", nil, nil, "--from: no component 'sik'; did you mean 'six'?"),
      ("zzzzz", nil, nil, "--from: no component 'zzzzz'; there are six, others, dear, dead_letters, connections, gaps, health"),
      ("end", nil, nil, "--from: 'end' is a sink and emits nothing; it reads 'dear'"),
      (
        "six", "price > x", nil,
        "--where\nprice > x\n        ^ trade has no field 'x'; its fields are symbol, price, size, side, time, received, condition"
      ),
      ("six", nil, ["symbol", "prize"], "--fields: trade has no field 'prize'; did you mean 'price'?"),
      ("six", nil, [], "--fields names no field; there are symbol, price, size, side, time, received, condition"),
      ("six", nil, ["symbol", "price", "symbol"], "--fields names 'symbol' twice"),
    ] as [(String, String?, [String]?, String)])
  func `what cannot be printed`(from: String, condition: String?, fields: [String]?, message: String) throws {
    var request = PrintJob.Request()
    request.condition = condition
    request.fields = fields
    let topology = try Self.topology()
    do throws(PrintMistake) {
      _ = try PrintPlan(PrintJob(request) { _ in nil }, from: from, in: topology)
      Issue.record("it could")
    } catch { #expect(error.description == message) }
  }
}
