import Filter
import NullSink
import SortingFeed
import StockbusConfig
import StockbusPlugin
import StockbusTestKit
import Testing
import WatchlistFilter

@testable import StockbusCLI

/// Six trades of three symbols; then, if told so, it stays.
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

  /// After so many bytes nobody reads any more.
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

  /// What is printed when the data ends by itself.
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
    for (format, header) in [(PrintFormat.table, "COMPONENT\n"), (.csv, "component\n"), (.json, "")] {
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

  /// Prints the state of `six` while it lives on, and what was printed when `advance` had moved the clock.
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

  private func ranked(_ symbol: Symbol, _ rank: UInt32, previous: UInt32 = 0) -> Ranked {
    let time = Timestamp(ns: 0)
    return Ranked(
      symbol: symbol, rank: rank, previousRank: previous, price: 1, change: 0, percent: 0, volume: 0, time: time, received: time)
  }

  @Test func `ranked events are a list by rank, without those that have left it`() {
    var snapshot = Snapshot<Ranked>()
    // C comes first and pushes A and B down; B leaves the list.
    for event in [ranked("A", 1), ranked("B", 2), ranked("C", 1), ranked("A", 2, previous: 1), ranked("B", 0, previous: 2)] {
      snapshot.keep(event)
    }
    #expect(snapshot.inOrder.map(\.symbol) == ["C", "A"])
    #expect(snapshot.inOrder.map(\.rank) == [1, 2])
  }

  @Test func `ranks are the present ones, also of symbols that only others have moved`() throws {
    // A feed of 40 symbols by price, told as moves with and without its first six ranks, beside a list that is sorted anew each time.
    for top in [Int.max, 6] {
      var random = RandomStream(seed: 5)
      var prices: [(symbol: Symbol, price: UInt64)] = []
      var snapshot = Snapshot<Ranked>(followsRanks: true)
      func told(_ rank: Int?) -> UInt32 { rank.map { $0 < top ? UInt32($0 + 1) : 0 } ?? 0 }
      for step in 0..<3000 {
        let before = prices.map(\.symbol)
        let symbol = try Symbol("R\(random.next() % 40)")
        prices.removeAll { $0.symbol == symbol }
        prices.append((symbol, random.next() % 1_000_000))
        prices.sort { $0.price > $1.price }
        let now = prices.map(\.symbol)
        // The one whose price it was, then, of the first ranks, those whose places have changed.
        let others = top == .max ? [] : now.filter { $0 != symbol && told(before.firstIndex(of: $0)) != told(now.firstIndex(of: $0)) }
        for moved in [symbol] + others {
          let (old, new) = (told(before.firstIndex(of: moved)), told(now.firstIndex(of: moved)))
          if old > 0 || new > 0 { snapshot.keep(ranked(moved, new, previous: old)) }
        }
        guard step % 50 == 0 else { continue }
        #expect(!snapshot.hasLostRanks)
        #expect(snapshot.inOrder.map(\.symbol) == Array(now.prefix(top)))
        #expect(snapshot.inOrder.map(\.rank) == (1...now.prefix(top).count).map(UInt32.init))
      }
    }
  }

  @Test func `the rank of a symbol's own last event is the one before, where others have moved it since`() {
    var snapshot = Snapshot<Ranked>(followsRanks: true)
    for event in [ranked("A", 1), ranked("B", 1), ranked("C", 1), ranked("B", 2, previous: 2)] { snapshot.keep(event) }
    #expect(snapshot.inOrder.map(\.symbol) == ["C", "B", "A"])
    #expect(snapshot.inOrder.map(\.rank) == [1, 2, 3])
    #expect(snapshot.inOrder.map(\.previousRank) == [0, 2, 1])
  }

  @Test(
    arguments: [
      [("A", 2, 0)], [("A", 1, 1)], [("A", 1, 0), ("A", 1, 0)], [("A", 1, 0), ("B", 2, 0), ("A", 3, 1)],
      [("A", 1, 0), ("B", 1, 0), ("C", 3, 1)],
      [("A", 1, 0), ("B", 2, 0), ("C", 3, 0), ("C", 1, 2)], [("A", 0, 4_000_000_000)], [("A", 4_294_967_295, 4_294_967_295)],
    ] as [[(Symbol, UInt32, UInt32)]])
  func `ranks that cannot come from a whole feed are those of the last events, which is known`(events: [(Symbol, UInt32, UInt32)]) {
    var snapshot = Snapshot<Ranked>(followsRanks: true)
    for (symbol, rank, previous) in events { snapshot.keep(ranked(symbol, rank, previous: previous)) }
    #expect(snapshot.hasLostRanks)
    var last: [Symbol: UInt32] = [:]
    for (symbol, rank, _) in events { last[symbol] = rank }
    #expect(Set(snapshot.inOrder.map(\.symbol)) == Set(last.filter { $0.value > 0 }.keys))
    #expect(snapshot.inOrder.allSatisfy { $0.rank == last[$0.symbol] })
  }

  @Test func `a list of many pieces is followed too`() throws {
    var snapshot = Snapshot<Ranked>(followsRanks: true)
    // Each comes first, so that the last stands first; then the last one goes to the front, again and again.
    for i in 0..<10_000 { snapshot.keep(ranked(try Symbol("M\(i)"), 1)) }
    for i in 0..<5000 { snapshot.keep(ranked(try Symbol("M\(i)"), 1, previous: 10_000)) }
    #expect(!snapshot.hasLostRanks)
    let expected = (0..<5000).reversed().map { "M\($0)" } + (5000..<10_000).reversed().map { "M\($0)" }
    #expect(snapshot.inOrder.map(\.symbol.description) == expected)
  }

  private static let rankings = """
    sources:
      ticks: { plugin: six_trades }
    processors:
      all: { plugin: sorting_feed, inputs: [ticks] }
      some: { plugin: sorting_feed, inputs: [ticks], top: 2 }
      mine: { plugin: watchlist_filter, inputs: [all], symbols: [AAPL] }
      first: { plugin: watchlist_filter, inputs: [some], symbols: [AAPL] }
      dear: { plugin: filter, inputs: [some], where: rank < 3 }
      again: { plugin: sorting_feed, inputs: [mine], order: ascending }
      both: { plugin: filter, inputs: [all, some], where: rank > 0 }
    sinks:
      late: { plugin: null_sink, inputs: [again, mine] }
      end: { plugin: null_sink, inputs: [first, dear, both] }
    """

  @Test(
    arguments: [
      ("ticks", nil), ("all", nil), ("some", nil), ("again", nil), ("first", nil),
      (
        "mine",
        "r.yaml:4:3: warning: 'mine' has only some of what 'all' tells, so its ranks may be out of date; print --from all with --where, or give 'all' a 'top: N'"
      ),
      (
        "dear",
        "r.yaml:5:3: warning: 'dear' has only some of what 'some' tells, so its ranks may be out of date; print --from some with --where"
      ),
      ("both", "warning: 'both' has several rankings; its ranks are those that each symbol's last event told"),
    ] as [(String, String?)])
  func `ranks that may be out of date are said to be, with what to do`(from: String, warning: String?) throws {
    let topology = try Topology.check(
      ConfigLoader().load(text: Self.rankings, file: "r.yaml"),
      catalogue: Catalogue([.sixTrades, .sortingFeed, .watchlistFilter, .filter, .nullSink]))
    func remarks(once: Bool, from: String?) throws -> [String] {
      var request = PrintJob.Request()
      request.once = once
      let plan = try PrintPlan(PrintJob(request) { _ in nil }, from: from, in: topology)
      PrintJob.forget(plan.number)
      return plan.remarks
    }
    #expect(try remarks(once: true, from: from) == (warning.map { [$0] } ?? []))
    #expect(try remarks(once: false, from: from) == [])
    #expect(
      try remarks(once: true, from: nil) == [
        "printing 'again', which the first sink, 'late', reads; --from prints another: 'mine', 'first', 'dear', 'both'"
      ])
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
      ConfigLoader().load(text: text), catalogue: Catalogue(builtIn.plugins + [.sixTrades]))
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
    // Of a stream that was cut nobody knows what would have come.
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
      ("zzzzz", nil, nil, "--from: no component 'zzzzz'; there are six, others, dear, dead_letters, connections, gaps"),
      ("end", nil, nil, "--from: 'end' is a sink and emits nothing; it reads 'dear'"),
      (
        "six", "price > x", nil,
        "--where\nprice > x\n        ^ trade has no field 'x'; its fields are symbol, price, size, side, time, received"
      ),
      ("six", nil, ["symbol", "prize"], "--fields: trade has no field 'prize'; did you mean 'price'?"),
      ("six", nil, [], "--fields names no field; there are symbol, price, size, side, time, received"),
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
