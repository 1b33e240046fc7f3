import MarketData
import TestSupport
import StockbusSQLite
import StockbusTestKit
import Testing

@testable import StockbusHistory

@Suite(.timeLimit(.minutes(15))) struct ChunkTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("h.db") }
  private let length = BarLength.time(minute)

  /// How many bars each chunk has.
  private func chunks() throws -> [Int] {
    try SQLiteConnection(path, .writing).rows("SELECT count FROM chunks ORDER BY symbol, length, start") { Int($0.integer(0)) }
  }

  @Test func `the bytes of a bar, by hand`() throws {
    let bar = Bar(
      symbol: "A", open: Price(raw: 100_500_000_000), high: Price(raw: 101_000_000_000), low: Price(raw: 100_000_000_000),
      close: Price(raw: 100_250_000_000), volume: Quantity(raw: 300_000_000_000), time: Timestamp(ns: 3 * minute),
      received: Timestamp(ns: 4 * minute + 5), priceDecimals: 2, length: length,
      turnover: Amount(raw: Int128(30_150) * 1_000_000_000_000_000_000),
      vwap: Price(raw: 100_500_000_000), count: 7, session: .regular)
    var packed = PackedBars(capacity: 100)
    packed.add(bar, from: minute)
    let expected: [UInt8] = [
      1 + 2 + 4 + 16,  // all in units, the start in lengths; there is an average price and no revision
      0x20, 0x20,  // 2 and 0 decimals; regular, complete
      2,  // 2 minutes after the chunk's start
      10,  // received 5 ns after its end
      0x84, 0x9d, 0x01,  // 10,050 hundredths, twice: 20,100 = 0x4e84
      100, 100, 0x31,  // 50 up, 50 down, 25 down
      0xd8, 0x04,  // 300, twice: 600 = 0x258
      0xb0, 0x85, 0xf0, 0x02,  // 30,150.00 is 3,015,000 hundredths, twice: 6,030,000
      0x80, 0xca, 0xb5, 0xee, 0x01,  // 250,000,000 above the close, twice: 500,000,000
      7,
    ]
    #expect(Array(packed.content) == expected)
    var reader = PackedBarReader(packed.content, symbol: "A", length: length, origin: minute)
    #expect(reader.next() == bar)
    #expect(reader.next() == nil && !reader.isDamaged)
  }

  @Test func `random bars, extremes among them, come back from their bytes`() {
    var random = SplitMix(21)
    let lengths: [BarLength] = [.day, length, BarLength("100t") ?? .unknown, .unknown]
    for round in 0..<2000 {
      let length = lengths[round % 4]
      let start: Int64 = [Int64.min, 0, 17][round % 3]
      let bars = (0..<5).map { i in
        randomBar(&random, "A", at: i == 4 ? .max : start + Int64(i) * [1, minute].randomElement(using: &random)!, length)
      }
      var packed = PackedBars(capacity: 5 * PackedBar.most)
      for bar in bars { packed.add(bar, from: start) }
      var reader = PackedBarReader(packed.content, symbol: "A", length: length, origin: start)
      var found: [Bar] = []
      while let bar = reader.next() { found.append(bar) }
      #expect(found == bars && !reader.isDamaged)
    }
  }

  @Test func `damaged bytes end in an error and never in a trap`() {
    var random = SplitMix(22)
    var packed = PackedBars(capacity: 1000)
    for i in 0..<8 { packed.add(randomBar(&random, "A", at: Int64(i) * minute, length), from: 0) }
    let whole = Array(packed.content)
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast(.random(in: 0...bytes.count, using: &random)) }
      bytes.withUnsafeBytes { bytes in
        var reader = PackedBarReader(bytes, symbol: "A", length: length, origin: 0)
        var count = 0
        while reader.next() != nil { count += 1 }
        #expect(count <= bytes.count)
      }
    }
    for cut in 1..<whole.count {
      whole[..<cut].withUnsafeBytes { bytes in
        let chunk = BarChunk(id: 1, start: 0)
        #expect(throws: DamagedChunk.self) {
          var bars: [Bar] = []
          try chunk.read(bytes, "A", length, into: &bars)
        }
      }
    }
  }

  @Test func `a chunk that is damaged is named by check, and by a read of it`() throws {
    let writer = try HistoryWriter(path)
    try writer.write((0..<300).map { bar("A", Int64($0) * minute, length) } + [bar("B", 0, length)])
    try writer.close()
    try SQLiteConnection(path, .writing).execute("UPDATE chunks SET count = count + 1 WHERE start = 0 AND symbol = 1")
    let reader = try HistoryReader(path)
    let text = "'\(path)' is damaged: a chunk of bars"
    #expect(fault { _ = try reader.bars("A", length) }?.hasPrefix(text) == true)
    #expect(fault { _ = try reader.check(gapsFrom: day, most: 1) }?.hasPrefix("\(text) of A cannot be read") == true)
    #expect(try reader.bars("B", length).count == 1)
  }

  @Test func `bars one by one in rising, falling and any order fill their chunks`() throws {
    var random = SplitMix(23)
    let rising = (0..<2000).map { bar("A", Int64($0) * minute, length) }
    for (bars, most) in [(rising, 1), (rising.reversed(), 2), (rising.shuffled(using: &random), 2)] {
      let writer = try HistoryWriter(path)
      for part in 0..<100 { try writer.write(Array(bars[(part * 20)..<(part * 20 + 20)])) }
      try writer.close()
      #expect(try HistoryReader(path).bars("A", length) == rising)
      let counts = try chunks()
      // Rising ones fill every chunk but the last.
      let full = try #require(counts.max())
      #expect(counts.count <= most * ((2000 + full - 1) / full), "\(counts)")
      #expect(full > 100)
      _ = try HistoryReader(path).check(gapsFrom: day, most: 1)
      folder.remove("h.db")
    }
  }

  @Test func `random batches, ranges and limits, and removal, give what an array gives`() throws {
    var random = SplitMix(24)
    let writer = try HistoryWriter(path, keep: Retention([length: 900 * minute]))
    let reader = try HistoryReader(path)
    let symbols: [Symbol] = ["A", "B", "C"]
    var model: [Symbol: [Int64: Bar]] = [:]
    var newest = Int64.min
    for round in 0..<120 {
      let base = Int64(round) * 15
      let batch = (0..<Int.random(in: 1...60, using: &random)).map { _ in
        var bar = randomBar(&random, symbols.randomElement(using: &random) ?? "A", at: 0, length)
        bar.time = Timestamp(ns: (base + .random(in: -400...40, using: &random)) * minute)
        bar.received = bar.time
        return bar
      }
      for bar in batch {
        newest = max(newest, bar.time.ns)
        if let present = model[bar.symbol]?[bar.time.ns] {
          if bar.revision < present.revision { continue }
          if bar.revision == present.revision, bar.status == .partial {
            if present.status == .complete || (bar.volume, bar.count) < (present.volume, present.count) { continue }
          }
        }
        model[bar.symbol, default: [:]][bar.time.ns] = bar
      }
      try writer.write(batch)
      if round % 10 == 9 {
        while try !writer.trim(limit: .random(in: 1...50, using: &random)).isDone {}
        for symbol in symbols { model[symbol] = model[symbol]?.filter { $0.key >= newest - 900 * minute } }
      }
      let symbol = symbols[round % 3]
      let all = (model[symbol] ?? [:]).values.sorted { $0.time < $1.time }
      let from = (base + .random(in: -500...50, using: &random)) * minute
      let to = from + .random(in: 0...600, using: &random) * minute
      let part = all.filter { $0.time.ns >= from && $0.time.ns < to }
      let limit = Int.random(in: 0...200, using: &random)
      let times = HistoryTimes(from: Timestamp(ns: from), to: Timestamp(ns: to))
      #expect(try reader.bars(symbol, length) == all, "round \(round)")
      #expect(try reader.bars(symbol, length, in: times) == part, "round \(round)")
      #expect(try reader.bars(symbol, length, in: times, limit: limit) == part.suffix(limit), "round \(round)")
      #expect(try reader.check(gapsFrom: day, most: 1).bars.map(\.bars) == [model.values.reduce(0) { $0 + $1.count }])
    }
  }

  @Test func `what has been too old for a short time only may stay until the end`() throws {
    let writer = try HistoryWriter(path, keep: Retention([length: 640 * minute]))
    try writer.write((0..<700).map { bar("A", Int64($0) * minute, length) })
    // The newest began at 699; 59 are too old, and 50 for a 64th of 640 minutes.
    #expect(try writer.trim(isExact: false) == (50, true))
    #expect(try writer.trim(isExact: false) == (0, true))
    #expect(try writer.trim() == (9, true))
    #expect(try HistoryReader(path).bars("A", length).first?.time.ns == 59 * minute)
  }
}
