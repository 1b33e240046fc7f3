import History
import MarketData
import StockbusHistory
import StockbusInstruments
import StockbusPlugin
import StockbusRuntime
import StockbusSQLite
import StockbusTestKit
import Testing

private let day: Int64 = 86_400 * second
private let second: Int64 = 1_000_000_000

private func bar(_ symbol: Symbol, _ start: Int64, _ length: BarLength = .day, price: Int64 = 100) -> Bar {
  Bar(
    symbol: symbol, open: Price(raw: price), high: Price(raw: price), low: Price(raw: price), close: Price(raw: price), volume: 10,
    time: Timestamp(ns: start), received: Timestamp(ns: start + (length.nanoseconds ?? 0)), length: length)
}

private func trade(_ symbol: Symbol, _ price: Int64, at time: Int64) -> Trade {
  Trade(symbol: symbol, price: Price(raw: price), size: 1, time: Timestamp(ns: time), received: Timestamp(ns: time))
}

/// A source of one bar.
private actor OneBar: Source {
  init(_: NoOptions, _: Context) {}
  func run(into output: inout Outlet<Bar>) async throws { output.send(bar("A", 0)) }
}

extension Plugin {
  fileprivate static let oneBar = Plugin("one_bar", "Sends one bar.", .source(OneBar.self))
}

@Suite(.timeLimit(.minutes(15))) struct HistoryTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("h.db") }

  @Test func `history keeps the contract`() async throws {
    #expect(await checkContract(.history, options: "path: \(path)", inputs: [Feed([bar("A", 0), bar("A", day)])]) == [])
    #expect(await checkContract(.history, options: "path: \(path)", inputs: [Feed([trade("A", 1, at: 1)])]) == [])
    #expect(
      await checkContract(
        .history, options: "path: \(path)", inputs: [Feed([Quote.schema.example]), Feed([Ranked.schema.example]), Feed([bar("B", 0)])])
        == [])
    #expect(folder.names == ["h.db"])
  }

  @Test func `bars and the last prices of several inputs are in the file when the run has ended`() async throws {
    let harness = PluginHarness()
    let bars = (0..<50).map { bar("A", Int64($0) * day) }
    try await harness.consume(
      [Feed(bars), Feed([trade("A", 7, at: 90 * day), trade("B", 8, at: 5), trade("B", 9, at: 4)])], by: Plugin.history,
      options: "path: \(path)")
    let reader = try HistoryReader(path)
    #expect(try reader.bars("A", .day) == bars)
    #expect(Set(try reader.lastPrices().map { "\($0.symbol) \($0.price.raw)" }) == ["A 7", "B 8"])
    #expect(harness.counter("bars") == 50 && harness.counter("superseded") == 0 && harness.lost == 0)
  }

  @Test func `a day that begins at a midnight of the exchange is kept under its date, once`() async throws {
    let instruments: Instruments = {
      var builder = InstrumentsBuilder()
      builder.add(csv: Array("symbol,calendar\nA,us_equities\n".utf8), file: "instruments.csv")
      return builder.finish()
    }()
    // Monday and Tuesday, 7 and 8 October 2013, begin at 04:00 UTC in New York; the last one again as a program without times writes it.
    let monday = 15_985 * day
    let hours = day / 6
    let days = [bar("A", monday + hours), bar("A", monday + day + hours), bar("A", monday + day, price: 200), bar("B", monday + hours)]
    try await PluginHarness(services: Services(instruments)).consume([days], by: Plugin.history, options: "path: \(path)")
    let reader = try HistoryReader(path)
    #expect(try reader.bars("A", .day).map { "\($0.time.ns / day) \($0.close.raw)" } == ["15985 100", "15986 200"])
    #expect(try reader.bars("A", .length(.week))?.bars.map(\.volume) == [20])
    // Without a calendar nothing is known of midnights.
    #expect(try reader.bars("B", .day).map(\.time.ns) == [monday + hours])
  }

  @Test func `what a ranking says about a symbol that has left it is no price`() async throws {
    var move = Ranked.schema.example
    move.rank = 0
    try await PluginHarness().consume([[move]], by: Plugin.history, options: "path: \(path)")
    #expect(try HistoryReader(path).lastPrices().isEmpty)
  }

  @Test func `what waits is written after flush, and at once when there is much`() async throws {
    let harness = PluginHarness()
    let running = try harness.start(Plugin.history, options: "{ path: \(path), flush: 10s, batch: 5 }", taking: [Bar.self])
    try await running.send([bar("A", 0)])
    await running.delivered()
    await harness.clock.waitForSleeper(until: .seconds(10))
    let reader = try HistoryReader(path)
    #expect(try reader.bars("A", .day).isEmpty)
    harness.clock.advance(by: .seconds(10))
    while harness.counter("bars") != 1 { await Task.yield() }
    #expect(try reader.bars("A", .day).count == 1)
    try await running.send((1..<6).map { bar("A", Int64($0) * day) })
    await running.delivered()
    try await running.stop()
    #expect(try reader.bars("A", .day).count == 6)
  }

  @Test func `bars are removed as keep says`() async throws {
    let harness = PluginHarness()
    let bars = (0..<50).flatMap { [bar("A", Int64($0) * day), bar("A", Int64($0) * day, .time(day / 2))] }
    try await harness.consume([bars], by: Plugin.history, options: "{ path: \(path), keep: { 1d: 10d, 12h: forever } }")
    let reader = try HistoryReader(path)
    #expect(try reader.bars("A", .day).map { $0.time.ns / day } == Array(39..<50))
    #expect(try reader.bars("A", .time(day / 2)).count == 50)
    #expect(harness.counter("removed") == 39)
    #expect(try reader.previousClose(of: "A", before: CivilDate(daysSinceEpoch: 5)) != nil)
  }

  @Test func `bars ahead of the machine's clock remove none of the present, and are reported at the next start`() async throws {
    // The clock was three days ahead; at the start the file has nothing.
    let clock = ManualTimekeeper()
    let now = clock.now.ns
    func run(at time: Int64) async throws -> PluginHarness {
      let harness = PluginHarness(clock: ManualTimekeeper(start: Timestamp(ns: time)))
      let bars = [bar("A", time - 2 * second, .time(second)), bar("A", time - second, .time(second))]
      let trade = Trade(symbol: "A", price: 1, size: 1, time: Timestamp(ns: time - 1), received: Timestamp(ns: time), side: .buy)
      try await harness.consume(
        [Feed(bars), Feed([trade])], by: Plugin.history, options: "{ path: \(path), keep: { 1s: 1d } }")
      return harness
    }
    #expect(try await run(at: now + 3 * day).log.texts(.warning) == [])
    let harness = try await run(at: now)
    #expect(harness.counter("bars") == 2 && harness.counter("removed") == 0)
    #expect(
      harness.log.texts(.warning) == [
        "warning plugin: '\(path)' has a price of A of 2013-10-11T13:29:59.999999999Z, 3d ahead of this machine's clock: last prices from then stay the last ones until then; to begin anew, remove the file"
      ])
    #expect(try HistoryReader(path).bars("A", .time(second)).count == 4)
    // When the time has come, all is removed as it should.
    #expect(try await run(at: now + 3 * day + second).counter("removed") == 2)
  }

  @Test func `a file that another program has locked is waited for, and what cannot be written is lost by number`() async throws {
    let harness = PluginHarness()
    try await harness.consume([[bar("A", 0)]], by: Plugin.history, options: "path: \(path)")
    let other = try SQLiteConnection(path, .writing)
    let running = try harness.start(Plugin.history, options: "{ path: \(path), flush: 1h, batch: 1, patience: 3s }", taking: [Bar.self])
    // Until it has opened the file, and the timer waits.
    try await running.send([bar("A", day)])
    while harness.counter("bars") != 2 { await Task.yield() }
    try other.execute("BEGIN IMMEDIATE")
    try await running.send([bar("A", 2 * day), bar("A", 3 * day)])
    // Until the next attempt is waited for.
    await harness.clock.waitForSleeper(until: .milliseconds(100))
    #expect(harness.trouble == "'\(path)' is locked by another program")
    try other.execute("ROLLBACK")
    harness.clock.advance(by: .milliseconds(100))
    // An event is delivered before it is written.
    while harness.counter("bars") != 4 { await Task.yield() }
    #expect(try HistoryReader(path).bars("A", .day).count == 4 && harness.trouble == nil)
    try other.execute("BEGIN IMMEDIATE")
    try await running.send([bar("A", 4 * day), bar("A", 5 * day)])
    _ = await harness.clock.running { await #expect(throws: EnvironmentFailure.self) { try await running.stop() } }
    try other.execute("ROLLBACK")
    #expect(harness.lost == 2)
    #expect(try HistoryReader(path).bars("A", .day).count == 4)
  }

  @Test func `a lock that a regular write meets is a trouble while it lasts, and what comes then waits`() async throws {
    let harness = PluginHarness()
    let running = try harness.start(Plugin.history, options: "{ path: \(path), flush: 5s }", taking: [Bar.self])
    try await running.send([bar("A", 0)])
    await harness.clock.waitForSleeper(until: .seconds(5))
    let other = try SQLiteConnection(path, .writing)
    try other.execute("BEGIN IMMEDIATE")
    harness.clock.advance(by: .seconds(5))
    await harness.clock.waitForSleeper(until: .seconds(10))
    #expect(harness.trouble == "'\(path)' is locked by another program")
    // The next event waits with its batch, and is tried again after 100 ms.
    try await running.send([bar("A", day)])
    await harness.clock.waitForSleeper(until: .milliseconds(5100))
    try other.execute("ROLLBACK")
    harness.clock.advance(by: .milliseconds(100))
    while harness.counter("bars") != 2 { await Task.yield() }
    while harness.trouble != nil { await Task.yield() }
    try await running.stop()
    #expect(harness.lost == 0)
    #expect(harness.log.texts(.warning) == ["warning plugin: '\(path)' is locked by another program; retrying for 30s"])
    #expect(harness.log.texts(.notice) == ["notice plugin: writing works again, after 100ms"])
  }

  @Test func `a file that has gone is noticed within a second, and what is not in the file at the path is lost by number`() async throws {
    let harness = PluginHarness()
    let running = try harness.start(Plugin.history, options: "{ path: \(path), flush: 1h, patience: 3s }", taking: [Bar.self])
    try await running.send([bar("A", 0)])
    await running.delivered()
    await harness.clock.waitForSleeper(until: .seconds(1))
    for name in ["h.db", "h.db-wal", "h.db-shm"] { folder.remove(name) }
    harness.clock.advance(by: .seconds(1))
    await harness.clock.waitForSleeper(until: .seconds(2))
    #expect(harness.trouble == "'\(path)' is not the file that was opened: it was moved or removed")
    try await running.send([bar("A", day)])
    _ = await harness.clock.running { await #expect(throws: EnvironmentFailure.self) { try await running.stop() } }
    #expect(harness.lost == 2)
    #expect(folder.names == [])
  }

  @Test func `backup copies what has come, while the run goes on`() async throws {
    let harness = PluginHarness()
    let running = try harness.start(Plugin.history, options: "{ path: \(path), flush: 1h }", taking: [Bar.self])
    try await running.send([bar("A", 0), bar("A", day)])
    await running.delivered()
    let target = folder.file("copy.db")
    #expect(try await running.perform("backup \(target)") == "backing up to '\(target)'; the log says when it is done")
    await harness.log.wait(for: "backed up to")
    #expect(try HistoryReader(target).bars("A", .day).count == 2)
    await #expect(throws: CommandError("'\(target)': the file exists already; a backup does not replace files")) {
      try await running.perform("backup \(target)")
    }
    await #expect(throws: CommandError("write 'backup PATH'")) { try await running.perform("backup") }
    try await running.send([bar("A", 2 * day)])
    try await running.stop()
    #expect(try HistoryReader(path).bars("A", .day).count == 3)
    #expect(folder.names == ["copy.db", "h.db"])
  }

  private func pipeline(_ options: String) throws -> PipelineHarness {
    let text = "sources: { bars: { plugin: one_bar } }\nsinks: { kept: { plugin: history, inputs: [bars], \(options) } }"
    return try PipelineHarness(text, plugins: [.oneBar, .history])
  }

  @Test func `options and files that cannot be are told at their place`() throws {
    func problems(_ options: String) -> [String] {
      do {
        _ = try pipeline(options)
        return []
      } catch let problems as Problems { return problems.sorted.map(\.description) } catch { return ["\(error)"] }
    }
    folder.put("not a database, but text", in: "text")
    #expect(problems("path: \"-\"").contains { $0.contains("'path' is a file; a history cannot be written to standard output") })
    #expect(problems("path: h.db, keep: { 1x: 1d }").contains { $0.contains("'keep': '1x' is not a bar length such as 1m, 1d or 100t") })
    #expect(problems("path: h.db, keep: { 1m: 0s }").contains { $0.contains("a time from 1ns to 290 years, or forever") })
    #expect(problems("path: h.db, keep: { 1m: soon }").contains { $0.contains("must be a duration such as 90d, or forever") })
    #expect(problems("path: \(folder.file("text"))").contains { $0.contains("is not a database of stockbus: it is not a database") })
  }

  @Test func `a run whose file is another run's fails with that run's name`() async throws {
    let first = try HistoryWriter(path)
    let harness = try pipeline("path: \(path)")
    let report = await harness.run()
    #expect(report.exitStatus == 1)
    #expect(harness.log.lines.contains { $0.description.contains("another output of this program is writing it") })
    try first.close()
  }
}
