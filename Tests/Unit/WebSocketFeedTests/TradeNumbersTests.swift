import MarketData
import StockbusDecoding
import StockbusPlugin
import TestSupport
import Testing

@testable import WebSocketFeed

private func at(_ ms: Int64) -> Timestamp { Timestamp(ns: ms * 1_000_000) }

@Suite struct TradeNumbersTests {
  private func ranges(_ numbers: TradeNumbers, told: Bool = false) -> [ClosedRange<Int64>] {
    numbers.holes.filter { $0.isTold == told }.map(\.range)
  }

  @Test func `a jump opens a hole, what comes late fills it, and what has come is a double`() {
    var numbers = TradeNumbers(7, at: at(0))
    #expect(numbers.take(8, at: at(1), due: .zero) == .next)
    #expect(numbers.take(12, at: at(2), due: .seconds(3)) == .opens)
    #expect(numbers.holes == [.init(first: 9, last: 11, since: at(1), due: .seconds(3))])
    #expect(numbers.take(10, at: at(1), due: .zero) == .fills)
    #expect(ranges(numbers) == [9...9, 11...11])
    #expect(numbers.take(10, at: at(1), due: .zero) == .double)
    #expect(numbers.take(12, at: at(2), due: .zero) == .double)
    #expect(numbers.take(9, at: at(1), due: .zero) == .fills)
    #expect(numbers.take(11, at: at(1), due: .zero) == .fills)
    #expect(numbers.holes == [])
    // Numbers below the first one.
    #expect(numbers.take(6, at: at(0), due: .zero) == .fills)
    #expect(numbers.take(3, at: at(0), due: .zero) == .opens)
    #expect(ranges(numbers) == [4...5])
  }

  @Test func `known numbers with a much later time are a new beginning`() {
    var numbers = TradeNumbers(100, at: at(5000))
    #expect(numbers.take(1, at: at(6001), due: .zero) == .restarts)
    #expect(numbers.take(100, at: at(6001), due: .zero) == .restarts)
    #expect(numbers.last == 100 && numbers.holes == [])
    #expect(numbers.take(100, at: at(6000), due: .zero) == .double)
  }

  @Test func `what was told is not fetched, but taken if it comes`() {
    var numbers = TradeNumbers(0, at: at(0))
    #expect(numbers.take(10, at: at(1), due: .zero) == .opens)
    #expect(numbers.tell(4...6).map(\.range) == [4...6])
    #expect(ranges(numbers) == [1...3, 7...9] && ranges(numbers, told: true) == [4...6])
    #expect(numbers.tell(0...100).map(\.range) == [1...3, 7...9])
    #expect(!numbers.misses(5) && !numbers.remove(5, onlyOpen: true))
    #expect(numbers.take(5, at: at(0), due: .zero) == .fills)
    #expect(ranges(numbers, told: true) == [1...3, 4...4, 6...6, 7...9])
    numbers.postpone(0...100, until: .seconds(9), wasInVain: true)
    #expect(numbers.holes.allSatisfy { $0.attempts == 0 })
  }

  @Test func `behind a recording everything up to its last number has come`() {
    var numbers = TradeNumbers(after: 100, at: at(5000))
    #expect(numbers.take(100, at: at(5000), due: .zero) == .double)
    #expect(numbers.take(3, at: at(0), due: .zero) == .double)
    #expect(numbers.take(103, at: at(9000), due: .seconds(1)) == .opens)
    #expect(numbers.holes == [.init(first: 101, last: 102, since: at(5000), due: .seconds(1))])
    #expect(numbers.take(101, at: at(5001), due: .zero) == .fills)
    // A venue that has begun its numbers anew since.
    #expect(numbers.take(1, at: at(10_001), due: .zero) == .restarts)
  }

  @Test func `a series whose trades cannot be fetched tells at once what is missing`() {
    let past = VenueNumbers([
      .init(series: "match", symbol: "A", number: 10), .init(series: "gone", symbol: "A", number: 5),
    ])
    var filler = GapFiller([], series: ["other", "match"], after: past) { _ in at(5000) }
    func admits(_ number: Int64, _ ms: Int64, of symbol: Symbol = "A", series: Int32 = 1) -> Bool {
      filler.admit(number, series: series, of: symbol, at: at(ms), now: .zero)
    }
    #expect(!admits(9, 4000) && !admits(10, 5000))
    let before = filler.takeTold()
    #expect(before == [] && admits(13, 6000))
    let told = filler.takeTold()
    #expect(told == [.init(stream: "match A", expected: 11, got: 13)])
    #expect(filler.nextDue == nil)
    // One of the gap that comes by itself is sent, without a further gap; once.
    #expect(admits(12, 5500))
    #expect(!admits(12, 5500) && admits(14, 6001))
    // A symbol that the past has not begins with its first number.
    #expect(admits(1, 0, of: "B") && admits(7, 0, series: 0))
    let after = filler.takeTold()
    #expect(after == [])
  }

  @Test func `the lowest of too many holes is forgotten`() {
    var numbers = TradeNumbers(0, at: at(0))
    var forgotten: [ClosedRange<Int64>] = []
    for number in 1...300 as ClosedRange<Int64> {
      #expect(numbers.take(2 * number, at: at(0), due: .zero) == .opens)
      if let hole = numbers.shrink() { forgotten.append(hole.range) }
    }
    #expect(numbers.holes.count == 256)
    let lowest: [Int64] = (0..<44).map { 2 * $0 + 1 }
    #expect(forgotten.map(\.lowerBound) == lowest && forgotten.map(\.upperBound) == lowest)
    #expect(numbers.take(1, at: at(0), due: .zero) == .double)
  }

  @Test func `numbers at the ends of the range do no harm`() {
    var numbers = TradeNumbers(.min, at: Timestamp(ns: .min))
    #expect(numbers.take(.max, at: Timestamp(ns: .max), due: .zero) == .opens)
    #expect(ranges(numbers) == [.min + 1 ... .max - 1])
    #expect(numbers.take(.min, at: Timestamp(ns: .min), due: .zero) == .double)
    #expect(numbers.take(0, at: Timestamp(ns: 0), due: .zero) == .fills)
    let key = GapFiller.Key(series: 0, symbol: "A")
    for hole in numbers.holes { for beginning in [FillPlan.Beginning.from, .before, .since] { _ = Pursuit(key, hole, beginning) } }
  }

  @Test(arguments: 0..<200) func `holes are what a list of all numbers says`(seed: Int) {
    var random = SplitMix(seed)
    let start = Int64(random.upTo(40))
    var numbers = TradeNumbers(start, at: at(0))
    var come: Set<Int64> = [start]
    var told: Set<Int64> = []
    for _ in 0..<100 {
      if random.oneIn(8) {
        let range = Int64(random.upTo(20))...Int64(20 + random.upTo(20))
        for hole in numbers.tell(range) { for number in hole.range { #expect(told.insert(number).inserted) } }
        continue
      }
      let number = Int64(random.upTo(40))
      let verdict = numbers.take(number, at: at(0), due: .zero)
      #expect((verdict == .double) == come.contains(number))
      come.insert(number)
      told.remove(number)
      let span = (come.min() ?? 0)...(come.max() ?? 0)
      let missing = Set(span).subtracting(come).subtracting(told)
      #expect(Set(ranges(numbers).joined()) == missing)
      #expect(Set(ranges(numbers, told: true).joined()) == told)
      #expect(zip(numbers.holes, numbers.holes.dropFirst()).allSatisfy { $0.last < $1.first })
    }
  }
}

@Suite struct PursuitTests {
  private let key = GapFiller.Key(series: 0, symbol: "A")

  /// The hole 10...19 after a trade at 1000 ms.
  private func pursuit(_ beginning: FillPlan.Beginning) -> Pursuit {
    Pursuit(key, TradeNumbers.Hole(first: 10, last: 19, since: at(1000), due: .zero), beginning)
  }

  /// Rows of these numbers; number 10 is of 1010 ms.
  private func rows(_ numbers: some Sequence<Int64>) -> [FillPlan.Row] {
    numbers.map { FillPlan.Row(Trade(symbol: "A", price: 1, size: 1, time: at(1000 + $0), received: at(0)), number: $0) }
  }

  @Test func `pages that begin at a number`() {
    var way = pursuit(.from)
    #expect(way.from == 10)
    #expect(way.take(rows([10, 11, 14])) == .more)
    #expect(way.from == 15 && way.covered == 10...14)
    #expect(way.take(rows([])) == .stalled)
    #expect(way.take(rows([12])) == .stalled)
    #expect(way.take(rows([18, 21])) == .done)
    #expect(way.covered == 10...19 && way.pages == 4)
  }

  @Test func `pages that lead back begin with the trade after the hole`() {
    var way = pursuit(.before)
    #expect(way.before == 21)
    // Without number 20 the REST may be behind.
    #expect(way.take(rows([19, 18])) == .stalled)
    #expect(way.covered == nil)
    #expect(way.take(rows([20, 18, 15])) == .more)
    #expect(way.before == 15 && way.covered == 15...19)
    #expect(way.take(rows([16])) == .stalled)
    #expect(way.take(rows([14, 9])) == .done)
    #expect(way.covered == 10...19)
  }

  @Test func `pages that begin at a time`() {
    var way = pursuit(.since)
    #expect(way.since == at(999))
    #expect(way.take(rows([9, 10, 12])) == .more)
    // Other trades of the last one's time may be on the next page.
    #expect(way.since == Timestamp(ns: 1_011_999_999) && way.covered == 10...10)
    #expect(way.take(rows([12])) == .stalled)
    #expect(way.take(rows([12, 13, 20])) == .done)
    #expect(way.covered == 10...19)
  }
}
