import TestSupport
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import SortingFeed

/// A feed whose options change: its readers have the list that a feed with the new options would have given them from the beginning.
@Suite(.timeLimit(.minutes(15))) struct ChangeTests {
  // MARK: The law

  /// A reader that applies all output: the order follows from the moves, the figures from the last event of each symbol.
  private struct Follower {
    private var moves = Moves()
    private var figures: [Symbol: String] = [:]

    mutating func apply(_ event: Ranked) {
      // That a list begins, with nothing in it, moves nobody.
      if event.beginsList { return }
      moves.apply(event)
      figures[event.symbol] = ChangeTests.figures(event)
    }

    var symbols: [Symbol] { moves.symbols }
    var list: [String] { symbols.map { "\($0) \(figures[$0] ?? "")" } }
    func rank(of symbol: Symbol) -> Int { (symbols.firstIndex(of: symbol) ?? -1) + 1 }
  }

  private static func figures(_ event: Ranked) -> String { "\(event.price) \(event.change) \(event.percent)% \(event.volume)" }

  private struct Choice: Hashable {
    var by = "price"
    var order = "descending"
    var top: Int?
    var since = "first_price"
    var ties = "appearance"

    var text: String { "{ by: \(by), order: \(order), since: \(since), ties: \(ties)\(top.map { ", top: \($0)" } ?? "") }" }

    static func random(_ random: inout SplitMix, since: String) -> Choice {
      var choice = Choice()
      choice.by = ["price", "change", "percent", "volume"][random.upTo(3)]
      choice.order = ["ascending", "descending"][random.upTo(1)]
      choice.top = [nil, nil, 1, 3, 8, 30][random.upTo(5)]
      choice.ties = ["appearance", "name"][random.upTo(1)]
      choice.since = random.oneIn(8) ? (since == "first_price" ? "previous_close" : "first_price") : since
      return choice
    }
  }

  /// A group of events has one time, and every group another one.
  private static func times<E: PricedEvent>(_ groups: [[E]]) -> [(time: Timestamp, received: Timestamp)] {
    groups.map { ($0.first?.time ?? Timestamp(ns: -1), $0.first?.received ?? Timestamp(ns: -1)) }
  }

  /// The lists after each group of a feed that has had these options since group `first`.
  private func lists<E: PricedEvent>(_ groups: [[E]], from first: Int, _ choice: Choice, _ services: Services) async throws -> [Follower] {
    let groups = Array(groups[first...])
    let output: [Ranked] = try await PluginHarness(services: services).output(
      of: Plugin.sortingFeed, options: choice.text, inputs: [groups.flatMap(\.self)])
    var reader = Follower()
    let after = ListTests.caused(output, at: Self.times(groups)).map { events in
      for event in events { reader.apply(event) }
      return reader
    }
    return [Follower](repeating: Follower(), count: first) + after
  }

  /// Changes the options of a running feed at random moments, and returns what its readers then know wrongly.
  private func faults<E: PricedEvent>(_ groups: [[E]], _ services: Services, seed: Int) async throws -> [String] {
    var random = SplitMix(seed)
    var choice = Choice.random(&random, since: "first_price")
    let running: RunningPlugin<Ranked> = try PluginHarness(services: services).start(
      Plugin.sortingFeed, options: choice.text, taking: E.self, emitting: Ranked.self)
    // The options that each group meets.
    var choices: [Choice] = []
    for group in groups {
      if random.oneIn(25) {
        await running.delivered()
        let before = choice
        for _ in 0...random.upTo(2) {
          choice = random.oneIn(4) ? before : .random(&random, since: choice.since)
          try await running.replace(options: choice.text)
        }
      }
      choices.append(choice)
      try await running.send(group)
    }
    try await running.stop()
    let taken = running.counts.reduce(0) { $0 + $1.delivered + $1.filtered }
    var wrong = taken == groups.reduce(0) { $0 + $1.count } ? [] : ["\(taken) events taken"]

    var reader = Follower()
    var told = choices[0]
    var begin = 0
    var expected: [Follower] = try await lists(groups, from: 0, told, services)
    for (number, events) in ListTests.caused(running.output, at: Self.times(groups)).enumerated() where !groups[number].isEmpty {
      var events = events[...]
      if choices[number] != told {
        if choices[number].since != told.since { begin = number }
        told = choices[number]
        expected = try await lists(groups, from: begin, told, services)
        // First comes the whole list: who has left it, then who is in it; each event is a move from the rank of that moment.
        let list = begin == number ? Follower() : expected[number - 1]
        let leavers = reader.symbols.filter { list.rank(of: $0) == 0 }
        for (symbol, rank) in leavers.map({ ($0, 0) }) + zip(list.symbols, 1...) {
          guard let event = events.popFirst() else { break }
          let move = "\(event.symbol) \(event.previousRank)→\(event.rank)"
          let right = "\(symbol) \(reader.rank(of: symbol))→\(rank)"
          if move != right { wrong.append("\(number), \(told.text): \(move), expected \(right)") }
          reader.apply(event)
        }
        if reader.list != list.list { wrong.append("\(number), \(told.text): \(reader.list), expected \(list.list)") }
      }
      for event in events { reader.apply(event) }
      if reader.list != expected[number].list {
        wrong.append("\(number), \(told.text): \(reader.list), expected \(expected[number].list)")
      }
    }
    return wrong
  }

  private static let services = Services(PastPrices(closes: ["R1": .init(day: -1, price: 7), "R3": .init(day: -1, price: 12)]))

  /// Some hundred trades on each date; every seventh is late by a date.
  private static func trades(_ prices: ClosedRange<Int64>, seed: UInt64) throws -> [Trade] {
    try FeedTests.randomTrades(rounds(400, cost: 20), symbols: 15, prices: prices, seed: seed).enumerated().map { i, trade in
      var trade = trade
      let day: Int64 = 86_400_000_000_000
      trade.time = Timestamp(ns: day + Int64(i) * day / 100 - (i % 7 == 0 ? day : 0))
      trade.received = Timestamp(ns: trade.time.ns + Int64(i))
      return trade
    }
  }

  @Test(arguments: 1...8) func `readers have the list that the new options would have given from the beginning`(seed: Int) async throws {
    let trades = try Self.trades(seed % 2 == 0 ? 1...5 : 1...30, seed: UInt64(seed))
    #expect(try await faults(trades.map { [$0] }, Self.services, seed: seed).prefix(2) == [])
  }

  @Test(arguments: 1...8) func `so have those of a feed behind another, which symbols leave`(seed: Int) async throws {
    let trades = try Self.trades(seed % 2 == 0 ? 1...5 : 1...30, seed: UInt64(seed))
    let middle = try await FeedTests.feed(trades, "top: 6")
    let groups = ListTests.caused(middle, at: trades.map { ($0.time, $0.received) })
    #expect(groups.contains { $0.isEmpty } && middle.contains { $0.rank == 0 })
    #expect(try await faults(groups, Self.services, seed: seed).prefix(2) == [])
  }

  /// What no run has left is refused, or does no harm.
  @Test func `a damaged memory traps nowhere`() throws {
    var restored = 0
    for seed in 0..<rounds(300, cost: 5) {
      var random = SplitMix(seed)
      let trades = try FeedTests.randomTrades(60, symbols: 6, prices: 1...9, seed: UInt64(seed))
      let topic = Topic<Ranked>("ranks", capacity: 1 << 12)
      var output = Outlet(topic)
      func ranking() throws -> Ranking {
        var settings = SortingFeedSettings()
        settings.by = .key([.price, .change, .percent, .volume][random.upTo(3)])
        settings.top = random.oneIn(2) ? 3 : nil
        settings.ties = random.oneIn(2) ? .name : .appearance
        return Ranking(settings, isBehindAnother: false)
      }
      var feed = try ranking()
      for part in [0..<20, 20..<40, 40..<60] {
        feed.update(Array(trades[part]).span, into: &output)
        guard let left = try damaged(feed.snapshot(nil), &random) else { continue }
        restored += 1
        feed = try ranking()
        feed.restore(left.rows)
        feed.send(after: left, at: trades[0], into: &output)
      }
    }
    #expect(restored > 50)
  }

  // MARK: By hand

  /// Sends trades, each after a change of the options if there is one, and returns the moves that each has caused.
  private func moves(_ steps: [(options: [String], trade: Trade)], _ harness: PluginHarness = PluginHarness()) async throws -> [[String]] {
    let running: RunningPlugin<Ranked> = try harness.start(Plugin.sortingFeed, taking: Trade.self, emitting: Ranked.self)
    for (options, trade) in steps {
      await running.delivered()
      for options in options { try await running.replace(options: options) }
      try await running.send([trade])
    }
    try await running.stop()
    return ListTests.caused(running.output, at: steps.map { ($0.trade.time, $0.trade.received) }).map { events in
      events.map { "\($0.symbol) \($0.previousRank)→\($0.rank) \($0.price) \($0.change) \($0.volume)" }
    }
  }

  private typealias Step = (options: [String], trade: Trade)

  private let beginning: [Step] = [
    ([], FeedTests.trade("A", 8, at: 1)), ([], FeedTests.trade("B", 20, at: 2)), ([], FeedTests.trade("C", 20, size: 2, at: 3)),
    ([], FeedTests.trade("D", 5, size: 9, at: 4)), ([], FeedTests.trade("A", 10, at: 5)),
  ]

  @Test func `the first event after a change tells the new list, by hand`() async throws {
    // By price: B 20, C 20, A 10, D 5. By volume: D 9, A 2, C 2, B 1.
    let told = try await moves(
      beginning + [
        (["{ by: volume, top: 2 }"], FeedTests.trade("A", 11, size: 3, at: 6)),
        (["{ by: volume, order: ascending }"], FeedTests.trade("B", 20, at: 7)),
      ])
    #expect(
      told.suffix(2) == [
        ["B 1→0 20 0 1", "C 1→0 20 0 2", "D 2→1 5 0 9", "A 2→2 10 2 2", "A 2→2 11 3 5"],
        ["B 0→1 20 0 1", "C 0→2 20 0 2", "A 4→3 11 3 5", "D 4→4 5 0 9", "B 1→1 20 0 2"],
      ])
  }

  @Test func `a change that is taken back, and two without an event between, tell what readers do not know`() async throws {
    let list = ["B 1→1 20 0 1", "C 2→2 20 0 2", "A 3→3 10 2 2", "D 4→4 5 0 9"]
    for between in ["by: volume", "top: 1", "since: previous_close"] {
      let told = try await moves(beginning + [([between, "order: descending"], FeedTests.trade("D", 6, at: 6))])
      #expect(told.last == list + ["D 4→4 6 1 10"])
    }
    let told = try await moves(beginning + [(["top: 1", "by: volume", "top: 2"], FeedTests.trade("D", 6, at: 6))])
    #expect(told.last == ["A 3→0 10 2 2", "D 3→0 5 0 9", "B 1→1 20 0 1", "C 2→2 20 0 2"])
  }

  @Test func `after a change of since all symbols leave, and everything begins anew`() async throws {
    let harness = PluginHarness()
    let told = try await moves(
      beginning + [
        (["since: previous_close"], FeedTests.trade("D", 6, at: 6)),
        (["{ since: previous_close, top: 3 }"], FeedTests.trade("D", 8, at: 7)),
        ([""], FeedTests.trade("A", 9, at: 8)),
      ], harness)
    #expect(
      told.suffix(3) == [
        ["B 1→0 20 0 1", "C 1→0 20 0 2", "A 1→0 10 2 2", "D 1→0 5 0 9", "D 0→1 6 0 1"], ["D 1→1 6 0 1", "D 1→1 8 2 2"],
        ["D 1→0 8 2 2", "A 0→1 9 0 1"],
      ])
    #expect(harness.counter("without a close") == 1)
  }

  @Test func `a size that waits for the next event of its symbol is told with the list`() async throws {
    var odd = FeedTests.trade("A", 99, size: 5, at: 6)
    odd.condition = .oddLot
    let told = try await moves(beginning + [([], odd), (["by: volume"], FeedTests.trade("B", 20, at: 7))])
    #expect(
      told.suffix(2) == [
        [], ["D 4→1 5 0 9", "A 4→2 10 2 7", "C 4→3 20 0 2", "B 4→4 20 0 1", "B 4→3 20 0 2"],
      ])
  }

  @Test func `only the next instance continues, not one after a failure`() async throws {
    let context = PluginHarness().context
    let first = SortingFeed<Trade>(SortingFeedSettings(), context)
    #expect(await first.sent(for: beginning.map(\.trade)) == 5)
    let second = SortingFeed<Trade>(SortingFeedSettings(), context)
    #expect(await second.sent(for: [beginning[0].trade], isLast: false) == 5)
    let third = SortingFeed<Trade>(SortingFeedSettings(), context)
    #expect(await third.sent(for: [beginning[0].trade]) == 1)
  }
}

extension SortingFeed {
  /// How many events it sends for these; then it hands over, or fails.
  fileprivate func sent(for events: [E], isLast: Bool = true) -> Int {
    var outlet = Outlet(Topic<Ranked>("ranked", capacity: 64))
    process(events.span, into: &outlet)
    if isLast { handOver(into: &outlet) }
    outlet.commit()
    return outlet.published
  }
}
