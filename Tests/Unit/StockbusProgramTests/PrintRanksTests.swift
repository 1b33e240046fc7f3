import Filter
import NullSink
import SortingFeed
import StockbusConfig
import StockbusPlugin
import StockbusTestKit
import Testing
import WatchlistFilter
@testable import StockbusProgram

/// The ranks shown by `print --once`.
@Suite struct PrintRanksTests {
  private func ranked(_ symbol: Symbol, _ rank: UInt32, previous: UInt32 = 0) -> Ranked {
    let time = Timestamp(ns: 0)
    return Ranked(
      symbol: symbol, rank: rank, previousRank: previous, price: 1, change: 0, percent: 0, volume: 0, time: time, received: time)
  }

  @Test func `ranked events are a list by rank, without those that have left it`() {
    var snapshot = Snapshot<Ranked>()
    // C comes first and pushes A and B down; B leaves the list.
    for event in [ranked("A", 1), ranked("B", 2), ranked("C", 1), ranked("A", 2, previous: 1), ranked("B", 0, previous: 2)] {
      snapshot.keep(event)
    }
    #expect(snapshot.inOrder.map(\.symbol) == ["C", "A"])
    #expect(snapshot.inOrder.map(\.rank) == [1, 2])
  }

  @Test func `a symbol in several lists of movers is in each of them, list by list`() {
    var snapshot = Snapshot<Mover>()
    func mover(_ symbol: Symbol, _ list: MoverList, _ rank: UInt32) -> Mover {
      var mover = Mover.schema.example
      (mover.symbol, mover.list, mover.rank) = (symbol, list, rank)
      return mover
    }
    for event in [
      mover("A", .active, 1), mover("A", .gainers, 1), mover("B", .losers, 1), mover("B", .gainers, 2), mover("B", .active, 2),
      mover("B", .gainers, 0),
    ] { snapshot.keep(event) }
    #expect(
      snapshot.inOrder.map { "\($0.list.fieldName) \($0.rank) \($0.symbol)" } == ["gainers 1 A", "losers 1 B", "active 1 A", "active 2 B"])
  }

  @Test func `ranks are the present ones, also of symbols that only others have moved`() throws {
    // A feed of 40 symbols by price, as moves of all ranks or of the first six, compared with a list that is sorted each time.
    for top in [Int.max, 6] {
      var random = RandomStream(seed: 5)
      var prices: [(symbol: Symbol, price: UInt64)] = []
      var snapshot = Snapshot<Ranked>(followsRanks: true)
      func told(_ rank: Int?) -> UInt32 { rank.map { $0 < top ? UInt32($0 + 1) : 0 } ?? 0 }
      for step in 0..<3000 {
        let before = prices.map(\.symbol)
        let symbol = try Symbol("R\(random.next() % 40)")
        prices.removeAll { $0.symbol == symbol }
        prices.append((symbol, random.next() % 1_000_000))
        prices.sort { $0.price > $1.price }
        let now = prices.map(\.symbol)
        // First the symbol with the new price, then those of the first ranks whose rank has changed.
        let others = top == .max ? [] : now.filter { $0 != symbol && told(before.firstIndex(of: $0)) != told(now.firstIndex(of: $0)) }
        for moved in [symbol] + others {
          let (old, new) = (told(before.firstIndex(of: moved)), told(now.firstIndex(of: moved)))
          if old > 0 || new > 0 { snapshot.keep(ranked(moved, new, previous: old)) }
        }
        guard step % 50 == 0 else { continue }
        #expect(!snapshot.hasLostRanks)
        #expect(snapshot.inOrder.map(\.symbol) == Array(now.prefix(top)))
        #expect(snapshot.inOrder.map(\.rank) == (1...now.prefix(top).count).map(UInt32.init))
      }
    }
  }

  @Test func `the rank of a symbol's own last event is the one before, where others have moved it since`() {
    var snapshot = Snapshot<Ranked>(followsRanks: true)
    for event in [ranked("A", 1), ranked("B", 1), ranked("C", 1), ranked("B", 2, previous: 2)] { snapshot.keep(event) }
    #expect(snapshot.inOrder.map(\.symbol) == ["C", "B", "A"])
    #expect(snapshot.inOrder.map(\.rank) == [1, 2, 3])
    #expect(snapshot.inOrder.map(\.previousRank) == [0, 2, 1])
  }

  @Test(
    arguments: [
      [("A", 2, 0)], [("A", 1, 1)], [("A", 1, 0), ("A", 1, 0)], [("A", 1, 0), ("B", 2, 0), ("A", 3, 1)],
      [("A", 1, 0), ("B", 1, 0), ("C", 3, 1)],
      [("A", 1, 0), ("B", 2, 0), ("C", 3, 0), ("C", 1, 2)], [("A", 0, 4_000_000_000)], [("A", 4_294_967_295, 4_294_967_295)],
    ] as [[(Symbol, UInt32, UInt32)]])
  func `ranks that cannot come from a whole feed are those of the last events, which is known`(events: [(Symbol, UInt32, UInt32)]) {
    var snapshot = Snapshot<Ranked>(followsRanks: true)
    for (symbol, rank, previous) in events { snapshot.keep(ranked(symbol, rank, previous: previous)) }
    #expect(snapshot.hasLostRanks)
    var last: [Symbol: UInt32] = [:]
    for (symbol, rank, _) in events { last[symbol] = rank }
    #expect(Set(snapshot.inOrder.map(\.symbol)) == Set(last.filter { $0.value > 0 }.keys))
    #expect(snapshot.inOrder.allSatisfy { $0.rank == last[$0.symbol] })
  }

  @Test func `a list of many pieces is followed too`() throws {
    var snapshot = Snapshot<Ranked>(followsRanks: true)
    // Each is inserted at rank 1, so the last one is first; then the last in the list goes to the front, again and again.
    for i in 0..<10_000 { snapshot.keep(ranked(try Symbol("M\(i)"), 1)) }
    for i in 0..<5000 { snapshot.keep(ranked(try Symbol("M\(i)"), 1, previous: 10_000)) }
    #expect(!snapshot.hasLostRanks)
    let expected = (0..<5000).reversed().map { "M\($0)" } + (5000..<10_000).reversed().map { "M\($0)" }
    #expect(snapshot.inOrder.map(\.symbol.description) == expected)
  }

  private static let rankings = """
    sources:
      ticks: { plugin: six_trades }
    processors:
      all: { plugin: sorting_feed, inputs: [ticks] }
      some: { plugin: sorting_feed, inputs: [ticks], top: 2 }
      mine: { plugin: watchlist_filter, inputs: [all], symbols: [AAPL] }
      first: { plugin: watchlist_filter, inputs: [some], symbols: [AAPL] }
      dear: { plugin: filter, inputs: [some], where: rank < 3 }
      again: { plugin: sorting_feed, inputs: [mine], order: ascending }
      both: { plugin: filter, inputs: [all, some], where: rank > 0 }
    sinks:
      late: { plugin: null_sink, inputs: [again, mine] }
      end: { plugin: null_sink, inputs: [first, dear, both] }
    """

  @Test(
    arguments: [
      ("ticks", nil), ("all", nil), ("some", nil), ("again", nil), ("first", nil),
      (
        "mine",
        "r.yaml:4:3: warning: 'mine' has only some of what 'all' tells, so its ranks may be out of date; print --from all with --where, or give 'all' a 'top: N'"
      ),
      (
        "dear",
        "r.yaml:5:3: warning: 'dear' has only some of what 'some' tells, so its ranks may be out of date; print --from some with --where"
      ),
      ("both", "warning: 'both' has several rankings; its ranks are those that each symbol's last event told"),
    ] as [(String, String?)])
  func `ranks that may be out of date are said to be, with what to do`(from: String, warning: String?) throws {
    let topology = try Topology.check(
      ConfigLoader().load(text: Self.rankings, file: "r.yaml"),
      catalogue: Catalogue([.sixTrades, .sortingFeed, .watchlistFilter, .filter, .nullSink]))
    func remarks(once: Bool, from: String?) throws -> [String] {
      var request = PrintJob.Request()
      request.once = once
      let plan = try PrintPlan(PrintJob(request) { _ in nil }, from: from, in: topology)
      PrintJob.forget(plan.number)
      return plan.remarks
    }
    #expect(try remarks(once: true, from: from) == (warning.map { [$0] } ?? []))
    #expect(try remarks(once: false, from: from) == [])
    #expect(
      try remarks(once: true, from: nil) == [
        "printing 'again', which the first sink, 'late', reads; --from prints another: 'mine', 'first', 'dear', 'both'"
      ])
  }
}
