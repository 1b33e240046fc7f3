import Foundation
import TestSupport
import Testing

@testable import WatchlistFilter

@Suite struct ListFuzzTests {
  @Test func `whatever a list holds, its entries can be symbols or patterns, or a line is named`() {
    var random = SplitMix(64)
    let count = ProcessInfo.processInfo.environment["STOCKBUS_FUZZ_COUNT"].flatMap { Int($0) } ?? 2000
    let words = [
      "AAPL", "BRK.*", "?", "#", " # note", "é", "\r", "\n", "\n", "\n", "\u{feff}", ",", "\"", "\t", " ", "\u{85}", "\u{0}", "NVDA",
    ]
    var refused = 0
    var costs = Costs("watchlists")
    for _ in 0..<count {
      var bytes = (0..<Int.random(in: 0...12, using: &random)).flatMap { _ in Array(words.randomElement(using: &random)!.utf8) }
      if !bytes.isEmpty, Int.random(in: 0..<9, using: &random) == 0 { bytes[bytes.count / 2] ^= 0x80 }
      do throws(WatchlistError) {
        let entries = try costs.measure(size: bytes.count, "\(bytes)", isGood: { !$0.isEmpty }) { () throws(WatchlistError) in
          try WatchlistMatcher.entries(bytes, path: "list")
        }
        for entry in entries {
          #expect(WatchlistMatcher.fault(in: entry) == nil && !entry.isEmpty && !entry.contains("#"))
        }
      } catch {
        refused += 1
        let lines = String(decoding: bytes, as: UTF8.self).count { $0.isNewline } + 1
        let isLocated = (1...lines).contains { error.description.hasPrefix("list:\($0): ") }
        #expect(isLocated || error.description == "list: not UTF-8")
      }
    }
    for line in costs.lines { print(line) }
    #expect(refused > count / 10 && refused < count)
  }
}
