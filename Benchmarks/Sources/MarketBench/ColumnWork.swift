internal import AsOf
internal import Dedupe
internal import Derive
internal import Measuring
internal import Sample
internal import StockbusPlugin
internal import WatchlistFilter

extension MarketBench {
  /// One component with columns over made-up events: nanoseconds of the processor for each of `count`, and sums of what it sent, which
  /// another life with a reader gives. A filter and `sample` send what comes in, and only how many they sent is compared.
  static func columns(_ work: String, _ count: Int) async throws {
    let symbols = try Numbered.symbols(1000)
    let trades = Numbered.trades(count, symbols: symbols)
    let eight = ColumnLayout((1...8).map { ColumnInfo("c\($0)", .number) })
    switch work {
    case "as_of":
      let quotes = Numbered.quotes(count, symbols: symbols)
      try await measure(count, .asOf, "{ within: 1m, columns: [bid, ask] }") { (filled(trades), filled(quotes)) }
    case "derive":
      // The arithmetic of the goal: a turnover, a difference and a ratio.
      let options = "columns: { value: price * size, far: price - 102.5, part: price / size }"
      try await measure(count, .derive, options) { (filled(trades), nil as Filled<Trade>?) }
    case "pass":
      let options = "symbols: [\(symbols.map(\.description).joined(separator: ", "))]"
      try await measure(count, .watchlistFilter, options) { (filled(trades, columns: eight), nil as Filled<Trade>?) }
    case "sample": try await measure(count, .sample, "every: 1s") { (filled(trades), nil as Filled<Trade>?) }
    case "dedupe":
      let lines = [0, 1].map { line in
        trades.indices.lazy.filter { Numbered.random($0) % 100 != UInt64(line) }.map { i in
          var trade = trades[i]
          trade.received = Timestamp(ns: trade.received.ns + Int64(Numbered.random(i) >> UInt64(8 + 8 * line) % 1000) + Int64(line))
          return trade
        }.sorted { $0.received < $1.received }
      }
      try await measure(count, .dedupe, "within: 2s") { (filled(lines[0]), filled(lines[1]) as Filled<Trade>?) }
    default: throw HotPathError("as_of, derive, pass, sample or dedupe")
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
    if plugin.name != "watchlist_filter" { for (column, sum) in zip(read.layout.names, sums) { report.add(column, Int(sum)) } }
    report.print()
  }
}
