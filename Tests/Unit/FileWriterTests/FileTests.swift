import FileWriter
import StockbusFiles
import StockbusTestKit
import Testing

actor Trades: Source {
  private let count: Int
  private let holds: Bool
  private let clock: any Timekeeper
  init(_ settings: TradesSettings, _ context: Context) { (count, holds, clock) = (settings.count, settings.holds, context.clock) }
  func run(into output: inout Outlet<Trade>) async throws {
    for i in 0..<count {
      var trade = Trade.schema.example
      trade.size = Quantity(raw: Int64(i + 1) * 1_000_000_000)
      output.send(trade)
    }
    try await output.flush()
    if holds { try await clock.sleep(for: .seconds(1_000_000)) }
  }
}

struct TradesSettings: Options {
  @Setting("How many.") var count = 10
  @Setting("Stays until it is stopped.") var holds = false
}

extension Plugin {
  static let trades = Plugin("trades", "Sends trades of sizes 1, 2, 3 and so on.", .source(Trades.self))
}

@Suite(.timeLimit(.minutes(15))) struct FileTests {
  let folder = TemporaryFolder()
  static let trades: [Trade] = (1...400).map { i in
    var trade = Trade.schema.example
    trade.size = Quantity(raw: Int64(i) * 1_000_000_000)
    return trade
  }

  private func run(_ count: Int, _ options: String) async throws -> (report: RunReport, log: CapturedLog) {
    let harness = try PipelineHarness(
      """
      sources: { ticks: { plugin: trades, count: \(count) } }
      sinks: { file: { plugin: file_writer, inputs: [ticks], \(options) } }
      """, plugins: [.trades, .fileWriter])
    return (await harness.run(), harness.log)
  }

  private func counter(_ report: RunReport, _ name: String) -> Int? {
    report.ledger.counters.first { $0.component == "file" && $0.name == name }?.total
  }

  @Test func `goes on with a file that is there, or empties it first`() async throws {
    let options = "fields: [size]\nheader: true"
    #expect(try await write(Array(Self.trades[0..<2]), options, as: "a.csv", in: folder) == "size\n1\n2\n")
    #expect(try await write(Array(Self.trades[2..<3]), options, as: "a.csv", in: folder) == "size\n1\n2\n3\n")
    #expect(try await write(Array(Self.trades[3..<4]), options + "\nappend: false", as: "a.csv", in: folder) == "size\n4\n")
    #expect(try await write([Trade](), options + "\nappend: false", as: "a.csv", in: folder) == "size\n")
  }

  @Test func `what a file had before the run is said under the ledger`() async throws {
    let path = folder.file("twice.csv")
    let options = "path: '\(path)', fields: [size]"
    #expect(try await run(2, options).report.ledger.notes.isEmpty)
    let second = try await run(2, options)
    let start = "'\(path)' has 9 bytes: this run appends to it; 'append: false' empties such a file first"
    #expect(second.log.texts(.notice) == ["notice file: \(start)"])
    // 5 bytes of the header, 4 of two records.
    #expect(second.report.ledger.notes.map(\.text) == ["'\(path)' had 9 bytes before this run; 'append: false' empties such a file first"])
    #expect(folder.content("twice.csv") == "size\n1\n2\n1\n2\n")
    #expect(try await run(2, options + ", append: false").report.ledger.notes.isEmpty)
  }

  @Test func `with no time to wait, what counts as delivered is in the file`() async throws {
    let path = folder.file("now.csv")
    let sink = try PluginHarness().start(
      Plugin.fileWriter, options: "path: \(path)\nfields: [size]\nheader: false\nflush: 0s", taking: [Trade.self])
    try await sink.send(Array(Self.trades[0..<2]))
    await sink.delivered()
    #expect(folder.content("now.csv") == "1\n2\n")
    try await sink.send(Array(Self.trades[2..<3]))
    await sink.delivered()
    #expect(folder.content("now.csv") == "1\n2\n3\n")
    try await sink.stop()
  }

  @Test func `a file that holds something else is not gone on with`() async throws {
    func fault(_ name: String, _ change: (inout FileWriterSettings) -> Void = { _ in }) -> String? {
      var settings = FileWriterSettings()
      settings.path = folder.file(name)
      change(&settings)
      return FileWriter<Trade>.fault(in: .writing(settings.path, at: "path"), settings)
    }
    let end = ": use another path to keep it, or 'append: false' to empty it first"
    _ = try await write(Array(Self.trades[0..<2]), "fields: [symbol, size]", as: "a.csv", in: folder)
    #expect(fault("a.csv") { $0.fields = ["symbol", "size"] } == nil)
    #expect(fault("a.csv") { $0.fields = ["size", "symbol"] } == "it begins with 'symbol,size', and the header is 'size,symbol'" + end)
    #expect(fault("a.csv") { $0.format = .jsonl } == "it begins with 'symbol,size', which is not a JSON line" + end)
    #expect(fault("a.csv") { ($0.fields, $0.file.rotation.append) = (["size"], false) } == nil)
    #expect(fault("a.csv") { ($0.fields, $0.header) = (["size"], false) } == nil)
    _ = try await write(Array(Self.trades[0..<2]), "fields: [size]", as: "b.jsonl", in: folder)
    #expect(fault("b.jsonl") { $0.fields = ["symbol"] } == nil)
    #expect(
      fault("b.jsonl") { ($0.format, $0.fields) = (.csv, ["size"]) } == #"it begins with '{"size":1}', and the header is 'size'"# + end)
    #expect(fault("none.csv") == nil)
    for name in ["a.csv", "b.jsonl"] { folder.remove(name) }
  }

  @Test func `rows with other columns are not added to a file`() async throws {
    func write(_ names: String...) async throws {
      let columns = ColumnLayout(names.map { ColumnInfo($0, .number) })
      let rows = [[Int64?]](repeating: names.map { _ in 1_000_000_000 }, count: 2)
      try await PluginHarness().consume(
        [Feed(Array(Self.trades[0..<2]), columns: columns, rows: rows)], by: Plugin.fileWriter, options: "path: \(folder.file("c.csv"))")
    }
    try await write("a")
    try await write("a")
    let before = folder.content("c.csv")
    let failure = await #expect(throws: EnvironmentFailure.self) { try await write("a", "b") }
    #expect(failure?.isPermanent == true && "\(failure.map { "\($0)" } ?? "")".contains("would be misread there"))
    #expect(folder.content("c.csv") == before && before.split(separator: "\n").count == 5)
    folder.remove("c.csv")
  }

  @Test func `folders above the file are made`() async throws {
    let path = folder.file("x") + "/y.csv"
    let (report, _) = try await run(1, "path: \(path), fields: [size]")
    #expect(report.exitStatus == 0)
    #expect(folder.content("x/y.csv") == "size\n1\n")
    folder.remove("x/y.csv")
    folder.removeFolder("x")
  }

  @Test func `rotation never splits a record, keeps the newest files and begins each with the header`() async throws {
    let text = try await write(Self.trades, "fields: [symbol, size]\nrotate: 100B\nkeep: 50\nsync: true", as: "t.csv", in: folder)
    #expect(text.hasPrefix("symbol,size\n"))
    var rows: [String] = []
    let files = folder.names.count
    for number in (1..<files).reversed() {
      let part = folder.content("t.csv.\(number)")
      #expect(part.utf8.count <= 100)
      // There was no room for one more record.
      #expect(part.utf8.count > 90)
      rows += part.split(separator: "\n").dropFirst().map(String.init)
      #expect(part.hasPrefix("symbol,size\n") && part.hasSuffix("\n"))
    }
    rows += text.split(separator: "\n").dropFirst().map(String.init)
    #expect(rows == (1...400).map { "AAPL,\($0)" })
    for name in folder.names { folder.remove(name) }
    _ = try await write(Self.trades, "fields: [symbol, size]\nrotate: 100B\nkeep: 3", as: "t.csv", in: folder)
    #expect(folder.names == ["t.csv", "t.csv.1", "t.csv.2", "t.csv.3"])
  }

  @Test func `a record waits in memory no longer than told`() async throws {
    let harness = PluginHarness()
    let path = folder.file("slow.csv")
    let running = try harness.start(
      Blueprint.sink(FileWriter<Trade>.self), options: "{ path: \(path), fields: [size], flush: 3s }", taking: Trade.self,
      emitting: Trade.self)
    harness.clock.advance(by: .seconds(5))
    try await running.send(Array(Self.trades[0..<2]))
    await running.delivered()
    await harness.clock.waitForSleeper(until: .seconds(8))
    #expect(folder.content("slow.csv") == "")
    harness.clock.advance(by: .seconds(3))
    while folder.content("slow.csv") == "" { await Task.yield() }
    #expect(folder.content("slow.csv") == "size\n1\n2\n")
    try await running.stop()
    #expect(harness.counter("records") == 2)
    #expect(harness.counter("bytes") == 4)
  }

  static let reason = "cannot write '/dev/full': No space left on device (ENOSPC)"

  @Test func `a run that is asked to look makes a removed file anew with its header, and the ledger counts what was written`() async throws
  {
    let path = folder.file("t.csv")
    let harness = try PipelineHarness(
      """
      sources: { ticks: { plugin: trades, count: 3, holds: true } }
      sinks: { file: { plugin: file_writer, inputs: [ticks], path: \(path), fields: [size], flush: 0s } }
      """, plugins: [.trades, .fileWriter])
    async let running = harness.run()
    while folder.content("t.csv") != "size\n1\n2\n3\n" { await Task.yield() }
    #expect(await harness.pipeline.renewFiles() == [])
    folder.remove("t.csv")
    #expect(await harness.pipeline.renewFiles() == [path])
    #expect(folder.content("t.csv") == "size\n")
    harness.stop()
    let report = await running
    #expect(counter(report, "records") == 3 && report.exitStatus == 0)
    folder.remove("t.csv")
  }

  @Test func `a full disk fails the run, and what was lost is counted`() async throws {
    let (report, log) = try await run(10, "path: /dev/full, patience: 0s")
    #expect(report.fates.last?.outcome == .failed(Self.reason))
    #expect(report.ledger.lost == 10)
    #expect(report.exitStatus == 1)
    #expect(report.ledger.isBalanced)
    #expect(
      log.texts(.error) == ["error file: 10 events lost: \(Self.reason)", "error file failed: \(Self.reason)"])
  }

  @Test func `with a full disk every event is lost or dropped, and none is counted twice`() async throws {
    let (report, _) = try await run(5000, "path: /dev/full, patience: 0s")
    let counts = try #require(report.ledger.edges.first?.counts)
    #expect(counts.delivered == report.ledger.lost)
    #expect(counts.delivered + counts.dropped == 5000)
    #expect(counts.deadLettered == 0)
    #expect(report.exitStatus == 1)
  }

  @Test func `a full disk is given time, with growing pauses`() async throws {
    let harness = try PipelineHarness(
      """
      sources: { ticks: { plugin: trades, count: 10 } }
      sinks: { file: { plugin: file_writer, inputs: [ticks], path: /dev/full, patience: 1s, flush: 1h } }
      """, plugins: [.trades, .fileWriter])
    async let running = harness.run()
    // It tries at 0, 0.1, 0.3 and 0.7 s, and for the last time after one second.
    for milliseconds in [100, 300, 700, 1000] {
      await harness.clock.waitForSleeper(until: .milliseconds(milliseconds))
      harness.clock.advance(by: .milliseconds(milliseconds) - harness.clock.uptime)
    }
    let report = await running
    #expect(report.fates.last?.outcome == .failed(Self.reason))
    #expect(
      harness.log.texts(.warning).filter { $0.contains("trying") }
        == ["warning file: \(Self.reason); retrying for 1s"])
  }

  @Test(arguments: [true, false])
  func `a path that cannot be written is a clear error, and the others go on`(isFolder: Bool) async throws {
    // An error that checking the folders does not find: names have at most 255 bytes.
    let long = folder.file(String(repeating: "x", count: 256))
    let path = isFolder ? "\(long)/t.csv" : long
    let reason =
      (isFolder ? "cannot create the folder '\(long)'" : "cannot open '\(long)' for writing") + ": File name too long (ENAMETOOLONG)"
    // With another sink the run continues, and the source publishes all of its events; without one it might be stopped before.
    let harness = try PipelineHarness(
      """
      sources: { ticks: { plugin: trades, count: 10 } }
      sinks:
        other: { plugin: file_writer, inputs: [ticks], path: \(folder.file("other.csv")) }
        file: { plugin: file_writer, inputs: [ticks], path: \(path), supervision: { restarts: 0 } }
      """, plugins: [.trades, .fileWriter])
    let report = await harness.run()
    let log = harness.log
    #expect(report.fates.last?.outcome == .failed(reason))
    #expect(report.fates.first?.outcome == .completed)
    let counts = try #require(report.ledger.edges.last?.counts)
    #expect(counts.published == 10 && counts.dropped == 10)
    #expect(report.ledger.isBalanced)
    #expect(report.exitStatus == 1)
    #expect(log.texts(.error) == ["error file failed: \(reason)"])
    #expect(log.texts(.critical) == ["critical file has failed for good after 1 attempt; the others continue"])
  }

  @Test func `a path through a file is told before anything starts`() {
    #expect(throws: Problems.self) {
      try PipelineHarness(
        """
        sources: { ticks: { plugin: trades, count: 10 } }
        sinks: { file: { plugin: file_writer, inputs: [ticks], path: /dev/null/t.csv } }
        """, plugins: [.trades, .fileWriter])
    }
  }

  @Test func `a large replay is written whole`() async throws {
    let (report, _) = try await run(30_000, "path: \(folder.file("large.csv")), fields: [size], header: false")
    #expect(report.exitStatus == 0)
    #expect(folder.content("large.csv") == (1...30_000).map { "\($0)\n" }.joined())
    #expect(counter(report, "records") == 30_000)
    #expect(report.ledger.lost == 0)
  }
}
