import EventBus
import FileWriter
import Filter
import Foundation
import MarketData
import TestSupport
import StockbusDecoding
import StockbusPlugin
import StockbusRuntime
import StockbusTestKit
import Testing

@testable import FileReplay

/// Runs over files that were made by a grammar and damaged at random.
@Suite(.timeLimit(.minutes(15))) struct FileLedgerTests {
  private static func source(_ id: String, _ kind: FileMaker.Kind, _ path: String) -> String {
    let how =
      switch kind {
      case .csv, .quoted, .gzip: "format: csv, zone: UTC"
      case .json: "format: jsonl, zone: UTC"
      case .capture: "format: raw, preset: binance"
      }
    return "  \(id): { plugin: file_replay, path: \(path), \(how), row_limit: 400B, supervision: { restarts: 0, on_failure: isolate } }\n"
  }

  /// The result of the same file without a run.
  private static func expected(_ kind: FileMaker.Kind, _ bytes: [UInt8]) -> Outcome<Trade> {
    run(
      [ReplayInput(name: "f", contents: .bytes(bytes))],
      options {
        $0.earliest = TimeGuess.earliest
        $0.format = kind == .capture ? .raw : kind == .json ? .jsonLines : .csv
        if kind == .capture { $0.decoding = VenuePreset.binance.spec }
        $0.zone = "UTC"
        $0.lineLimit = 400
      }, limit: 1000)
  }

  @Test func `whatever files hold, every row is an event or a dead letter, and the ledger is balanced`() async {
    var maker = FileMaker(random: SplitMix(1972))
    var (events, letters, failed, refused) = (0, 0, 0, 0)
    for round in 0..<rounds(12, cost: 60) {
      let folder = TemporaryFolder()
      defer { for name in folder.names { folder.remove(name) } }
      var text = "sources:\n"
      var outcomes: [Outcome<Trade>] = []
      let ids = (0..<3).map { "f\($0)" }
      for id in ids {
        let kind = FileMaker.Kind.allCases.randomElement(using: &maker.random) ?? .csv
        let bytes = maker.bytes(kind)
        folder.put(bytes, in: id)
        text += Self.source(id, kind, folder.file(id))
        outcomes.append(Self.expected(kind, bytes))
      }
      text += """
        processors: { dear: { plugin: filter, inputs: [\(ids.joined(separator: ", "))], where: "price > 5000" } }
        sinks:
          kept: { plugin: file_writer, inputs: [dear], path: \(folder.file("kept.jsonl")) }
          odd: { plugin: file_writer, inputs: [dead_letters], path: \(folder.file("odd.jsonl")) }

        """
      let harness: PipelineHarness
      do { harness = try PipelineHarness(text, plugins: [.fileReplay, .filter, .fileWriter]) } catch {
        // Errors in a file's beginning are reported before the run; they must agree with the result of reading the file.
        #expect(outcomes.contains { $0.error != nil }, "round \(round): \(error)")
        refused += 1
        continue
      }
      let report = await harness.run()
      let counts = Dictionary(uniqueKeysWithValues: report.ledger.edges.map { ("\($0.from) \($0.to)", $0.counts) })
      var faults: [String] = []
      if !report.ledger.isBalanced || report.ledger.lost != 0 { faults.append("\(report.ledger)") }
      for (id, outcome) in zip(ids, outcomes) {
        if counts["\(id) dear"]?.published != outcome.events.count {
          faults.append("\(id) sent \(counts["\(id) dear"]?.published ?? -1) of \(outcome.events.count) events")
        }
        guard let fate = report.fates.first(where: { $0.id == id }) else {
          faults.append("\(id) has no fate")
          continue
        }
        if (fate.outcome == .completed) != (outcome.error == nil) {
          faults.append("\(id) is \(fate.outcome), alone \(outcome.error as Any)")
        }
      }
      let dear = outcomes.reduce(0) { $0 + $1.events.count { $0.price > 5000 } }
      if counts["dear kept"]?.delivered != dear || folder.lines("kept.jsonl") != dear {
        faults.append("\(dear) are dear, \(counts["dear kept"]?.delivered ?? -1) were delivered, \(folder.lines("kept.jsonl")) are written")
      }
      let malformed = outcomes.reduce(0) { $0 + $1.counts.malformed }
      if counts["dead_letters odd"]?.published != malformed || folder.lines("odd.jsonl") != malformed {
        faults.append(
          "\(malformed) are malformed, \(counts["dead_letters odd"]?.published ?? -1) are dead letters, \(folder.lines("odd.jsonl")) are written"
        )
      }
      if !faults.isEmpty {
        Issue.record("round \(round): \(faults.joined(separator: "\n")), lines: \(ids.map { folder.content($0).debugDescription })")
      }
      events += outcomes.reduce(0) { $0 + $1.events.count }
      letters += malformed
      failed += outcomes.count { $0.error != nil }
    }
    #expect(events > 0 && letters > 0)
    if ProcessInfo.processInfo.environment["STOCKBUS_FUZZ_COUNT"] != nil {
      print(
        "LEDGERS \(rounds(12, cost: 60)) runs of 3 files, \(events) events, \(letters) dead letters, \(failed) files that failed, \(refused) runs refused"
      )
    }
  }
}

extension TemporaryFolder {
  fileprivate func lines(_ name: String) -> Int { names.contains(name) ? content(name).utf8.count { $0 == 10 } : 0 }
}
