import TestSupport
import SortingFeed
import StockbusTestKit
import Testing

/// A reader that stores the last event of every symbol, without those of rank 0.
struct LastWords {
  private var words: [Symbol: Ranked] = [:]

  mutating func apply(_ event: Ranked) { words[event.symbol] = event.rank == 0 ? nil : event }

  var list: [Ranked] { words.values.sorted { $0.rank < $1.rank } }
}

/// A reader that applies every move.
struct Moves {
  private(set) var symbols: [Symbol] = []

  mutating func apply(_ event: Ranked) {
    symbols.removeAll { $0 == event.symbol }
    if event.rank > 0 { symbols.insert(event.symbol, at: min(Int(event.rank) - 1, symbols.count)) }
  }
}

/// The guarantee of the output: a reader that applies it has the feed's list after every input event.
@Suite(.timeLimit(.minutes(15))) struct ListTests {
  /// The output events that each trade has caused, found by their times, because every trade has a different time.
  private func caused(_ output: [Ranked], by trades: [Trade]) -> [[Ranked]] {
    Self.caused(output, at: trades.map { ($0.time, $0.received) })
  }

  /// The output events of each pair of times.
  static func caused(_ output: [Ranked], at times: [(time: Timestamp, received: Timestamp)]) -> [[Ranked]] {
    var at = 0
    return times.map { time, received in
      let first = at
      while at < output.count, output[at].time == time, output[at].received == received { at += 1 }
      return Array(output[first..<at])
    }
  }

  private func places(_ list: [Ranked]) -> [String] {
    list.map { "\($0.rank) \($0.symbol) \($0.price) \($0.change) \($0.percent) \($0.volume)" }
  }

  @Test(arguments: ["price", "change", "percent", "volume"], ["ascending", "descending"])
  func `the last word on each symbol is the list`(by: String, order: String) async throws {
    for (symbols, prices, seed) in [(3, 1...4, 11), (20, 1...9, 12), (40, 100...5000, 13)] as [(Int, ClosedRange<Int64>, UInt64)] {
      let trades = try FeedTests.randomTrades(rounds(150, cost: 20), symbols: symbols, prices: prices, seed: seed)
      for top in [1, 2, 5, symbols / 2 + 1, symbols, symbols + 5] {
        var model = PlainRanking(by: try #require(RankingKey(rawValue: by)), descending: order == "descending", top: top)
        let output = try await FeedTests.feed(trades, "{ by: \(by), order: \(order), top: \(top) }")
        var reader = LastWords()
        var mover = Moves()
        var wrong = 0
        for (trade, events) in zip(trades, caused(output, by: trades)) {
          _ = model.update(trade)
          for event in events {
            reader.apply(event)
            mover.apply(event)
          }
          if places(reader.list) != places(model.list) || reader.list.map(\.symbol) != mover.symbols { wrong += 1 }
          if events.count > top + 1 { wrong += 1 }
        }
        #expect(wrong == 0, "\(symbols) symbols, top \(top)")
      }
    }
  }

  @Test(arguments: ["ascending", "descending"]) func `without top the moves are the list`(order: String) async throws {
    let trades = try FeedTests.randomTrades(500, symbols: 25, prices: 1...40, seed: 21)
    var model = PlainRanking(by: .price, descending: order == "descending")
    let output = try await FeedTests.feed(trades, "{ order: \(order) }")
    #expect(output.count == trades.count)
    var mover = Moves()
    for (trade, event) in zip(trades, output) {
      _ = model.update(trade)
      mover.apply(event)
      #expect(mover.symbols == model.list.map(\.symbol))
    }
  }

  /// The list that a second feed must have: the symbols of the first one, ordered by its own key; ties by first appearance there.
  private func second(_ list: [Ranked], by: RankingKey, descending: Bool, top: Int, first: [Symbol: Int]) -> [String] {
    func key(_ event: Ranked) -> Int64 {
      switch by {
      case .price: event.price.raw
      case .change: event.change.raw
      case .percent: event.percent.raw
      case .volume: event.volume.raw
      }
    }
    let sorted = list.sorted { a, b in
      if key(a) == key(b) { return first[a.symbol, default: 0] < first[b.symbol, default: 0] }
      return descending ? key(a) > key(b) : key(a) < key(b)
    }
    return places(
      sorted.prefix(top).enumerated().map { rank, event in
        var event = event
        event.rank = UInt32(rank + 1)
        return event
      })
  }

  @Test(arguments: ["price", "change", "percent", "volume"], [nil, 1, 3, 8])
  func `a feed behind another has the list of those that this one tells`(by: String, top: Int?) async throws {
    for seed in 31...34 as ClosedRange<UInt64> {
      let trades = try FeedTests.randomTrades(300, symbols: 15, prices: 1...30, seed: seed)
      var model = PlainRanking(by: .price, descending: true, top: 6)
      let middle = try await FeedTests.feed(trades, "top: 6")
      let options = "{ by: \(by), order: ascending\(top.map { ", top: \($0)" } ?? "") }"
      let output: [Ranked] = try await PluginHarness().output(of: Plugin.sortingFeed, options: options, inputs: [middle])
      var appearance: [Symbol: Int] = [:]
      var reader = LastWords()
      var mover = Moves()
      var wrong: [String] = []
      for ((trade, events), told) in zip(zip(trades, caused(output, by: trades)), caused(middle, by: trades)) {
        _ = model.update(trade)
        for event in told where event.rank > 0 && appearance[event.symbol] == nil { appearance[event.symbol] = appearance.count }
        for event in events {
          reader.apply(event)
          mover.apply(event)
        }
        let expected = second(
          model.list, by: try #require(RankingKey(rawValue: by)), descending: false, top: top ?? .max, first: appearance)
        // Without `top` the list has to be computed from moves.
        let names = expected.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
        if top != nil, places(reader.list) != expected { wrong.append("\(trade.time.ns): \(places(reader.list)), expected \(expected)") }
        if mover.symbols.map(\.description) != names { wrong.append("\(trade.time.ns): \(mover.symbols), expected \(names)") }
      }
      #expect(wrong.prefix(2) == [])
    }
  }

  @Test func `two feeds of first ranks merge into the right one`() async throws {
    // All prices differ, so the order in which the two feeds are read does not matter.
    func trades(_ names: [Symbol], _ prices: [Int64]) -> [Trade] {
      prices.enumerated().map { i, price in FeedTests.trade(names[i % names.count], price, at: Int64(i)) }
    }
    let first = try await FeedTests.feed(trades(["A", "B", "C"], [10, 30, 50, 70, 20, 40, 15]), "top: 2")
    let second = try await FeedTests.feed(trades(["X", "Y", "Z"], [11, 31, 51, 12, 61, 21, 71]), "top: 2")
    // At the end: A 15, B 20, C 40; X 71, Y 61, Z 21.
    let merged: [Ranked] = try await PluginHarness().output(of: Plugin.sortingFeed, options: "top: 3", inputs: [first, second])
    var reader = LastWords()
    for event in merged { reader.apply(event) }
    #expect(reader.list.map { "\($0.rank) \($0.symbol) \($0.price)" } == ["1 X 71", "2 Y 61", "3 C 40"])
  }

  @Test func `who leaves a feed upstream leaves the one behind it, by hand`() async throws {
    func event(_ symbol: Symbol, _ price: Price, rank: UInt32, time: Int64) -> Ranked {
      Ranked(
        symbol: symbol, rank: rank, previousRank: 0, price: price, change: 3, percent: 7, volume: 11, time: Timestamp(ns: time),
        received: Timestamp(ns: time))
    }
    let told = [
      event("A", 30, rank: 1, time: 1), event("B", 20, rank: 2, time: 2), event("C", 10, rank: 3, time: 3),
      event("A", 99, rank: 0, time: 4), event("A", 99, rank: 0, time: 5), event("N", 99, rank: 0, time: 6), event("A", 5, rank: 3, time: 7),
    ]
    for (options, expected) in [
      ("", ["A 0→1", "B 0→2", "C 0→3", "A 1→0", "A 0→3"]), ("top: 2", ["A 0→1", "B 0→2", "A 1→0", "B 2→1", "C 0→2"]),
    ] {
      let output: [Ranked] = try await PluginHarness().output(of: Plugin.sortingFeed, options: options, inputs: [told])
      #expect(output.map { "\($0.symbol) \($0.previousRank)→\($0.rank)" } == expected)
      // The figures of the feed upstream are used.
      #expect(output.allSatisfy { $0.change == 3 && $0.percent == 7 && $0.volume == 11 })
    }
  }

  /// The number of events of an update is limited by its distance within the first ranks.
  @Test func `a move is told by as many events as there are ranks that change`() async throws {
    let names = try (0..<30).map { try Symbol("M\($0)") }
    let fill = names.enumerated().map { i, name in FeedTests.trade(name, Int64(1000 - i * 10), at: Int64(i)) }
    let moves = [
      FeedTests.trade(names[4], 971, at: 100), FeedTests.trade(names[25], 2000, at: 101), FeedTests.trade(names[25], 1, at: 102),
    ]
    let output = try await FeedTests.feed(fill + moves, "top: 20")
    // 971 passes one symbol; a move from outside to the first rank displaces twenty, and so does the way back.
    #expect(caused(output, by: fill + moves).suffix(3).map(\.count) == [2, 21, 21])
  }
}
