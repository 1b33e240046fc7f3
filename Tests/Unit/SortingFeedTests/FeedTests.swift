import TestSupport
import SortingFeed
import StockbusTestKit
import Testing

/// The simplest model of a ranking: all symbols are sorted after every event.
struct PlainRanking {
  struct Row {
    var symbol: Symbol
    var reference: Price
    var ranked: Ranked
  }

  var by = RankingKey.price
  var descending = true
  var top = Int.max
  /// Whether equal keys are ordered by name.
  var byName = false
  /// In the order of first appearance.
  private(set) var rows: [Row] = []

  private func key(_ row: Row) -> Int64 {
    switch by {
    case .price: row.ranked.price.raw
    case .change: row.ranked.change.raw
    case .percent: row.ranked.percent.raw
    case .volume: row.ranked.volume.raw
    }
  }

  /// Indices of `rows`, the best first; the sort is stable, so ties are in the order of appearance.
  private var order: [Int] {
    rows.indices.sorted { a, b in
      let (x, y) = (key(rows[a]), key(rows[b]))
      if x == y { return byName ? Self.comes(rows[a].symbol, before: rows[b].symbol) : a < b }
      return descending ? x > y : x < y
    }
  }

  /// By the upper 31 bits of the 64-bit FNV-1a hash, and then by name.
  private static func comes(_ a: Symbol, before b: Symbol) -> Bool {
    func hash(_ symbol: Symbol) -> UInt64 {
      symbol.description.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 } / (1 << 33)
    }
    return hash(a) == hash(b) ? a.description < b.description : hash(a) < hash(b)
  }

  /// The events that the feed has to send for this trade.
  mutating func update(_ trade: Trade) -> [Ranked] {
    let before = order
    var place = rows.firstIndex { $0.symbol == trade.symbol }
    let previous = place.flatMap { before.firstIndex(of: $0) }
    if place == nil {
      place = rows.count
      rows.append(
        Row(
          symbol: trade.symbol, reference: trade.price,
          ranked: Ranked(
            symbol: trade.symbol, rank: 0, previousRank: 0, price: 0, change: 0, percent: 0, volume: 0, time: trade.time,
            received: trade.received)))
    }
    guard let place else { return [] }
    let reference = rows[place].reference.raw
    rows[place].ranked.price = trade.price
    rows[place].ranked.change.raw = trade.price.raw - reference
    // Prices here are whole numbers, so the quotient is small enough for simple arithmetic.
    rows[place].ranked.percent.raw = Int64((Int128(trade.price.raw - reference) * 100_000_000_000) / Int128(reference))
    rows[place].ranked.volume.raw += trade.size.raw
    rows[place].ranked.time = trade.time
    rows[place].ranked.received = trade.received
    rows[place].ranked.priceDecimals = trade.priceDecimals
    rows[place].ranked.sizeDecimals = max(rows[place].ranked.sizeDecimals, trade.sizeDecimals)
    let after = order
    let rank = after.firstIndex(of: place) ?? 0
    func row(_ place: Int, from previous: Int?, to rank: Int) -> Ranked {
      var ranked = rows[place].ranked
      ranked.rank = rank < top ? UInt32(rank + 1) : 0
      ranked.previousRank = previous.map { $0 < top ? UInt32($0 + 1) : 0 } ?? 0
      return ranked
    }
    let wasIn = previous.map { $0 < top } ?? false
    let isIn = rank < top
    if !wasIn, !isIn { return [] }
    var sent = [row(place, from: previous, to: rank)]
    if top == .max { return sent }
    // Displaced symbols are sent too, from the best rank on.
    for other in after where other != place {
      guard let old = before.firstIndex(of: other), let new = after.firstIndex(of: other) else { continue }
      if old == new || (old >= top && new >= top) { continue }
      var displaced = row(other, from: old, to: new)
      displaced.time = trade.time
      displaced.received = trade.received
      sent.append(displaced)
    }
    return sent
  }

  /// The first ones, with their ranks.
  var list: [Ranked] {
    order.prefix(top).enumerated().map { rank, place in
      var ranked = rows[place].ranked
      ranked.rank = UInt32(rank + 1)
      return ranked
    }
  }
}

@Suite(.timeLimit(.minutes(15))) struct FeedTests {
  static func trade(_ symbol: Symbol, _ price: Int64, size: Int64 = 1, at time: Int64 = 0) -> Trade {
    Trade(
      symbol: symbol, price: Price(raw: price * 1_000_000_000), size: Quantity(raw: size * 1_000_000_000), time: Timestamp(ns: time),
      received: Timestamp(ns: time + 1), priceDecimals: 2, sizeDecimals: UInt8(time % 3))
  }

  static func feed(_ trades: [Trade], _ options: String) async throws -> [Ranked] {
    try await PluginHarness().output(of: Plugin.sortingFeed, options: options, inputs: [trades])
  }

  static func randomTrades(_ count: Int, symbols: Int, prices: ClosedRange<Int64>, seed: UInt64) throws -> [Trade] {
    var random = RandomStream(seed: seed)
    let names = try (0..<symbols).map { try Symbol("R\($0)") }
    return (0..<count).map { i in
      trade(
        names[Int.random(in: 0..<symbols, using: &random)], Int64.random(in: prices, using: &random),
        size: Int64.random(in: 1...4, using: &random), at: Int64(i))
    }
  }

  @Test(arguments: ["price", "change", "percent", "volume"], ["ascending", "descending"])
  func `agrees with sorting everything after every event`(by: String, order: String) async throws {
    // With few prices for many symbols most ranks are ties.
    for (symbols, prices, seed) in [(3, 1...4, 1), (20, 1...9, 2), (40, 100...5000, 3)] as [(Int, ClosedRange<Int64>, UInt64)] {
      let trades = try Self.randomTrades(rounds(200, cost: 20), symbols: symbols, prices: prices, seed: seed)
      for top in [nil, 1, 2, symbols / 2 + 1, symbols, symbols + 5] {
        var model = PlainRanking(
          by: try #require(RankingKey(rawValue: by)), descending: order == "descending", top: top ?? .max)
        let expected = trades.flatMap { model.update($0) }
        let ranked = try await Self.feed(trades, "{ by: \(by), order: \(order)\(top.map { ", top: \($0)" } ?? "") }")
        #expect(ranked == expected, "\(symbols) symbols, top \(top ?? 0)")
      }
    }
  }

  @Test func `agrees with a sorted array where there are so many symbols that what comes next is asked for ahead`() async throws {
    // New symbols keep appearing among the old ones.
    let trades = try Self.randomTrades(50_000, symbols: 25_000, prices: 1...1_000_000, seed: 4)
    var model = Model(descending: true)
    var entries: [Symbol: UInt32] = [:]
    var volumes: [Symbol: Int64] = [:]
    let ranked = try await Self.feed(trades, "{ by: price }")
    #expect(ranked.count == trades.count)
    var differing = 0
    for (trade, ranked) in zip(trades, ranked) {
      let entry = entries[trade.symbol] ?? UInt32(entries.count)
      entries[trade.symbol] = entry
      let (previous, rank) = model.update(entry, key: trade.price.raw)
      volumes[trade.symbol, default: 0] += trade.size.raw
      let isSame =
        ranked.symbol == trade.symbol && ranked.rank == UInt32(rank + 1) && ranked.previousRank == UInt32(previous.map { $0 + 1 } ?? 0)
        && ranked.price == trade.price && ranked.volume.raw == volumes[trade.symbol] && ranked.time == trade.time
      if !isSame { differing += 1 }
    }
    #expect(differing == 0)
    #expect(entries.count > 20_000)
  }

  @Test func `ranks, changes and volumes by hand`() async throws {
    let ranked = try await Self.feed(
      [Self.trade("A", 100), Self.trade("B", 200), Self.trade("C", 200), Self.trade("A", 250, size: 3), Self.trade("B", 100)], "")
    #expect(ranked.map(\.symbol.description) == ["A", "B", "C", "A", "B"])
    #expect(ranked.map(\.rank) == [1, 1, 2, 1, 3])
    #expect(ranked.map(\.previousRank) == [0, 0, 0, 3, 2])
    #expect(ranked.map(\.change) == [0, 0, 0, 150, -100])
    #expect(ranked.map(\.percent) == [0, 0, 0, 150, -50])
    #expect(ranked.map(\.volume) == [1, 1, 1, 4, 2])
  }

  @Test func `a trade whose price does not count is filtered, and its size is in the next event's volume`() async throws {
    func marked(_ price: Int64, _ size: Int64, _ condition: TradeCondition) -> Trade {
      var trade = Self.trade("A", price, size: size)
      trade.condition = condition
      return trade
    }
    for options in ["", "top: 2"] {
      let ranked = try await Self.feed(
        [
          marked(900, 50, .averagePrice), marked(100, 1, .regular), marked(900, 5, .oddLot), marked(800, 7, .officialPrice),
          marked(110, 2, .sweep), marked(120, 9, .correctedClose),
        ], options)
      // Before the first price nothing is known of a symbol; official prices have no size of their own, and a corrected close neither.
      #expect(ranked.map(\.price) == [100, 110, 120])
      #expect(ranked.map(\.volume) == [1, 8, 8])
      #expect(ranked.map(\.change) == [0, 10, 20])
    }
  }

  @Test func `equal keys stand in the order of first appearance in either direction`() async throws {
    for order in ["ascending", "descending"] {
      let ranked = try await Self.feed(["A", "B", "C", "A", "C"].map { Self.trade($0, 7) }, "order: \(order)")
      #expect(ranked.map(\.rank) == [1, 2, 3, 1, 3])
    }
  }

  @Test func `with top, who leaves, who enters and who is displaced are told, and the rest is filtered`() async throws {
    let trades = [
      Self.trade("A", 10), Self.trade("B", 20), Self.trade("C", 5), Self.trade("C", 30), Self.trade("C", 1), Self.trade("A", 11),
    ]
    let ranked = try await Self.feed(trades, "top: 2")
    #expect(
      ranked.map { "\($0.symbol) \($0.previousRank)→\($0.rank)" } == [
        "A 0→1", "B 0→1", "A 1→2",  // C at 5 is third: filtered
        "C 0→1", "B 1→2", "A 2→0",  // C enters, B makes room, A leaves
        "C 1→0", "B 2→1", "A 0→2",  // C leaves, A enters
        "A 2→2",
      ])
  }

  @Test func `quotes rank by their middle and tell no volume, bars by their close`() async throws {
    func quote(_ symbol: Symbol, _ bid: Price, _ ask: Price) -> Quote {
      Quote(symbol: symbol, bid: bid, ask: ask, bidSize: 5, askSize: 5, time: Timestamp(ns: 1), received: Timestamp(ns: 2))
    }
    let quotes = [quote("A", 10, 12), quote("B", 10, 14)]
    let ranked: [Ranked] = try await PluginHarness().output(of: Plugin.sortingFeed, inputs: [quotes])
    #expect(ranked.map(\.price) == [11, 12])
    #expect(ranked.map(\.rank) == [1, 1])
    #expect(ranked.map(\.volume) == [0, 0])
    let bars = [Bar.schema.example]
    let ofBars: [Ranked] = try await PluginHarness().output(of: Plugin.sortingFeed, options: "by: volume", inputs: [bars])
    #expect(ofBars.map(\.price) == [Bar.schema.example.close])
    #expect(ofBars.map(\.volume) == [1_250_000])
  }

  @Test func `a volume that would not fit stays at the most that does`() async throws {
    var trade = Self.trade("A", 1)
    trade.size = Quantity(raw: .max)
    let ranked = try await Self.feed([trade, trade], "by: volume")
    #expect(ranked.map(\.volume.raw) == [.max, .max])
  }

  @Test func `a first price of zero has no per cent`() async throws {
    let ranked = try await Self.feed([Self.trade("A", 0), Self.trade("A", 5)], "by: percent")
    #expect(ranked.map(\.percent) == [0, 0])
    #expect(ranked.map(\.change) == [0, 5])
  }

  @Test func `says a symbol's rank, and whether 'top' passes it`() async throws {
    func said(_ options: String) async throws -> [String] {
      let running: RunningPlugin<Ranked> = try PluginHarness().start(
        Plugin.sortingFeed, options: options, taking: Trade.self, emitting: Ranked.self)
      let none = await running.explain("EXPL.B")
      let trades = [("EXPL.A", 30), ("EXPL.B", 20), ("EXPL.C", 10)].map { symbol, price in
        Trade(
          symbol: Symbol(stringLiteral: symbol), price: Price(raw: Int64(price) * 1_000_000_000), size: 1, time: Timestamp(ns: 0),
          received: Timestamp(ns: 0))
      }
      try await running.send(trades)
      await running.delivered()
      let some = await running.explain("EXPL.B")
      try await running.stop()
      return (none + some).map { "\($0.verdict) \($0.reason) by \($0.setting?.description ?? "nothing")" }
    }
    let none = "waits it has no rank, because it has had no valid price yet by nothing"
    #expect(try await said("") == [none, "ranks rank 2 of 3 by price by by"])
    #expect(try await said("top: 2") == [none, "ranks rank 2 of 3 by price, among the first 2 by top"])
    #expect(
      try await said("{ top: 1, order: ascending }") == [none, "filters rank 2 of 3 by price, and 'top' passes the first 1 only by top"])
  }
}
