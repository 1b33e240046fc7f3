import SeededRandom
import SortingFeed
import StockbusTestKit
import Testing

/// Several workers that rank a partition of the symbols each, and a desk behind them.
@Suite(.timeLimit(.minutes(15))) struct PartitionTests {
  private func key(_ event: Ranked, _ by: RankingKey) -> Int64 {
    switch by {
    case .price: event.price.raw
    case .change: event.change.raw
    case .percent: event.percent.raw
    case .volume: event.volume.raw
    }
  }

  /// The last event of each symbol in a list, best first; a slow model of what a reader has at the end.
  private func list(_ events: [Ranked]) -> [Ranked] {
    var last: [Symbol: Ranked] = [:]
    for event in events { last[event.symbol] = event.rank == 0 ? nil : event }
    return last.values.sorted { $0.rank < $1.rank }
  }

  @Test(arguments: [RankingKey.price, .change, .percent, .volume], ["ascending", "descending"])
  func `the first ranks of eight partitions are those of one feed once the data has ended`(by: RankingKey, order: String) async throws {
    for seed in 1...5 as ClosedRange<UInt64> {
      let trades = try FeedTests.randomTrades(2000, symbols: 90, prices: 1...5000, seed: seed)
      let options = "{ by: \(by.rawValue), order: \(order), top: 12 }"
      let whole = list(try await FeedTests.feed(trades, options))
      let partitions = Dictionary(grouping: trades) { (Int($0.symbol.description.dropFirst()) ?? 0) % 8 }
      var workers: [[Ranked]] = []
      for (_, part) in partitions.sorted(by: { $0.key < $1.key }) { workers.append(try await FeedTests.feed(part, options)) }
      let merged: [Ranked] = try await PluginHarness().output(of: Plugin.sortingFeed, options: options, inputs: workers)
      let desk = list(merged)
      #expect(desk.map(\.rank) == Array(1...12))
      #expect(desk.map { key($0, by) } == whole.map { key($0, by) })
      // Equal keys have any order, so figures are compared by symbol.
      let figures = Dictionary(uniqueKeysWithValues: whole.map { ($0.symbol, $0) })
      for event in desk {
        guard let same = figures[event.symbol] else {
          #expect(key(event, by) == whole.last.map { key($0, by) }, "\(event.symbol) is in one list only")
          continue
        }
        #expect(
          [event.price.raw, event.change.raw, event.percent.raw, event.volume.raw] == [
            same.price.raw, same.change.raw, same.percent.raw, same.volume.raw,
          ])
      }
    }
  }
}
