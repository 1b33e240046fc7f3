import EventBus
import FileWriter
import Foundation
import MarketData
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import FileReplay

/// Histories among the files of a replay, which a service of the run reads.
@Suite(.timeLimit(.minutes(15))) struct ArchiveTests {
  private let folder = TemporaryFolder()
  private static let minute: Int64 = 60_000_000_000

  private static func bar(_ symbol: Symbol, _ minute: Int64, close: Price = 10) -> Bar {
    Bar(
      symbol: symbol, open: 10, high: 10, low: 10, close: close, volume: 1, time: Timestamp(ns: minute * Self.minute),
      received: Timestamp(ns: (minute + 1) * Self.minute), length: .time(Self.minute))
  }

  init() {
    // The head of a database, with the mark of histories and that of another program.
    let magic = Array("SQLite format 3\0".utf8)
    folder.put(magic + [UInt8](repeating: 1, count: 68 - magic.count) + Array("stkb".utf8) + [0], in: "kept.db")
    folder.put(magic + [UInt8](repeating: 1, count: 100), in: "other.db")
    folder.put(
      "symbol,length,open,high,low,close,volume,time\nC,1m,1,1,1,1,1,1970-01-01T00:01:30Z\nC,1m,2,2,2,2,1,1970-01-01T00:09:00Z\n",
      in: "more.csv")
  }

  /// Three bars, in two parts; says what was asked.
  private func archive(_ asked: Guarded<[String]>, fault: String? = nil) -> BarArchive {
    BarArchive { path, choice, _ throws(PastFault) in
      if let fault { throw PastFault(predicate: fault) }
      let name = String(path.split(separator: "/").last ?? "")
      asked.withLock { $0.append("\(name) \(choice.length?.description ?? "all") \(choice.since.map { "\($0.ns)" } ?? "all")") }
      let parts = Guarded([[Self.bar("A", 1), Self.bar("B", 2)], [Self.bar("A", 3)]])
      return { () throws(PastFault) in parts.withLock { $0.isEmpty ? [] : $0.removeFirst() } }
    }
  }

  private func run(_ options: String, _ services: Services) async throws -> (rows: [String], log: [String], report: RunReport) {
    let harness = try PipelineHarness(
      """
      sources: { replay: { plugin: file_replay, \(options), event: bar, supervision: { on_failure: isolate } } }
      sinks: { rows: { plugin: file_writer, inputs: [replay], path: \(folder.file("out.csv")), append: false } }
      """, plugins: [.fileReplay, .fileWriter], services: services)
    let report = await harness.runThroughTime()
    let rows = folder.content("out.csv").split(separator: "\n").dropFirst().map { row in
      let fields = row.split(separator: ",", omittingEmptySubsequences: false)
      return "\(fields[0]) \(fields[13])"
    }
    return (rows, harness.log.lines.map(\.description), report)
  }

  @Test func `bars of a history have no values in columns`() async throws {
    let (rows, _, _) = try await run(
      "path: \(folder.file("kept.db")), extra_columns: { spread: number }", Services(archive(Guarded([]))))
    let lines = folder.content("out.csv").split(separator: "\n")
    #expect(rows.count == 3 && lines[0].hasSuffix(",spread") && lines.dropFirst().allSatisfy { $0.hasSuffix(",") }, "\(lines)")
  }

  @Test func `bars of a history are merged with those of files, in every loop`() async throws {
    let asked = Guarded([String]())
    let path = "path: [\(folder.file("more.csv")), \(folder.file("kept.db"))]"
    let whole = try await run("\(path), loops: 2", Services(archive(asked)))
    let loop = [
      "A 1970-01-01T00:01:00Z", "C 1970-01-01T00:01:30Z", "B 1970-01-01T00:02:00Z", "A 1970-01-01T00:03:00Z", "C 1970-01-01T00:09:00Z",
    ]
    #expect(whole.rows == loop + loop)
    #expect(asked.withLock { $0 } == ["kept.db all all", "kept.db all all"])
    let part = try await run(
      "\(path), length: 1m, from: '1970-01-01T00:01:30Z', until: '1970-01-01T00:03:00Z'", Services(archive(asked)))
    // What is before 'from' the history leaves out.
    #expect(part.rows == ["A 1970-01-01T00:01:00Z", "C 1970-01-01T00:01:30Z", "B 1970-01-01T00:02:00Z"])
    #expect(asked.withLock { $0.last } == "kept.db 1m \(90 * 1_000_000_000)")
  }

  @Test func `a program that reads no histories says so, and so does a history that cannot be read`() async throws {
    let path = "path: \(folder.file("kept.db"))"
    for (services, reason) in [
      (Services(), "cannot be read: this program has no component that reads histories"),
      (Services(archive(Guarded([]), fault: "is damaged: page 7")), "is damaged: page 7"),
    ] {
      let result = try await run(path, services)
      #expect(result.rows == [])
      #expect(result.log.contains { $0.contains("kept.db: \(reason)") }, "\(result.log)")
    }
  }

  @Test func `a database has bars, and only if it is a history`() throws {
    for (options, reason) in [
      ("path: \(folder.file("kept.db"))", "kept.db', which is a history, whose events are bars: set 'event: bar'"),
      ("path: \(folder.file("other.db")), event: bar", "other.db', which is a database, and no history of this program"),
    ] {
      let problems = try #require(throws: Problems.self) {
        _ = try PipelineHarness("sources: { replay: { plugin: file_replay, \(options) } }", plugins: [.fileReplay])
      }
      #expect("\(problems)".contains(reason), "\(problems)")
    }
    // While a connection has it open, it is not opened to look at it.
    folder.put("", in: "other.db-wal")
    #expect(HistoryFile.fault(folder.file("other.db"), as: Bar.fields) == nil)
  }
}
