import Foundation
import TestSupport
import StockbusTestKit
import Testing

@testable import SortingFeed

/// Several workers that rank a partition of the symbols each, and a desk behind them that merges their lists.
@Suite(.timeLimit(.minutes(15))) struct PartitionTests {
  /// What has to be the same however the symbols are spread.
  private struct Line: Hashable {
    let symbol: Symbol
    let rank: UInt32
    let figures: [Int64]

    init(_ event: Ranked) {
      symbol = event.symbol
      rank = event.rank
      figures = [event.price.raw, event.change.raw, event.percent.raw, event.volume.raw, Int64(event.sizeDecimals)]
    }
  }

  /// What a reader has in the end: the last event of each symbol, best first.
  private func list(_ events: [Ranked]) -> [Line] {
    var last: [Symbol: Ranked] = [:]
    for event in events { last[event.symbol] = event.rank == 0 ? nil : event }
    return last.values.sorted { $0.rank < $1.rank }.map(Line.init)
  }

  private func merged(_ lists: [[Ranked]], _ options: String) async throws -> [Ranked] {
    try await PluginHarness().output(of: Plugin.sortingFeed, options: options, inputs: lists)
  }

  /// The trades of each of eight partitions.
  private func parts(_ trades: [Trade]) -> [[Trade]] {
    var parts = [[Trade]](repeating: [], count: 8)
    for trade in trades { parts[(Int(trade.symbol.description.dropFirst()) ?? 0) % 8].append(trade) }
    return parts
  }

  private static let keys = ["price", "change", "percent", "volume"]
  private static let orders = ["ascending", "descending"]

  @Test(arguments: keys, orders)
  func `with ties by name, agrees with sorting everything after every event`(by: String, order: String) async throws {
    for (symbols, prices, seed) in [(20, 1...4, 1), (40, 100...200, 2)] as [(Int, ClosedRange<Int64>, UInt64)] {
      let trades = try FeedTests.randomTrades(400, symbols: symbols, prices: prices, seed: seed)
      for top in [nil, 1, symbols / 2, symbols + 5] {
        var model = PlainRanking(
          by: try #require(RankingKey(rawValue: by)), descending: order == "descending", top: top ?? .max, byName: true)
        let expected = trades.flatMap { model.update($0) }
        let ranked = try await FeedTests.feed(trades, "{ by: \(by), order: \(order), ties: name\(top.map { ", top: \($0)" } ?? "") }")
        let begin = try #require(ranked.first)
        #expect(begin.symbol == trades[0].symbol && begin.rank == 0 && begin.previousRank == 0 && begin.time == trades[0].time)
        #expect(Array(ranked.dropFirst()) == expected, "\(symbols) symbols, top \(top ?? 0)")
      }
    }
  }

  @Test(arguments: keys, orders)
  func `the merged list of eight partitions is that of one feed once the data has ended`(by: String, order: String) async throws {
    // With few prices many keys are equal.
    for (seed, prices) in [(1, 1...5000), (2, 1...6), (3, 1...6), (4, 1...60)] as [(UInt64, ClosedRange<Int64>)] {
      let trades = try FeedTests.randomTrades(2000, symbols: 90, prices: prices, seed: seed)
      let options = "by: \(by), order: \(order), top: 12"
      let whole = list(try await FeedTests.feed(trades, "{ \(options), ties: name }"))
      for workers in ["top: 12", "top: 40"] {
        var lists: [[Ranked]] = []
        for part in parts(trades) { lists.append(try await FeedTests.feed(part, "{ by: \(by), order: \(order), \(workers), ties: name }")) }
        let desk = try await merged(lists, "{ \(options), merge_lists: true }")
        #expect(list(desk) == whole)
        #expect(whole.map(\.rank) == Array(1...12))
      }
    }
  }

  /// Recordings that are not part of the project: `STOCKBUS_DATA`, or `../shared/data` beside the package. With the columns of symbol, price
  /// and size.
  private static let recordings = [
    ("us_equities_tick/us_trades_SPY_BAC_AIG_IBM_20131008_rth_0930_1100.csv", 1, 2, 3),
    ("us_equities_daily/us_daily_ohlcv_15symbols.csv", 1, 5, 6),
  ]
  private static let folder = Repository.recordings
  private static let areThere = recordings.allSatisfy { FileManager.default.fileExists(atPath: "\(folder)/\($0.0)") }

  @Test(.enabled(if: areThere, "the recordings are not there"), arguments: recordings)
  func `the same on recordings`(file: String, symbol: Int, price: Int, size: Int) async throws {
    let rows = try String(contentsOfFile: "\(Self.folder)/\(file)", encoding: .utf8).split(separator: "\n").dropFirst()
    let trades = try rows.prefix(rounds(20_000)).enumerated().map { number, row in
      let columns = row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return Trade(
        symbol: try Symbol(columns[symbol]), price: try Price(columns[price]), size: try Quantity(columns[size]),
        time: Timestamp(ns: Int64(number)), received: Timestamp(ns: Int64(number)), priceDecimals: 2)
    }
    let symbols = trades.reduce(into: [Symbol]()) { if !$0.contains($1.symbol) { $0.append($1.symbol) } }
    for by in Self.keys {
      for order in Self.orders {
        let options = "by: \(by), order: \(order), top: 3"
        let whole = list(try await FeedTests.feed(trades, "{ \(options), ties: name }"))
        var lists: [[Ranked]] = []
        for part in 0..<min(8, symbols.count) {
          let own = trades.filter { symbols.firstIndex(of: $0.symbol).map { $0 % 8 == part } ?? false }
          lists.append(try await FeedTests.feed(own, "{ \(options), ties: name }"))
        }
        #expect(list(try await merged(lists, "{ \(options), merge_lists: true }")) == whole)
        #expect(whole.count == 3)
      }
    }
  }

  @Test func `lists that are merged in two steps, and lists without a top, give the same`() async throws {
    let trades = try FeedTests.randomTrades(2000, symbols: 90, prices: 1...6, seed: 7)
    let whole = list(try await FeedTests.feed(trades, "{ top: 12, ties: name }"))
    var lists: [[Ranked]] = []
    for (number, part) in parts(trades).enumerated() {
      lists.append(try await FeedTests.feed(part, number % 2 == 0 ? "{ top: 12, ties: name }" : "ties: name"))
    }
    let left = try await merged(Array(lists[..<3]), "{ top: 12, merge_lists: true }")
    let right = try await merged(Array(lists[3...]), "{ top: 12, merge_lists: true }")
    #expect(list(try await merged([left, right], "{ top: 12, merge_lists: true }")) == whole)
  }

  @Test(arguments: 1...16 as ClosedRange<UInt64>)
  func `a feed that begins again leaves nothing of its former list`(seed: UInt64) async throws {
    var random = RandomStream(seed: seed)
    let trades = try FeedTests.randomTrades(1500, symbols: 90, prices: 1...40, seed: seed)
    var lists: [[Ranked]] = []
    var known: [[Trade]] = []
    for part in parts(trades) {
      // Each one begins up to three times, and knows nothing of what was before.
      var list: [Ranked] = []
      var rest = part[...]
      for turn in 0..<Int.random(in: 1...3, using: &random) {
        if turn > 0 { rest = rest.dropFirst(Int.random(in: 0...rest.count, using: &random)) }
        let ending = turn == 0 ? rest.prefix(Int.random(in: 0...rest.count, using: &random)) : rest
        // The process ends in the middle of what it sends.
        let sent = try await FeedTests.feed(Array(ending), "{ top: 12, ties: name }")
        list += sent.prefix(Int.random(in: 0...sent.count, using: &random))
      }
      list += try await FeedTests.feed(Array(rest), "{ top: 12, ties: name }")
      lists.append(list)
      known.append(rest.isEmpty ? [] : Array(rest))
    }
    // What a partition has said last counts, if it has begun once more; otherwise its former list stands.
    guard known.allSatisfy({ !$0.isEmpty }) else { return }
    let whole = list(try await FeedTests.feed(known.flatMap { $0 }, "{ top: 12, ties: name }"))
    #expect(list(try await merged(lists, "{ top: 12, merge_lists: true }")) == whole)
  }

  /// A run that goes on with what another has left, or with something damaged, which traps nowhere.
  @Test(arguments: 0..<30) func `a merged list goes on from a file`(seed: Int) async throws {
    var random = SplitMix(seed)
    var events: [(lane: Int, event: Ranked)] = []
    for (lane, symbols) in ([["A", "B", "C"], ["D", "E"]] as [[Symbol]]).enumerated() {
      let trades = (0..<20).map { _ in FeedTests.trade(symbols[random.upTo(symbols.count - 1)], Int64(1 + random.upTo(5))) }
      events += try await FeedTests.feed(trades, "{ top: 3, ties: name }").map { (lane, $0) }
    }
    func merged(_ pass: (RankMerge.Snapshot) throws -> RankMerge.Snapshot?) async throws -> [Ranked] {
      var merge = RankMerge(SortingFeedSettings.merging(2), nil)
      return try await output { output in
        for (number, event) in events.enumerated() {
          if number % 7 == 6 { merge = RankMerge(SortingFeedSettings.merging(2), try pass(merge.snapshot)) }
          merge.attend(to: ["left", "right"])
          merge.update([event.event].span, from: event.lane, into: &output)
        }
      }
    }
    let whole = try await merged { $0 }
    #expect(try await merged { try written($0) } == whole)
    _ = try await merged { try damaged($0, &random) }
  }

  private func ranked(_ symbol: Symbol, _ previous: UInt32, _ rank: UInt32, _ price: Price, volume: Quantity = 1) -> Ranked {
    Ranked(
      symbol: symbol, rank: rank, previousRank: previous, price: price, change: 0, percent: 0, volume: volume, time: Timestamp(ns: 1),
      received: Timestamp(ns: 2))
  }

  @Test func `who was displaced in its own list is not told again, and a list that begins again tells who has left`() async throws {
    let list = [
      ranked("A", 0, 0, 10), ranked("A", 0, 1, 10), ranked("B", 0, 1, 20), ranked("A", 1, 2, 10), ranked("A", 2, 2, 10, volume: 5),
      ranked("C", 0, 0, 5), ranked("C", 0, 1, 5),
    ]
    let desk = try await merged([list], "{ top: 2, merge_lists: true }")
    #expect(
      desk.map { "\($0.symbol) \($0.previousRank)→\($0.rank)" } == [
        "A 0→0",  // The merged list begins too.
        "A 0→1", "B 0→1", "A 1→2", "A 2→2", "B 1→0", "A 1→0", "C 0→1",
      ])
  }

  @Test func `names with the same hash are ordered by name, whoever appears first`() async throws {
    var names: [UInt32: [Symbol]] = [:]
    for number in 0..<300_000 {
      let symbol = try Symbol("H\(number)")
      names[Ties.hash(symbol), default: []].append(symbol)
    }
    let groups = names.values.filter { $0.count > 1 }
    try #require(!groups.isEmpty)
    for group in groups.prefix(20) {
      for symbols in [group.sorted(), group.sorted().reversed()] {
        for by in Self.keys {
          let trades = (symbols + ["Other"] + symbols.reversed()).map { FeedTests.trade($0, 7) }
          for top in ["", ", top: 5"] {
            let all = try await FeedTests.feed(trades, "{ by: \(by), ties: name\(top) }")
            var model = PlainRanking(by: try #require(RankingKey(rawValue: by)), top: top.isEmpty ? .max : 5, byName: true)
            #expect(Array(all.dropFirst()) == trades.flatMap { model.update($0) })
          }
        }
      }
    }
  }

  @Test func `a symbol that has moved to another input leaves only by that`() async throws {
    let desk = try await merged(
      [
        [ranked("A", 0, 0, 10), ranked("A", 0, 1, 10), ranked("A", 1, 0, 10), ranked("A", 0, 1, 12)],
        [ranked("B", 0, 0, 9), ranked("B", 0, 1, 9), ranked("B", 1, 0, 9)],
      ], "{ top: 2, merge_lists: true }")
    #expect(list(desk).map(\.symbol) == ["A"])
    var merge = RankMerge(SortingFeedSettings.merging(2), nil)
    let events = try await output { output in
      merge.attend(to: ["left", "right"])
      merge.update([ranked("A", 0, 1, 10)].span, from: 0, into: &output)
      merge.update([ranked("A", 0, 1, 11)].span, from: 1, into: &output)
      merge.update([ranked("A", 1, 0, 11)].span, from: 0, into: &output)
      merge.update([ranked("B", 0, 1, 5)].span, from: 1, into: &output)
      // The left one is no input any more, and neither is the right one in the end.
      merge.attend(to: ["right"])
      merge.update([ranked("B", 1, 1, 6)].span, from: 0, into: &output)
      merge.attend(to: ["third"])
      merge.update([ranked("C", 0, 1, 1)].span, from: 0, into: &output)
    }
    #expect(
      events.map { "\($0.symbol) \($0.previousRank)→\($0.rank) \($0.price)" } == [
        "A 0→0 10", "A 0→1 10", "A 1→1 11", "B 0→2 5", "B 2→2 6", "A 1→0 11", "B 1→0 6", "C 0→1 1",
      ])
  }

  @Test func `a symbol that others displace keeps the decimals of its last price`() async throws {
    func written(_ event: Ranked, _ decimals: UInt8) -> Ranked {
      var event = event
      event.priceDecimals = decimals
      return event
    }
    var merge = RankMerge(SortingFeedSettings.merging(2), nil)
    let events = try await output { output in
      merge.attend(to: ["left", "right"])
      merge.update([written(ranked("A", 0, 1, 10), 2), written(ranked("A", 1, 1, 11), 4)].span, from: 0, into: &output)
      // B is before A until its list begins again.
      merge.update([ranked("B", 0, 1, 20), ranked("C", 0, 0, 5)].span, from: 1, into: &output)
    }
    #expect(
      events.map { "\($0.symbol) \($0.previousRank)→\($0.rank) \($0.priceDecimals)" } == [
        "A 0→0 2", "A 0→1 2", "A 1→1 4", "B 0→1 0", "A 1→2 4", "B 1→0 0", "A 1→1 4",
      ])
  }

  /// What is sent into an outlet.
  private func output(_ body: (inout Outlet<Ranked>) throws -> Void) async throws -> [Ranked] {
    let topic = Topic<Ranked>("merged", capacity: 1024)
    let inlet = topic.attach(Parker(), options: SubscriptionOptions())
    var outlet = Outlet(topic)
    try body(&outlet)
    try await outlet.flush()
    let batch = inlet.nextBatch(limit: 1024)
    return (0..<batch.count).map { batch.span[$0] }
  }
}

extension SortingFeedSettings {
  fileprivate static func merging(_ top: Int) -> SortingFeedSettings {
    var settings = SortingFeedSettings()
    settings.top = top
    settings.mergeLists = true
    return settings
  }
}
