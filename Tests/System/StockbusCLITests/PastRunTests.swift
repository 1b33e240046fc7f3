import Foundation
import StockbusPlugin
import StockbusTestKit
import Testing

/// A run that knows what was before it.
@Suite(.enabled(if: ProgramTests.program != nil, "the program was not built"), .timeLimit(.minutes(15)))
struct PastRunTests {
  let folder = TemporaryFolder()

  private func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
    try ProgramTests.run(arguments, in: URL(filePath: folder.path))
  }

  private static let desk = """
    history: h.db
    sources: { prices: { plugin: file_replay, path: today.csv } }
    processors: { ranked: { plugin: sorting_feed, inputs: [prices], by: percent, since: previous_close } }
    sinks:
      kept: { plugin: history, inputs: [prices], path: h.db }
      out: { plugin: null_sink, inputs: [ranked] }

    """

  @Test func `the second day counts from the close of the first`() throws {
    folder.put(Self.desk, in: "desk.yaml")
    folder.put("time,symbol,price,size\n2013-10-08T14:00:00Z,A,100,1\n2013-10-08T19:00:00Z,A,101,1\n", in: "today.csv")
    // The file need not exist yet, because the run makes it.
    #expect(try run("validate", "desk.yaml").status == 0)
    let first = try run("run", "desk.yaml")
    #expect(first.status == 0 && first.errors.contains("without a close"), "\(first.errors)")
    folder.put("time,symbol,price,size\n2013-10-09T14:00:00Z,A,102.01,1\n2013-10-09T14:00:00Z,B,7,1\n", in: "today.csv")
    let second = try run("print", "desk.yaml", "--from", "ranked", "--format", "csv", "--fields", "symbol,price,change,percent")
    #expect(second.output == "symbol,price,change,percent\nA,102.01,1.01,1\nB,7,0,0\n", "\(second.errors)")
    // The same day again: the close of the first one is still known.
    for _ in 0..<2 {
      let again = try run("run", "desk.yaml")
      #expect(again.status == 0, "\(again.errors)")
      let shown = try run("print", "desk.yaml", "--from", "ranked", "--format", "csv", "--fields", "symbol,price,change,percent")
      #expect(shown.output == second.output, "\(shown.errors)")
    }
  }

  @Test func `days that begin at a midnight of the run's zone are kept as days and weeks of their dates`() throws {
    // Friday 10 July 2026 and Monday 13 July, each from its midnight in Shanghai on.
    folder.put("time,symbol,open,high,low,close,volume\n1783612800000,A,1,1,1,1,5\n1783872000000,A,2,2,2,2,7\n", in: "days.csv")
    folder.put(
      """
      runtime: { zone: Asia/Shanghai }
      sources: { days: { plugin: file_replay, path: days.csv, event: bar, length: 1d, time: ms } }
      sinks: { kept: { plugin: history, inputs: [days], path: h.db } }

      """, in: "c.yaml")
    let first = try run("run", "c.yaml")
    #expect(first.status == 0, "\(first.errors)")
    for (length, dates) in [("1d", ["2026-07-10", "2026-07-13"]), ("1w", ["2026-07-06", "2026-07-13"])] {
      let kept = try run("history", "A", "--file", "h.db", "--bars", length, "--format", "csv")
      let times = kept.output.split(separator: "\n").dropFirst().compactMap { $0.split(separator: ",").dropLast().last?.prefix(10) }
      #expect(times.map(String.init) == dates, "\(length): \(kept.output)\(kept.errors)")
    }
  }

  @Test func `a file that is no history is told at its place, before anything starts`() throws {
    folder.put(
      "history: x.db\nsources: { prices: { plugin: generator } }\nsinks: { out: { plugin: null_sink, inputs: [prices] } }\n", in: "d.yaml")
    let missing = try run("run", "d.yaml")
    #expect(missing.status == 78 && missing.errors.hasPrefix("d.yaml:1:10: error: 'history': 'x.db' does not exist"), "\(missing.errors)")
    folder.put("nothing", in: "x.db")
    let foreign = try run("validate", "d.yaml")
    #expect(foreign.status == 78)
    #expect(foreign.errors.hasPrefix("d.yaml:1:10: error: 'history': 'x.db' is no database of stockbus"), "\(foreign.errors)")
  }
}
