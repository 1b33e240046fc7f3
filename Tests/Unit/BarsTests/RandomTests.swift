import TestSupport
import StockbusPlugin
import Testing

@testable import Bars

/// Random streams against the model, and the law that batches, pauses and calls of `advance` make no difference.
@Suite(.timeLimit(.minutes(15))) struct RandomTests {
  /// Rules with up to three lengths; with `short` ones, so that many bars close.
  static func rules(_ random: inout SplitMix) -> BarRules {
    var all = ["1s", "3s", "7s", "1m", "1d", "1w", "3t", "10v"].compactMap { BarLength($0) }
    all.shuffle(using: &random)
    return BarRules(
      lengths: Array(all.prefix(1 + random.upTo(2))), wait: [0, 1, 200_000_000, 1_500_000_000][random.upTo(3)],
      late: [0, 1, second, 10 * second][random.upTo(3)], fills: [0, 0, 1, 3][random.upTo(3)])
  }

  static func trades(_ count: Int, symbols: [Symbol], _ random: inout SplitMix) -> [Trade] {
    var now = morning + Int64(random.upTo(1_000_000_000)) - 500_000_000
    return (0..<count).map { _ in
      // Many at the same time, some on whole seconds, where bars end, and some pauses.
      switch random.upTo(9) {
      case 0...3: break
      case 4...7: now += Int64(random.upTo(600_000_000))
      case 8: now += second - now % second + [0, 0, 200_000_000, 200_000_001][random.upTo(3)]
      default: now += Int64(random.upTo(20)) * second
      }
      var lag: Int64
      switch random.upTo(9) {
      case 0...5: lag = 0
      case 6...7: lag = Int64(random.upTo(2_000_000_000))
      case 8: lag = Int64(random.upTo(15)) * second
      default: lag = -Int64(random.upTo(6_000_000_000))
      }
      if random.oneIn(20) { lag = [-5 * second, -5 * second - 1, second, 60 * second][random.upTo(3)] }
      let size = random.oneIn(30) ? -1 : Int64(random.upTo(4))
      return Trade(
        symbol: symbols[random.upTo(symbols.count - 1)], price: Price(raw: 10_000_000_000 + Int64(random.upTo(40)) * 333_333_333),
        size: Quantity(raw: size * 700_000_000), time: Timestamp(ns: now - lag), received: Timestamp(ns: now),
        priceDecimals: UInt8(random.upTo(3)), sizeDecimals: UInt8(random.upTo(2)))
    }
  }

  /// Passes trades in random batches, with random calls of `advance` between them.
  static func pass(_ trades: [Trade], _ driver: inout Driver, _ random: inout SplitMix, handingOver rules: BarRules? = nil) {
    var at = 0
    while at < trades.count {
      let end = min(trades.count, at + random.upTo(12))
      driver.take(trades[at..<end])
      if end < trades.count, random.oneIn(2) {
        let (least, next) = (end == 0 ? trades[0].received.ns - 10 : trades[end - 1].received.ns - 1, trades[end].received.ns - 1)
        for _ in 0...random.upTo(2) { driver.advance(to: Int64.random(in: min(least, next)...next, using: &random)) }
      }
      if let rules, random.oneIn(4) { driver.handOver(to: rules) }
      at = end
    }
  }

  /// What no run has left is refused, or does no harm.
  @Test func `a damaged memory traps nowhere`() throws {
    var restored = 0
    for seed in 0..<rounds(300, cost: 5) {
      var random = SplitMix(seed + 9_000_000)
      var rules = Self.rules(&random)
      rules.keepsComponents = random.oneIn(3)
      let trades = Self.trades(80, symbols: ["A", "B", "C"], &random)
      let bars = trades.map {
        Bar(
          symbol: $0.symbol, open: $0.price, high: $0.price, low: $0.price, close: $0.price, volume: $0.size, time: $0.time,
          received: $0.received)
      }
      var driver = Driver(rules)
      for part in [0..<40, 40..<60, 60..<80] {
        if rules.keepsComponents { driver.take(bars[part]) } else { driver.take(trades[part]) }
        if part.upperBound < 80, try driver.handOverDamaged(to: rules, &random) { restored += 1 }
      }
      driver.drain()
    }
    #expect(restored > 50)
  }

  @Test func `bars are those of the model, whatever the batches, pauses and calls of advance`() {
    var wrong: [Int] = []
    var seen = (bars: 0, revisions: 0, late: 0, fills: 0)
    for seed in 0..<rounds(400, cost: 5) {
      var random = SplitMix(seed)
      let rules = Self.rules(&random)
      let trades = Self.trades(120, symbols: ["A", "B", "C"], &random)
      var model = BarModel(rules)
      model.run(trades)
      model.drain()
      var whole = Driver(rules)
      whole.take(trades)
      whole.drain()
      var split = Driver(rules)
      Self.pass(trades, &split, &random)
      split.drain()
      if whole.outcome != model.outcome || split.outcome != model.outcome { wrong.append(seed) }
      seen.bars += model.outcome.bars.count
      seen.revisions += model.outcome.bars.count { $0.revision > 0 }
      seen.fills += model.outcome.bars.count { $0.count == 0 }
      seen.late += model.outcome.refusals.count { $0.contains("late") }
    }
    #expect(wrong == [])
    #expect(seen.bars > 10_000 && seen.revisions > 500 && seen.late > 1000 && seen.fills > 1000, "\(seen)")
  }

  @Test func `an instance that takes over in mid-stream continues exactly`() {
    var wrong: [Int] = []
    for seed in 0..<rounds(200, cost: 5) {
      var random = SplitMix(seed + 1_000_000)
      let rules = Self.rules(&random)
      let trades = Self.trades(120, symbols: ["A", "B", "C"], &random)
      var whole = Driver(rules)
      whole.take(trades)
      whole.drain()
      var split = Driver(rules)
      Self.pass(trades, &split, &random, handingOver: rules)
      split.drain()
      if whole.outcome != split.outcome { wrong.append(seed) }
    }
    #expect(wrong == [])
  }

  @Test func `what is sent never goes back in its receipt`() {
    for seed in 0..<rounds(50, cost: 5) {
      var random = SplitMix(seed + 2_000_000)
      let outcome = bars(Self.trades(200, symbols: ["A", "B"], &random), Self.rules(&random))
      #expect(zip(outcome.bars, outcome.bars.dropFirst()).allSatisfy { $0.received <= $1.received }, "\(seed)")
    }
  }

  @Test func `receipts that go back, and times at both ends, stop nothing`() {
    let ends: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 6 * second, .max - 1, .max]
    for seed in 0..<rounds(200, cost: 5) {
      var random = SplitMix(seed + 3_000_000)
      var rules = Self.rules(&random)
      if random.oneIn(2) { rules.wait = 3600 * second }
      var driver = Driver(rules)
      var components = rules
      components.lengths = [.time(60 * second), .day, .week]
      components.keepsComponents = true
      var longer = Driver(components)
      var taken = 0
      for _ in 0..<60 {
        let time = ends[random.upTo(ends.count - 1)]
        let received = ends[random.upTo(ends.count - 1)]
        driver.take([
          Trade(
            symbol: "A", price: Price(raw: random.oneIn(2) ? .max : .min), size: Quantity(raw: random.oneIn(2) ? .max : 1),
            time: Timestamp(ns: time), received: Timestamp(ns: received))
        ])
        if random.oneIn(5) { driver.advance(to: ends[random.upTo(ends.count - 1)]) }
        longer.take(driver.outcome.bars[taken...])
        taken = driver.outcome.bars.count
      }
      driver.drain()
      longer.take(driver.outcome.bars[taken...])
      longer.drain()
    }
  }
}
