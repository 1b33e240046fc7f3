import MarketData
import TestSupport
import StockbusTestKit
import Testing

@testable import StockbusHistory

@Suite(.timeLimit(.minutes(15))) struct StoreTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("h.db") }

  @Test func `every field of a bar comes back exactly, extremes too`() throws {
    var random = SplitMix(14)
    let writer = try HistoryWriter(path)
    let lengths: [BarLength] = [.day, .time(minute), BarLength("100t") ?? .unknown, BarLength("5000v") ?? .unknown, .unknown]
    let symbols: [Symbol] = ["A", "BRK.B", "€/¥"]
    var expected: [Bar] = []
    for i in 0..<500 {
      let start = [Int64.min, .max, Int64(i) * minute][i < 2 ? i : 2]
      for length in lengths { expected.append(randomBar(&random, symbols[i % 3], at: start, length)) }
    }
    #expect(try writer.write(expected).bars == expected.count)
    let reader = try HistoryReader(path)
    for symbol in symbols {
      for length in lengths {
        let own = expected.filter { $0.symbol == symbol && $0.length == length }.sorted { $0.time < $1.time }
        #expect(try reader.bars(symbol, length) == own)
      }
    }
    try writer.close()
  }

  @Test func `the same start replaces, unless the bar in the file has a higher revision`() throws {
    let writer = try HistoryWriter(path)
    let reader = try HistoryReader(path)
    func stored() throws -> [Bar] { try reader.bars("AAPL", .day) }
    let steps: [(price: Int64, revision: UInt32, isTaken: Bool)] = [
      (10, 0, true), (11, 0, true), (12, 2, true), (13, 1, false), (14, 2, true),
    ]
    var last: [Bar] = []
    for step in steps {
      let next = bar("AAPL", 5 * day, price: step.price, revision: step.revision)
      let written = try writer.write([next])
      #expect(written == .init(bars: step.isTaken ? 1 : 0, superseded: step.isTaken ? 0 : 1, datedAhead: 0))
      if step.isTaken { last = [next] }
      #expect(try stored() == last)
    }
    // In one batch the order counts too.
    let both = [bar("AAPL", 5 * day, price: 20, revision: 3), bar("AAPL", 5 * day, price: 21, revision: 2)]
    #expect(try writer.write(both) == .init(bars: 1, superseded: 1, datedAhead: 0))
    #expect(try stored() == [both[0]])
  }

  @Test func `a bar that the file has already, exactly the same, is counted as such`() throws {
    let writer = try HistoryWriter(path)
    let bars = [bar("A", 1 * day, price: 10), bar("A", 2 * day, price: 11), bar("B", 2 * day, price: 12)]
    #expect(try writer.write(bars) == .init(bars: 3))
    #expect(try writer.write(bars) == .init(bars: 3, same: 3))
    let changed = [bars[0], bar("A", 2 * day, price: 12), bar("B", 3 * day, price: 12)]
    #expect(try writer.write(changed) == .init(bars: 3, same: 1))
    #expect(try HistoryReader(path).bars("A", .day) == Array(changed[..<2]))
    // Also within one batch.
    #expect(try writer.write([bar("C", 1 * day), bar("C", 1 * day)]) == .init(bars: 2, same: 1))
  }

  @Test func `of two parts of a period the one of more volume is kept, or the last one`() throws {
    let writer = try HistoryWriter(path)
    let steps: [(price: Int64, volume: Int64, isTaken: Bool)] = [
      (10, 406, true), (11, 254, false), (12, 406, true), (13, 407, true), (14, 1, false),
    ]
    var last = bar("A", 0)
    for step in steps {
      let next = bar("A", 5 * day, price: step.price, volume: step.volume, status: .partial)
      #expect(try writer.write([next]) == (step.isTaken ? .init(bars: 1) : .init(superseded: 1)), "\(step)")
      if step.isTaken { last = next }
      #expect(try HistoryReader(path).bars("A", .day) == [last])
    }
    // The whole period is right, whatever its volume.
    #expect(try writer.write([bar("A", 5 * day, price: 15, volume: 3)]) == .init(bars: 1))
  }

  @Test func `a part of a period does not replace its complete bar, unless its revision is higher`() throws {
    let writer = try HistoryWriter(path)
    let reader = try HistoryReader(path)
    let steps: [(price: Int64, revision: UInt32, status: BarStatus, isTaken: Bool)] = [
      (10, 0, .partial, true), (11, 0, .partial, true), (12, 0, .complete, true), (13, 0, .partial, false), (14, 0, .complete, true),
      (15, 1, .partial, true), (16, 0, .complete, false), (17, 1, .complete, true),
    ]
    var last = bar("A", 0)
    for step in steps {
      let next = bar("A", 5 * day, price: step.price, revision: step.revision, status: step.status)
      #expect(try writer.write([next]).bars == (step.isTaken ? 1 : 0), "\(step)")
      if step.isTaken { last = next }
      #expect(try reader.bars("A", .day) == [last])
    }
    // In one batch as well, for a start that the file does not have and for one that it has.
    for time in [6 * day, 5 * day] {
      let both = [bar("A", time, price: 1, revision: 2), bar("A", time, price: 2, revision: 2, status: .partial)]
      #expect(try writer.write(both) == .init(bars: 1, superseded: 1, datedAhead: 0))
      #expect(try reader.bars("A", .day).first { $0.time.ns == time } == both[0])
    }
  }

  @Test func `ranges have their first start and not their end, and limits keep the newest`() throws {
    let writer = try HistoryWriter(path)
    let all = (0..<10).map { bar("AAPL", Int64($0) * day, price: 100 + Int64($0)) }
    try writer.write(all.reversed())
    let reader = try HistoryReader(path)
    func starts(_ from: Int64?, _ to: Int64?, limit: Int = .max) throws -> [Int64] {
      let times = HistoryTimes(from: from.map { Timestamp(ns: $0 * day) }, to: to.map { Timestamp(ns: $0 * day) })
      return try reader.bars("AAPL", .day, in: times, limit: limit).map { $0.time.ns / day }
    }
    #expect(try starts(nil, nil) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    #expect(try starts(3, 6) == [3, 4, 5])
    #expect(try starts(3, 3) == [])
    #expect(try starts(8, nil) == [8, 9])
    #expect(try starts(nil, 2) == [0, 1])
    #expect(try starts(nil, nil, limit: 2) == [8, 9])
    #expect(try starts(2, 6, limit: 3) == [3, 4, 5])
    #expect(try reader.bars("AAPL", .week).isEmpty)
    #expect(try reader.bars("MSFT", .day).isEmpty)
    #expect(try reader.lengths(of: "AAPL") == [.day])
    #expect(try reader.lengths(of: "MSFT").isEmpty)
  }

  @Test func `the last price of each symbol stays for the next run, and an older one does not replace it`() throws {
    func trade(_ symbol: Symbol, _ price: Int64, at time: Int64, received: Int64? = nil) -> Trade {
      Trade(
        symbol: symbol, price: Price(raw: price), size: Quantity(raw: price + 1), time: Timestamp(ns: time),
        received: Timestamp(ns: received ?? time), priceDecimals: 2, sizeDecimals: 1)
    }
    func write(_ trades: [Trade], _ writer: HistoryWriter) throws {
      var batch = HistoryBatch()
      batch.add(prices: trades.span)
      #expect(batch.events == trades.count)
      _ = try writer.write(batch)
    }
    let first = try HistoryWriter(path)
    var odd = trade("B", 7, at: 13)
    odd.condition = .oddLot
    try write([trade("B", 1, at: 10), trade("A", 2, at: 11), trade("B", 3, at: 12), trade("B", 4, at: 9), odd], first)
    try first.close()
    let second = try HistoryWriter(path)
    // Dated ahead: it counts at the time of its receipt.
    try write([trade("A", 5, at: 10), trade("C", 6, at: 99 * minute, received: 20)], second)
    try write([trade("C", 7, at: 21)], second)
    try second.close()
    let prices = try HistoryReader(path).lastPrices()
    #expect(prices.map { "\($0.symbol) \($0.price.raw) \($0.size.raw) \($0.time.ns)" } == ["B 3 4 12", "A 2 3 11", "C 7 8 21"])
    #expect(prices.map(\.priceDecimals) == [2, 2, 2] && prices.map(\.sizeDecimals) == [1, 1, 1])
  }

  @Test func `closes come from complete daily bars, and the previous one is before the date`() throws {
    let writer = try HistoryWriter(path)
    try writer.write([
      bar("AAPL", 100 * day, price: 10), bar("AAPL", 103 * day, price: 20), bar("AAPL", 104 * day, price: 30, status: .partial),
      bar("AAPL", 105 * day, .time(minute), price: 40),
    ])
    let reader = try HistoryReader(path)
    func previous(_ days: Int) throws -> String? {
      try reader.previousClose(of: "AAPL", before: CivilDate(daysSinceEpoch: days)).map { "\($0.date.daysSinceEpoch) \($0.close)" }
    }
    #expect(try previous(100) == nil)
    #expect(try previous(101) == "100 11")
    #expect(try previous(103) == "100 11")
    #expect(try previous(104) == "103 21")
    // The date of the part is over when the minute of the next one comes: its last price is all that is known of it.
    #expect(try previous(105) == "104 31")
    #expect(try previous(1000) == "104 31")
    #expect(try reader.previousClose(of: "MSFT", before: CivilDate(daysSinceEpoch: 500)) == nil)
  }

  @Test func `when a later date begins, the last price is the close of its date`() throws {
    func trade(_ symbol: Symbol, _ price: Int64, at time: Int64) -> Trade {
      Trade(symbol: symbol, price: Price(raw: price * second), size: 1, time: Timestamp(ns: time), received: Timestamp(ns: time))
    }
    /// One run over trades, in batches of `size`.
    func run(_ trades: [Trade], _ size: Int) throws {
      let writer = try HistoryWriter(folder.file("\(size).db"))
      var batch = HistoryBatch()
      for first in stride(from: 0, to: trades.count, by: size) {
        let part = Array(trades[first..<min(first + size, trades.count)])
        batch.add(prices: part.span)
        _ = try writer.write(batch)
        batch.clear()
      }
      try writer.close()
    }
    func closes(_ symbol: Symbol, _ size: Int) throws -> [String] {
      let reader = try HistoryReader(folder.file("\(size).db"))
      return try (100...106).map { date in
        try reader.previousClose(of: symbol, before: CivilDate(daysSinceEpoch: date)).map { "\($0.date.daysSinceEpoch) \($0.close)" } ?? "-"
      }
    }
    let days = [
      trade("A", 10, at: 100 * day + 1), trade("A", 11, at: 100 * day + 2), trade("B", 50, at: 100 * day + 3),
      trade("A", 20, at: 101 * day), trade("A", 21, at: 102 * day - 1),
      // B rests for two days. A late price of a date that is over changes nothing.
      trade("A", 30, at: 103 * day), trade("A", 29, at: 101 * day), trade("B", 60, at: 103 * day + 1),
    ]
    for size in [1, 2, 3, 8] {
      for _ in 0..<2 { try run(days, size) }
      #expect(try closes("A", size) == ["-", "100 11", "101 21", "101 21", "101 21", "101 21", "101 21"], "\(size)")
      #expect(try closes("B", size) == ["-", "100 50", "100 50", "100 50", "100 50", "100 50", "100 50"], "\(size)")
      // The day again, and the next one.
      try run([trade("A", 31, at: 103 * day + 5)], size)
      try run([trade("A", 40, at: 104 * day)], size)
      #expect(try closes("A", size).suffix(3) == ["103 31", "103 31", "103 31"])
      // What the day's bar says is better, whether it comes before or after.
      let writer = try HistoryWriter(folder.file("\(size).db"))
      try writer.write([bar("A", 103 * day, price: 32), bar("A", 104 * day, price: 41)])
      try writer.close()
      try run([trade("A", 45, at: 105 * day - 1), trade("A", 50, at: 105 * day)], size)
      #expect(try closes("A", size).suffix(3) == ["103 33", "104 42", "104 42"])
    }
  }

  @Test func `a close belongs to the trading date that the calendar says`() throws {
    // Daily bars that begin at midnight in Tokyo, which is 15:00 UTC of the day before.
    let tokyo: Int64 = 9 * 3600 * second
    let writer = try HistoryWriter(path) { symbol, time in
      Timestamp.datesInUTC(symbol, symbol == "7203" ? Timestamp(ns: time.ns + tokyo) : time)
    }
    try writer.write([
      bar("7203", 100 * day - tokyo, price: 10), bar("7203", 101 * day - tokyo, price: 20), bar("AAPL", 100 * day - tokyo, price: 30),
    ])
    let reader = try HistoryReader(path)
    func previous(_ symbol: Symbol, _ days: Int) throws -> String? {
      try reader.previousClose(of: symbol, before: CivilDate(daysSinceEpoch: days)).map { "\($0.date.daysSinceEpoch) \($0.close)" }
    }
    #expect(try previous("7203", 102) == "101 21")
    #expect(try previous("7203", 101) == "100 11")
    #expect(try previous("7203", 100) == nil)
    #expect(try previous("AAPL", 100) == "99 31")
    try writer.close()
  }

  @Test func `readers see whole transactions, beside the writer and after it`() throws {
    let writer = try HistoryWriter(path)
    let reader = try HistoryReader(path)
    #expect(try reader.bars("AAPL", .day).isEmpty)
    try writer.write([bar("AAPL", 0), bar("AAPL", day)])
    #expect(try reader.bars("AAPL", .day).count == 2)
    try writer.close()
    #expect(try reader.bars("AAPL", .day).count == 2)
    #expect(try HistoryReader(path).bars("AAPL", .day).count == 2)
  }

  @Test func `a batch that does not fit is not in the file at all, and is written when there is room`() throws {
    let writer = try HistoryWriter(path)
    try writer.write([bar("AAPL", 0)])
    try writer.limit(pages: 12)
    let many = try (0..<2000).map { bar(try Symbol("S\($0 % 10)"), Int64($0) * day) }
    let error = failure { try writer.write(many) }
    #expect(error?.mayPass == true)
    #expect(error?.description == "cannot write '\(path)': database or disk is full")
    let reader = try HistoryReader(path)
    #expect(try reader.symbolNames(limit: 100) == ["AAPL"])
    #expect(try reader.bars("S3", .day).isEmpty)
    try writer.limit(pages: 10_000)
    try writer.write(many)
    #expect(try reader.bars("S3", .day) == many.filter { $0.symbol == "S3" })
    #expect(try reader.symbolNames(limit: 100) == ["AAPL"] + (0..<10).map { "S\($0)" })
  }

  @Test func `a random sequence of batches gives what a dictionary gives`() throws {
    var random = SplitMix(4)
    var model: [String: Bar] = [:]
    let symbols: [Symbol] = ["A", "B", "C", "D"]
    let lengths: [BarLength] = [.day, .time(minute)]
    for round in 0..<8 {
      let writer = try HistoryWriter(path)
      for _ in 0..<30 {
        let batch = (0..<Int.random(in: 0...20, using: &random)).map { _ in
          randomBar(
            &random, symbols.randomElement(using: &random) ?? "A", at: .random(in: 0..<40, using: &random) * minute,
            lengths.randomElement(using: &random) ?? .day)
        }
        for bar in batch {
          let key = "\(bar.symbol) \(bar.length) \(bar.time.ns)"
          if let present = model[key] {
            if present.revision > bar.revision { continue }
            if present.revision == bar.revision, bar.status == .partial {
              if present.status == .complete || (bar.volume, bar.count) < (present.volume, present.count) { continue }
            }
          }
          model[key] = bar
        }
        try writer.write(batch)
      }
      try writer.close()
      let reader = try HistoryReader(path)
      for symbol in symbols {
        for length in lengths {
          let own = model.values.filter { $0.symbol == symbol && $0.length == length }.sorted { $0.time < $1.time }
          #expect(try reader.bars(symbol, length) == own, "round \(round)")
        }
      }
    }
  }
}
