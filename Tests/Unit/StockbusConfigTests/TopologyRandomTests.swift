import Foundation
import TestSupport
import StockbusConfig
import StockbusPlugin
import Testing

@Suite struct TopologyRandomTests {
  /// Damages a text in a few places: lines left out, doubled and swapped, characters replaced by special ones.
  private func damaged(_ text: String, _ random: inout SplitMix) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let at = Int.random(in: lines.indices, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: if lines.count > 1 { lines.remove(at: at) }
      case 1: lines.insert(lines[at], at: at)
      case 2: lines.swapAt(at, Int.random(in: lines.indices, using: &random))
      default:
        var line = Array(lines[at])
        guard !line.isEmpty, let new = "abc: ,[]{}\"'0-$&*\u{1b}\u{202e}".randomElement(using: &random) else { continue }
        line[Int.random(in: line.indices, using: &random)] = new
        lines[at] = String(line)
      }
    }
    return lines.joined(separator: "\n")
  }

  @Test func `whatever is written, each problem is told once, in order, on one line`() throws {
    let text = try String(contentsOf: TopologyFilesTests.folder.appending(path: "everything.yaml"), encoding: .utf8)
    for seed in 0..<rounds(600, cost: 5) {
      var random = SplitMix(UInt64(seed))
      let config = damaged(seed % 2 == 0 ? text : validConfigOfSmallCatalogue, &random)
      do throws(Problems) { _ = try Topology.check(load(config), catalogue: smallCatalogue) } catch {
        let sorted = error.sorted
        #expect(!sorted.isEmpty)
        #expect(Set(sorted).count == error.list.count, "a problem twice in:\n\(config)\n\(error)")
        for problem in sorted {
          #expect(problem.mark.line >= 1 && problem.mark.column >= 1)
          let isPlain = problem.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f && $0 != "\u{202e}" }
          #expect(isPlain, "\(problem)")
        }
      }
    }
  }

  private let validConfigOfSmallCatalogue = """
    sources:
      ticks: { plugin: ticker, symbols: [A, B], interval: 2s, burst: { size: 3 } }
      back: { plugin: echo, inputs: [ticks] }
      news: { plugin: links, output: { capacity: 64 } }
    processors:
      top: { plugin: rank, inputs: [{ from: back, overflow: conflate }], top: 5 }
      some: { plugin: pass, inputs: [top], names: ["A"] }
    sinks:
      screen: { plugin: show, inputs: [back, { from: top, initial: true }] }
      log: { plugin: count, inputs: [news], supervision: { restarts: 1 } }
      end: { plugin: count, inputs: some }
    runtime: { drain_deadline: 5s, seed: 1 }
    """

  @Test func `what was written is shown on one line, without commands for a terminal`() {
    let mark = ConfigNode.Mark(line: 1, column: 1)
    #expect(ConfigNode(.scalar("a\nb\u{1b}[31m\u{202e}c\u{85}\u{2028}"), at: mark).kind == "'a\\nb\\u{1b}[31m\\u{202e}c\\u{85}\\u{2028}'")
    #expect(ConfigNode(.scalar(String(repeating: "x", count: 61)), at: mark).kind == "'" + String(repeating: "x", count: 57) + "…'")
    #expect(ConfigNode(.scalar(String(repeating: "x", count: 60)), at: mark).kind == "'" + String(repeating: "x", count: 60) + "'")
    // One character for Swift, but any number of scalars for a terminal.
    #expect(ConfigNode(.scalar("e" + String(repeating: "\u{301}", count: 1000)), at: mark).kind.unicodeScalars.count == 60)
  }
}
