import MarketData
import TestSupport
import StockbusTestKit
import Testing

@testable import StockbusHistory

@Suite(.timeLimit(.minutes(15))) struct BackupTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("h.db") }

  /// Bars of many bytes, so that a copy takes several steps.
  private var large: [Bar] {
    var random = SplitMix(30)
    return (0..<60_000).map { randomBar(&random, "AAPL", at: Int64($0) * day / 2, .day) }
  }

  @Test func `a copy made beside the writer is a history of its own`() throws {
    let writer = try HistoryWriter(path)
    try writer.write((0..<5000).map { bar("AAPL", Int64($0) * day) })
    let reader = try HistoryReader(path)
    let size = try reader.backUp(to: folder.file("copy.db"))
    #expect(try folder.bytes("copy.db").count == size)
    try writer.write([bar("AAPL", 5000 * day)])
    #expect(try HistoryReader(folder.file("copy.db")).bars("AAPL", .day).count == 5000)
    #expect(try reader.bars("AAPL", .day).count == 5001)
    let copy = try HistoryWriter(folder.file("copy.db"))
    try copy.write([bar("MSFT", 0)])
    try copy.close()
    try writer.close()
  }

  @Test func `what is written while it copies is not in the copy, and does not disturb it`() throws {
    let writer = try HistoryWriter(path)
    try writer.write(large)
    var steps: Int64 = 0
    _ = try HistoryReader(path).backUp(to: folder.file("copy.db")) {
      steps += 1
      #expect(failure { try writer.write([bar("AAPL", -steps * day)]) } == nil)
      return false
    }
    #expect(steps > 0)
    #expect(try HistoryReader(folder.file("copy.db")).bars("AAPL", .day).count == 60_000)
    #expect(try HistoryReader(path).bars("AAPL", .day).count == 60_000 + Int(steps))
  }

  @Test func `nothing is left of a copy that is given up, and no file is replaced`() throws {
    let writer = try HistoryWriter(path)
    try writer.write(large)
    let reader = try HistoryReader(path)
    let target = folder.file("copy.db")
    #expect(fault { _ = try reader.backUp(to: target) { true } } == "'\(target)': the copy was cancelled")
    try writer.close()
    #expect(folder.names.filter { !$0.hasPrefix("h.db") } == [])
    folder.put("mine", in: "copy.db")
    #expect(fault { _ = try reader.backUp(to: target) } == "'\(target)': the file exists already; a backup does not replace files")
    #expect(folder.content("copy.db") == "mine")
    #expect(fault { _ = try reader.backUp(to: folder.file("no/copy.db")) } != nil)
  }

  @Test func `a check counts, and tells the longest gaps first`() throws {
    let writer = try HistoryWriter(path)
    try writer.write([0, 1, 8, 9, 30].map { bar("B", $0 * day) })
    try writer.write([0, 10].map { bar("A", $0 * day) })
    try writer.write([bar("A", 5 * day, .time(minute))])
    let summary = try HistoryReader(path).check(gapsFrom: 5 * day, most: 2)
    #expect(summary.layout == 2 && summary.symbols == 2 && summary.lastPrices == 2 && summary.closes == 7)
    #expect(
      summary.bars == [
        .init(length: .time(minute), symbols: 1, bars: 1, first: Timestamp(ns: 5 * day), last: Timestamp(ns: 5 * day)),
        .init(length: .day, symbols: 2, bars: 7, first: Timestamp(ns: 0), last: Timestamp(ns: 30 * day)),
      ])
    #expect(summary.gapCount == 3)
    #expect(summary.gaps.map { "\($0.symbol) \($0.from.ns / day) \($0.to.ns / day)" } == ["B 9 30", "A 0 10"])
  }
}
