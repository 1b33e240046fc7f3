import MarketData
import StockbusPlugin
import StockbusSQLite
import StockbusTestKit
import TestSupport
import Testing

@testable import StockbusHistory

/// All bars of a history, one after the other.
@Suite(.timeLimit(.minutes(15))) struct ReplayTests {
  private let folder = TemporaryFolder()

  private func all(_ choice: BarArchive.Choice = BarArchive.Choice()) throws -> [Bar] {
    var replay = try HistoryReplay(HistoryReader(folder.file("h.db")), choice)
    var bars: [Bar] = []
    while case let more = try replay.next(), !more.isEmpty { bars += more }
    #expect(try replay.next().isEmpty)
    return bars
  }

  @Test func `a bar comes when it has ended, behind those that it is made of`() throws {
    let writer = try HistoryWriter(folder.file("h.db"))
    let hour = BarLength.time(60 * minute)
    try writer.write([bar("A", 0, hour), bar("B", 59 * minute, .time(minute)), bar("A", 59 * minute, .time(minute))])
    try writer.write([bar("A", 60 * minute, .time(minute)), bar("A", 0, .time(minute)), bar("B", 61 * minute, .unknown)])
    try writer.close()
    #expect(
      try all().map { "\($0.symbol) \($0.time.ns / minute) \($0.length)" }
        == ["A 0 1m", "A 59 1m", "B 59 1m", "A 0 1h", "B 61 ", "A 60 1m"])
    #expect(
      try all(.init(length: .time(minute), since: Timestamp(ns: 59 * minute))).map { "\($0.symbol) \($0.time.ns / minute)" }
        == ["A 59", "B 59", "A 60"])
    #expect(try HistoryReader(folder.file("h.db")).lengths() == [.unknown, .time(minute), hour])
  }

  @Test(arguments: [1, 2, 3])
  func `every bar comes once, exactly, in that order`(seed: UInt64) throws {
    var random = SplitMix(seed)
    let symbols: [Symbol] = ["R-A", "R-B", "R-C"]
    let lengths: [BarLength] = [.time(second), .time(minute), .day, BarLength("100t") ?? .unknown, .unknown]
    let writer = try HistoryWriter(folder.file("h.db"))
    var expected: [Bar] = []
    for symbol in symbols {
      for length in lengths {
        for start in Set((0..<Int.random(in: 0...400, using: &random)).map { _ in Int64.random(in: 0...2000, using: &random) }) {
          expected.append(randomBar(&random, symbol, at: start * (length.nanoseconds ?? second), length))
        }
      }
      expected.append(randomBar(&random, symbol, at: .max, .time(minute)))
    }
    try writer.write(symbols.map { bar($0, .min, .unknown) } + expected.shuffled(using: &random))
    expected += symbols.map { bar($0, .min, .unknown) }
    try writer.close()
    func place(_ bar: Bar) -> (Int64, Int64, Int) {
      let (end, overflow) = bar.time.ns.addingReportingOverflow(max(0, bar.length.raw))
      return (overflow ? .max : end, bar.length.raw, symbols.firstIndex(of: bar.symbol) ?? 0)
    }
    expected.sort { place($0) < place($1) }
    #expect(try all() == expected)
    let since = Timestamp(ns: 1000 * second)
    #expect(try all(.init(since: since)) == expected.filter { $0.time >= since })
    #expect(try all(.init(length: .day)) == expected.filter { $0.length == .day })
  }

  @Test func `a damaged chunk is an error, and not the end`() throws {
    let writer = try HistoryWriter(folder.file("h.db"))
    try writer.write((0..<400).map { bar("A", Int64($0) * day) })
    try writer.close()
    try SQLiteConnection(folder.file("h.db"), .writing).execute("UPDATE chunks SET count = count + 1 WHERE start > 0")
    #expect(throws: HistoryError.self) { try all() }
  }
}
