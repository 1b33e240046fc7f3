internal import AsOf
internal import Dedupe
internal import Derive
internal import Measuring
internal import SortingFeed
internal import StockbusPlugin

extension MarketBench {
  /// One component over made-up events: nanoseconds of the processor for each of `count`, and sums of what it sent, which another life with
  /// a reader gives.
  static func columns(_ work: String, _ count: Int) async throws {
    let symbols = try Numbered.symbols(1000)
    let trades = Numbered.trades(count, symbols: symbols)
    switch work {
    case "as_of":
      let quotes = Numbered.quotes(count, symbols: symbols)
      try await measure(count, .asOf, "{ within: 1m, columns: [bid, ask] }") { (filled(trades), filled(quotes)) }
    case "derive":
      // The arithmetic of the goal: a turnover, a difference and a ratio.
      let options = "columns: { value: price * size, far: price - 102.5, part: price / size }"
      try await measure(count, .derive, options) { (filled(trades), nil as Filled<Trade>?) }
    case "dedupe":
      let lines = [0, 1].map { line in
        trades.indices.lazy.filter { Numbered.random($0) % 100 != UInt64(line) }.map { i in
          var trade = trades[i]
          trade.received = Timestamp(ns: trade.received.ns + Int64(Numbered.random(i) >> UInt64(8 + 8 * line) % 1000) + Int64(line))
          return trade
        }.sorted { $0.received < $1.received }
      }
      try await measure(count, .dedupe, "within: 2s") { (filled(lines[0]), filled(lines[1]) as Filled<Trade>?) }
    case "rank": try await rank(count, trades, symbols)
    default: throw HotPathError("as_of, derive, dedupe or rank")
    }
  }

  private typealias Filled<E: Event> = (topic: Topic<E>, fill: () -> Void)

  private static func measure<E: Event>(
    _ count: Int, _ plugin: Plugin, _ options: String, _ inputs: () -> (Filled<Trade>, Filled<E>?)
  ) async throws {
    func subject(capacity: Int) throws -> (Subject, fill: () -> Void) {
      let (main, other) = inputs()
      let topics: [any AnyTopic] = [main.topic] + (other.map { [$0.topic] } ?? [])
      return (
        try Subject(plugin, options: options, reading: topics, outputCapacity: capacity),
        {
          main.fill()
          other?.fill()
        }
      )
    }
    var report = Report()
    let (measured, fill) = try subject(capacity: 8192)
    fill()
    report.add("cpu", try await seconds { try await measured.live() } / Double(count) * 1e9)
    report.add("events", count)
    let (checked, fillAgain) = try subject(capacity: 2 * count)
    let reader = try checked.reader(of: Trade.self)
    let read = BatchColumns(reader.topic.columns)
    reader.columns = read
    fillAgain()
    try await checked.live()
    let all = read.layout.names.compactMap { read[$0] }
    var (sent, sums) = (0, [Int64](repeating: 0, count: all.count))
    while case let batch = reader.nextBatch(limit: 1024), batch.count > 0 {
      reader.begin(batch)
      for i in batch.indices {
        for (k, column) in all.enumerated() { if let value = column[i] { sums[k] &+= value &* Int64((sent &+ i) % 1009 + 1) } }
      }
      sent += batch.count
      reader.finish(batch.count)
    }
    report.add("sent", sent)
    for (column, sum) in zip(read.layout.names, sums) { report.add(column, Int(sum)) }
    report.print()
  }

  /// Ranks by the change since the first price. The list, which the moves give, is compared after each fifth of the trades: sums of the
  /// symbols' numbers by rank.
  private static func rank(_ count: Int, _ trades: [Trade], _ symbols: [Symbol]) async throws {
    let numbers = Dictionary(uniqueKeysWithValues: zip(symbols, 1...))
    var report = Report()
    for isChecked in [false, true] {
      let input = filled(trades)
      let subject = try Subject(.sortingFeed, options: "by: change", reading: [input.topic], outputCapacity: isChecked ? 2 * count : 8192)
      let reader = isChecked ? try subject.reader(of: Ranked.self) : nil
      input.fill()
      let cpu = try await seconds { try await subject.live() } / Double(count) * 1e9
      guard let reader else {
        report.add("cpu", cpu)
        report.add("events", count)
        continue
      }
      var (list, cut) = ([Int](), 1)
      func cuts(before time: Timestamp?) {
        while cut <= 5, time.map({ $0 > trades[cut * count / 5 - 1].received }) ?? true {
          report.add("list_\(cut)", zip(1..., list).reduce(0) { $0 + $1.0 * $1.1 })
          cut += 1
        }
      }
      reader.results { move in
        cuts(before: move.received)
        if move.previousRank > 0 { list.remove(at: Int(move.previousRank) - 1) }
        list.insert(numbers[move.symbol] ?? 0, at: Int(move.rank) - 1)
      }
      cuts(before: nil)
    }
    report.print()
  }
}
