import MarketData
import TestSupport
import StockbusTestKit
import Testing

@testable import StockbusHistory

@Suite(.timeLimit(.minutes(15))) struct RetentionTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("h.db") }

  /// Removes until nothing is left to remove; returns how many in each step.
  private func trim(_ writer: HistoryWriter, limit: Int = 2000) throws -> [Int] {
    var steps: [Int] = []
    while true {
      let step = try writer.trim(limit: limit)
      steps.append(step.removed)
      if step.isDone { return steps }
    }
  }

  private func starts(_ symbol: Symbol, _ length: BarLength) throws -> [Int64] {
    try HistoryReader(path).bars(symbol, length).map { $0.time.ns / minute }
  }

  @Test func `bars go when a bar of their length has begun so much later, and others stay`() throws {
    let writer = try HistoryWriter(path, keep: Retention([.time(minute): 10 * minute]))
    try writer.write((0..<20).map { bar("A", Int64($0) * minute, .time(minute)) })
    try writer.write([bar("B", 3 * minute, .time(minute)), bar("B", 3 * minute, .time(5 * minute)), bar("A", -100 * day)])
    // The newest began at 19 min: 9 is kept, because it is not older than ten minutes.
    #expect(try trim(writer) == [10])
    #expect(try starts("A", .time(minute)) == Array(9..<20))
    #expect(try starts("B", .time(minute)) == [])
    #expect(try starts("B", .time(5 * minute)) == [3])
    #expect(try starts("A", .day).count == 1)
    #expect(try trim(writer) == [0])
    try writer.write([bar("B", 25 * minute, .time(minute))])
    #expect(try trim(writer) == [6])
    #expect(try starts("A", .time(minute)) == Array(15..<20))
  }

  @Test func `no step removes more than its limit`() throws {
    let writer = try HistoryWriter(path, keep: Retention([.time(minute): 1]))
    try writer.write((0..<25).flatMap { [bar("A", Int64($0) * minute, .time(minute)), bar("B", Int64($0) * minute, .time(minute))] })
    #expect(try trim(writer, limit: 10) == [10, 10, 10, 10, 8])
    #expect(try starts("A", .time(minute)) == [24])
    #expect(try starts("B", .time(minute)) == [24])
  }

  @Test func `a bar dated ahead of its receipt removes nothing`() throws {
    let writer = try HistoryWriter(path, keep: Retention([.time(minute): 10 * minute]))
    try writer.write((0..<5).map { bar("A", Int64($0) * minute, .time(minute)) })
    var wrong = bar("A", 1000 * day, .time(minute))
    wrong.received = Timestamp(ns: 5 * minute)
    #expect(try writer.write([wrong]).datedAhead == 1)
    #expect(try trim(writer) == [0])
    try writer.close()
    // The next run does not believe it either.
    let next = try HistoryWriter(path, keep: Retention([.time(minute): 10 * minute]))
    #expect(try trim(next) == [0])
    #expect(try starts("A", .time(minute)).count == 6)
  }

  @Test func `a time that jumps by more than the retention removes nothing until the bars after it span as much, or the next run`() throws {
    let writer = try HistoryWriter(path, keep: Retention([.time(minute): 10 * minute]))
    try writer.write((0..<5).map { bar("A", Int64($0) * minute, .time(minute)) })
    // Ten minutes are no jump: the retention is exactly kept.
    try writer.write([bar("A", 14 * minute, .time(minute))])
    #expect(try trim(writer) == [4])
    try writer.write([bar("A", 100 * minute, .time(minute))])
    try writer.write([bar("A", 110 * minute, .time(minute))])
    #expect(try trim(writer) == [0])
    #expect(try starts("A", .time(minute)) == [4, 14, 100, 110])
    try writer.write([bar("A", 111 * minute, .time(minute))])
    #expect(try trim(writer) == [3])
    try writer.write([bar("A", 200 * minute, .time(minute))])
    #expect(try trim(writer) == [0])
    try writer.close()
    let next = try HistoryWriter(path, keep: Retention([.time(minute): 10 * minute]))
    #expect(try trim(next) == [2])
    #expect(try starts("A", .time(minute)) == [200])
  }

  @Test func `the next run goes on from the newest bar of the one before`() throws {
    let first = try HistoryWriter(path)
    try first.write((0..<30).map { bar("A", Int64($0) * minute, .time(minute)) })
    try first.close()
    let next = try HistoryWriter(path, keep: Retention([.time(minute): 4 * minute]))
    #expect(try trim(next) == [25])
    #expect(try starts("A", .time(minute)) == Array(25..<30))
  }

  @Test func `random bars in small steps leave what a list filtered once leaves`() throws {
    var random = SplitMix(8)
    let keep: [BarLength: Int64] = [.time(minute): 50 * minute, .time(second): 20 * minute]
    let writer = try HistoryWriter(path, keep: Retention(keep))
    let symbols: [Symbol] = (0..<700).map { Symbol(id: (try? Symbol("R\($0)"))?.id ?? 0) }
    var all: Set<[Int64]> = []
    let lengths: [BarLength] = [.time(minute), .time(second), .day]
    for _ in 0..<20 {
      let batch = (0..<200).map { _ in
        let (symbol, length) = (symbols[random.upTo(699)], lengths[random.upTo(2)])
        let start = Int64(random.upTo(100)) * minute
        all.insert([Int64(symbol.id), length.raw, start])
        return bar(symbol, start, length)
      }
      try writer.write(batch)
      _ = try writer.trim(limit: 17)
    }
    _ = try trim(writer, limit: 17)
    var newest: [Int64: Int64] = [:]
    for key in all { newest[key[1]] = max(newest[key[1]] ?? .min, key[2]) }
    let expected = all.filter { key in
      guard let span = keep[BarLength(raw: key[1])], let last = newest[key[1]] else { return true }
      return key[2] >= last - span
    }
    let reader = try HistoryReader(path)
    var found: Set<[Int64]> = []
    for symbol in symbols {
      for length in lengths { for bar in try reader.bars(symbol, length) { found.insert([Int64(symbol.id), length.raw, bar.time.ns]) } }
    }
    #expect(found == expected)
  }
}
