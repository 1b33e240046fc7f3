import StockbusTestKit
import TestSupport
import Testing

@testable import CombinedQuotes

/// Random streams against models that look at the whole past for each event.
@Suite(.timeLimit(.minutes(15))) struct RandomTests {
  /// Quotes with equal, late and early times, small prices and sizes, and missing sides.
  private func quotes(_ count: Int, _ symbols: [Symbol], _ random: inout SplitMix) -> [Quote] {
    var now: Int64 = 0
    return (0..<count).map { _ in
      now += [0, 0, 1, 1, 2, 4][random.upTo(5)]
      let bid = Int64(random.upTo(6)) - 1
      var quote = quote(
        symbols[random.upTo(symbols.count - 1)], Price(raw: bid * 500_000_001), Price(raw: (bid + Int64(random.upTo(3))) * 500_000_001),
        sizes: (Quantity(raw: Int64(random.upTo(3)) * second), Quantity(raw: Int64(random.upTo(3)) * second)), at: now)
      quote.time = at(now - [0, 0, 0, 1, 3, -2, -9][random.upTo(6)])
      return quote
    }
  }

  private struct Known {
    var sides: Sides
    var time: Int64
    var received: Int64
  }

  /// The newest quote by time of those given, the later one of equal times, with the receipt of the last that was not late.
  private func newest(_ quotes: some Sequence<Quote>) -> Known? {
    var known: Known?
    for quote in quotes where known.map({ quote.fairTime >= $0.time }) ?? true {
      known = Known(sides: Sides(quote), time: quote.fairTime, received: quote.received.ns)
    }
    return known
  }

  @Test func `the best quote is that of the model`() async throws {
    var seen = 0
    for seed in 0..<rounds(60, cost: 50) {
      var random = SplitMix(seed)
      let symbols: [Symbol] = ["A", "B"]
      let inputs = (0...random.upTo(2)).map { _ in quotes(30, symbols, &random) }
      let stale: Int64? = ([nil, 1, 3, 7] as [Int64?])[random.upTo(3)].map { $0 * second }
      // In the order of receipts, ties by input.
      let all = inputs.enumerated().flatMap { lane, quotes in quotes.enumerated().map { (lane: lane, number: $0, quote: $1) } }
        .sorted { ($0.quote.received.ns, $0.lane, $0.number) < ($1.quote.received.ns, $1.lane, $1.number) }
      var expected: [String] = []
      var last: [Symbol: Sides] = [:]
      func look(_ symbol: Symbol, after count: Int, at time: Int64, judging moment: Int64) {
        let venues = inputs.indices.compactMap { lane in
          newest(all[..<count].filter { $0.lane == lane && $0.quote.symbol == symbol }.map(\.quote))
        }
        .filter { known in stale.map { known.received + $0 > moment } ?? true }
        let bids = venues.compactMap(\.sides.bid)
        let asks = venues.compactMap(\.sides.ask)
        let (bid, ask) = (bids.map(\.price).max(), asks.map(\.price).min())
        let sides = Sides(
          bid: bid.map { price in Level(price: price, size: bids.filter { $0.price == price }.reduce(0) { $0 + $1.size }) },
          ask: ask.map { price in Level(price: price, size: asks.filter { $0.price == price }.reduce(0) { $0 + $1.size }) })
        if sides == last[symbol] ?? Sides() { return }
        last[symbol] = sides
        expected.append(line(sides.quote(symbol, time: 0, received: time, priceDecimals: 0, sizeDecimals: 0)))
      }
      var before = morning - 100 * second
      for count in all.indices {
        let time = all[count].quote.received.ns
        // Whole seconds only: what becomes stale does so at one of the seconds up to the event, its own excepted.
        while stale != nil, before < time {
          let order = all.map(\.quote.symbol).reduce(into: [Symbol]()) { if !$0.contains($1) { $0.append($1) } }
          for symbol in order { look(symbol, after: count, at: before, judging: before) }
          before += second
        }
        // What becomes stale at the very receipt of an event still counts for it.
        look(all[count].quote.symbol, after: count + 1, at: time, judging: time - 1)
      }
      let given = try await lines(stale.map { "{ best: true, stale: \($0 / second)s }" } ?? "best: true", inputs)
      #expect(given == expected, "seed \(seed)")
      seen += expected.count
    }
    #expect(seen > 1000)
  }

  @Test func `the value of the legs is that of the model`() async throws {
    var seen = 0
    for seed in 0..<rounds(60, cost: 50) {
      var random = SplitMix(seed + 1000)
      let symbols: [Symbol] = ["A", "B", "C", "D"]
      let quotes = quotes(80, symbols, &random)
      let weights: [Int64] = (0..<3).map { _ in [1_000_000_000, -400_000_000, 333_333_333, -2_000_000_000][random.upTo(3)] }
      let stale: Int64? = ([nil, 2, 6] as [Int64?])[random.upTo(2)].map { $0 * second }
      var expected: [String] = []
      var last = Sides()
      for count in quotes.indices where symbols.prefix(3).contains(quotes[count].symbol) {
        let past = quotes[...count]
        let time = quotes[count].received.ns
        // A late event changes nothing.
        let own = past.filter { $0.symbol == quotes[count].symbol }
        if own.contains(where: { $0.fairTime > quotes[count].fairTime }) { continue }
        let legs = symbols.prefix(3).map { symbol in newest(past.filter { $0.symbol == symbol }) }
        if legs.contains(where: { $0.map { known in stale.map { known.received + $0 < time } ?? false } ?? true }) { continue }
        func side(bid: Bool) -> Level? {
          var (sum, least) = (0 as Int128, Int128(Quantity.most.raw))
          for (weight, known) in zip(weights, legs) {
            guard let side = bid == (weight > 0) ? known?.sides.bid : known?.sides.ask else { return nil }
            sum += Int128(weight) * Int128(side.price)
            least = min(least, Int128(side.size) * 1_000_000_000 / Int128(abs(weight)))
          }
          // Rounded down, then up where the rest is above a half, or is one and the number odd.
          var floor = sum / 1_000_000_000
          if floor * 1_000_000_000 > sum { floor -= 1 }
          let rest = sum - floor * 1_000_000_000
          if rest > 500_000_000 || rest == 500_000_000 && floor % 2 != 0 { floor += 1 }
          return Level(price: Int64(floor), size: Int64(least))
        }
        let now = Sides(bid: side(bid: true), ask: side(bid: false))
        if now == last { continue }
        last = now
        expected.append(line(now.quote("X", time: 0, received: time, priceDecimals: 0, sizeDecimals: 0)))
      }
      let names = zip(symbols, weights).map { "\($0): \(LegWeight(raw: $1))" }.joined(separator: ", ")
      let options = "{ symbol: X, legs: { \(names) }\(stale.map { ", stale: \($0 / second)s" } ?? "") }"
      #expect(try await lines(options, [quotes]) == expected, "seed \(seed)")
      seen += expected.count
    }
    #expect(seen > 500)
  }

  @Test func `a damaged memory traps nowhere`() throws {
    var restored = 0
    for seed in 0..<rounds(400, cost: 5) {
      var random = SplitMix(seed + 2000)
      var settings = CombineSettings()
      settings.symbol = "X"
      settings.legs = ["A": 1_000_000, "B": -1]
      settings.base = random.oneIn(2) ? 100 : nil
      settings.stale = random.oneIn(2) ? .seconds(2) : nil
      let events = quotes(40, ["A", "B"], &random)
      var basket = Basket(settings)
      var best = BestMarket(settings)
      best.attend(to: ["one", "two"])
      func take(_ quote: Quote) {
        basket.advance(to: quote.received.ns - 1)
        if let place = basket.place(of: quote.symbol) { _ = basket.take(quote, of: place) }
        best.advance(to: quote.received.ns - 1) { _ in }
        _ = best.take(quote, from: random.upTo(1))
      }
      for quote in events.prefix(20) { take(quote) }
      if let left = try damaged(basket.snapshot, &random) {
        basket = Basket(settings)
        basket.restore(left)
        restored += 1
      }
      if let left = try damaged(best.snapshot, &random) {
        best = BestMarket(settings)
        best.restore(left)
        best.attend(to: ["two", "one"])
        restored += 1
      }
      for quote in events.suffix(20) { take(quote) }
    }
    #expect(restored > 50)
  }

  @Test func `quotients are rounded half to even, and do not trap`() {
    func divide(_ a: Int128, _ b: UInt128) -> Int64? { roundedQuotient(a.magnitude.multipliedFullWidth(by: 1), b, isNegative: a < 0) }
    #expect([1, 3, 5, -1, -3, -5].map { divide($0, 2) } == [0, 2, 2, 0, -2, -2])
    #expect(divide(Int128(Int64.max) * 2 + 1, 2) == nil && divide(Int128(Int64.min) * 2, 2) == .min)
    #expect(divide(.max, 1) == nil && divide(.min, 1) == nil)
  }
}
