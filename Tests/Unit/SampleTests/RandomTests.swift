import StockbusPlugin
import TestSupport
import Testing

@testable import Sample

/// Random streams against the model, and the law that batches, pauses and calls of `advance` make no difference.
@Suite(.timeLimit(.minutes(15))) struct RandomTests {
  private static func trades(_ count: Int, _ random: inout SplitMix) -> [Trade] {
    let symbols: [Symbol] = ["A", "B", "C", "D"]
    var milliseconds: Int64 = 0
    return (0..<count).map { n in
      // Many at the same time, many on the ends of intervals, and some pauses.
      milliseconds += [0, 0, 1, 10, 50, 100, 100, 1000, 3700][random.upTo(8)]
      return trade(symbols[random.upTo(3)], Price(raw: Int64(n) * 1_000_000_000), at: milliseconds, random.oneIn(4) ? .oddLot : .regular)
    }
  }

  private static func pass(_ trades: [Trade], _ driver: inout Driver, _ random: inout SplitMix, handingOver every: Int64? = nil) throws {
    var at = 0
    while at < trades.count {
      let end = min(trades.count, at + random.upTo(12))
      driver.take(trades[at..<end])
      if end > at, end < trades.count, random.oneIn(2) {
        let (least, most) = (trades[end - 1].received.ns, trades[end].received.ns - 1)
        for _ in 0...random.upTo(2) where least <= most { driver.advance(to: Int64.random(in: least...most, using: &random)) }
      }
      if let every, random.oneIn(4) { try driver.handOver(every: every) }
      at = end
    }
  }

  @Test func `what is sent is what the model sends, whatever the batches, pauses, calls of advance and instances`() throws {
    var wrong: [Int] = []
    var (sent, filtered, passedOver) = (0, 0, 0)
    for seed in 0..<rounds(300, cost: 5) {
      var random = SplitMix(seed)
      let every = [1, 50, 100, 150, 1000, 60_000][random.upTo(5)] * 1_000_000 as Int64
      let trades = Self.trades(150, &random)
      var model = Model(every: every)
      model.take(trades)
      model.drain()
      var whole = Driver(every: every)
      whole.take(trades)
      whole.drain()
      var split = Driver(every: every)
      try Self.pass(trades, &split, &random)
      split.drain()
      var lives = Driver(every: every)
      try Self.pass(trades, &lives, &random, handingOver: every)
      lives.drain()
      let isRight = whole.sent == model.sent && split.sent == model.sent && lives.sent == model.sent
      let isAccounted = [whole.filtered, split.filtered, lives.filtered].allSatisfy { $0 + model.sent.count == trades.count }
      if !isRight || !isAccounted { wrong.append(seed) }
      sent += model.sent.count
      filtered += whole.filtered
      passedOver += whole.passedOver
    }
    #expect(wrong == [])
    #expect(sent > 10_000 && filtered > 5000 && passedOver > 500, "\(sent) \(filtered) \(passedOver)")
  }

  @Test func `receipts of what is sent never go back, also when the length changes`() throws {
    for seed in 0..<rounds(100, cost: 5) {
      var random = SplitMix(seed + 1_000_000)
      var driver = Driver(every: 100_000_000)
      let trades = Self.trades(120, &random)
      for part in 0..<6 {
        driver.take(trades[part * 20..<part * 20 + 20])
        try driver.handOver(every: [1, 40, 100, 2000][random.upTo(3)] * 1_000_000)
      }
      driver.drain()
      #expect(zip(driver.sent, driver.sent.dropFirst()).allSatisfy { $0.received <= $1.received }, "\(seed)")
      #expect(driver.sent.count + driver.filtered == trades.count, "\(seed)")
    }
  }

  @Test func `between two events of a symbol there is an interval`() {
    for seed in 0..<rounds(50, cost: 5) {
      var random = SplitMix(seed + 2_000_000)
      var driver = Driver(every: 100_000_000)
      driver.take(Self.trades(200, &random))
      for (_, sent) in Dictionary(grouping: driver.sent, by: \.symbol) {
        #expect(zip(sent, sent.dropFirst()).allSatisfy { $1.received.ns - $0.received.ns >= 100_000_000 }, "\(seed)")
      }
    }
  }

  @Test func `an event whose receipt goes back counts as received at the time reached`() {
    var driver = Driver(every: second)
    driver.take([trade("A", 1, at: 5000), trade("B", 1, at: 3000), trade("B", 2, at: 5500), trade("C", 1, at: 6000)])
    // B's interval is [5000, 6000).
    #expect(driver.sent.map(line) == ["A 1 @+5000", "B 1 @+3000", "B 2 @+6000", "C 1 @+6000"])
  }

  @Test func `receipts that go back, and times at both ends, stop nothing`() throws {
    let ends: [Int64] = [.min, .min + 1, -1, 0, 1, .max - second, .max - 1, .max]
    for seed in 0..<rounds(200, cost: 5) {
      var random = SplitMix(seed + 3_000_000)
      let every = [1_000_000, 86_400 * second][random.upTo(1)]
      var driver = Driver(every: every)
      for n in 0..<60 {
        let time = Timestamp(ns: ends[random.upTo(ends.count - 1)])
        driver.take([
          Trade(
            symbol: random.oneIn(2) ? "A" : "B", price: Price(raw: Int64(n)), size: Quantity(raw: .max), time: time,
            received: Timestamp(ns: ends[random.upTo(ends.count - 1)]))
        ])
        if random.oneIn(5) { driver.advance(to: ends[random.upTo(ends.count - 1)]) }
        if random.oneIn(9) { try driver.handOver(every: every) }
      }
      driver.drain()
      #expect(driver.sent.count + driver.filtered == 60, "\(seed)")
    }
  }

  /// What no run has left is refused, or does no harm.
  @Test func `a damaged memory traps nowhere`() throws {
    var restored = 0
    for seed in 0..<rounds(200, cost: 5) {
      var random = SplitMix(seed + 4_000_000)
      var driver = Driver(every: 100_000_000)
      let trades = Self.trades(60, &random)
      for part in [0..<30, 30..<45, 45..<60] {
        driver.take(trades[part])
        if try driver.handOverDamaged(every: 100_000_000, &random) { restored += 1 }
      }
      driver.drain()
    }
    #expect(restored > 50)
  }
}
