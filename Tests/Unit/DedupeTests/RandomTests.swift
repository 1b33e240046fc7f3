import StockbusPlugin
import TestSupport
import Testing

@testable import Dedupe

/// Random lines against the model, and what the state does at its limits.
@Suite(.timeLimit(.minutes(15))) struct RandomTests {
  /// One feed on several lines, each of which loses some events and delays others; in the order of their receipts.
  private static func feed(_ count: Int, lines: Int, _ random: inout SplitMix) -> [(line: Int, trade: Trade)] {
    var events: [(line: Int, trade: Trade)] = []
    var milliseconds: Int64 = 0
    for _ in 0..<count {
      milliseconds += [0, 0, 0, 1, 2, 30][random.upTo(5)]
      let (symbol, price) = ((["A", "B"] as [Symbol])[random.upTo(1)], Price(raw: Int64(random.upTo(3))))
      for line in 0..<lines where !random.oneIn(6) {
        let delay = Int64([0, 0, 1, 5, 60][random.upTo(4)])
        events.append((line, trade(price, of: symbol, at: milliseconds / 100, came: milliseconds + delay)))
      }
    }
    return events.enumerated().sorted { ($0.element.trade.received.ns, $0.offset) < ($1.element.trade.received.ns, $1.offset) }
      .map(\.element)
  }

  @Test func `what passes is what passes in the model, whatever the batches and instances`() throws {
    var wrong: [Int] = []
    var (passed, filtered, only) = (0, 0, 0)
    for seed in 0..<rounds(300, cost: 5) {
      var random = SplitMix(seed)
      let lines = 2 + random.upTo(2)
      let within = [1, 5, 20, 100, 10_000][random.upTo(4)] * 1_000_000 as Int64
      let feed = Self.feed(120, lines: lines, &random)
      let names = (0..<lines).map { "line \($0)" }
      var model = Model(within: within, lines: lines)
      var single = Driver<Trade>(within: within, lines: names)
      var batches = Driver<Trade>(within: within, lines: names)
      var batch: [Trade] = []
      for (n, (line, trade)) in feed.enumerated() {
        model.take(trade, from: line)
        single.take([trade], from: line)
        if random.oneIn(25) { try single.handOver() }
        batch.append(trade)
        if n + 1 == feed.count || feed[n + 1].line != line || random.oneIn(3) {
          batches.take(batch, from: line)
          batch = []
        }
      }
      model.drain()
      batches.drain()
      let isRight = single.passed == model.passed && batches.passed == model.passed && batches.onlyHere == model.onlyHere
      if !isRight || single.filtered + model.passed.count != feed.count || !batches.remembered.isEmpty { wrong.append(seed) }
      passed += model.passed.count
      filtered += single.filtered
      only += model.onlyHere.reduce(0, +)
    }
    #expect(wrong == [])
    #expect(passed > 10_000 && filtered > 10_000 && only > 2000, "\(passed) \(filtered) \(only)")
  }

  @Test func `what all lines have brought equally often is not kept`() {
    var driver = Driver<Trade>(within: second)
    driver.take([trade(10, came: 1), trade(10, came: 2), trade(11, came: 3)], from: 0)
    #expect(driver.remembered == [[2, 0], [1, 0]])
    driver.take([trade(10, came: 4), trade(11, came: 5)], from: 1)
    #expect(driver.remembered == [[2, 1]])
    // The first one is the second of line 0, and the other one a third.
    driver.take([trade(10, came: 6), trade(10, came: 7)], from: 1)
    #expect(driver.remembered == [[0, 1]])
    #expect(driver.passed.map(line) == ["A 10 @+1", "A 10 @+2", "A 11 @+3", "A 10 @+7"])
  }

  @Test func `with full memory the oldest content is forgotten, and counted`() {
    // A trade with its counts takes more than 64 and less than 256 bytes.
    var driver = Driver<Trade>(within: second, memory: 256 * 100)
    let trades = (0..<1000).map { trade(Price(raw: $0), came: 1) }
    driver.take(trades, from: 0)
    let kept = driver.remembered.count
    #expect(kept >= 100 && kept < 400)
    #expect(driver.forgottenEarly == 1000 - kept)
    // The latest ones are still known, and removed when they come again.
    driver.take(trades.suffix(kept), from: 1)
    #expect(driver.remembered.isEmpty && driver.filtered == kept)
    driver.take(trades.prefix(10), from: 1)
    #expect(driver.passed.count == 1010)
  }

  @Test func `long texts count as memory`() {
    var driver = Driver<Alert>(within: second, memory: 100_000)
    let alerts = (0..<100).map { n in
      Alert(symbol: "A", rule: "r\(n)", message: String(repeating: "x", count: 9000), price: 1, time: Timestamp(ns: 0))
    }
    driver.take(alerts, from: 0)
    #expect(driver.remembered.count == 10 && driver.forgottenEarly == 90)
    driver.take(alerts.suffix(10), from: 1)
    driver.take(alerts.prefix(10), from: 1)
    #expect(driver.filtered == 10 && driver.remembered.count == 10)
    // One may always stay, however long it is.
    driver.take([Alert(symbol: "B", rule: "", message: String(repeating: "y", count: 1 << 20), price: 1, time: Timestamp(ns: 0))], from: 0)
    #expect(driver.remembered == [[1, 0]])
  }

  @Test func `lines that come and go`() {
    var driver = Driver<Trade>(within: second, lines: ["a", "b"])
    driver.take([trade(10, came: 1), trade(11, came: 2)], from: 0)
    driver.attend(to: ["c", "b", "a"])
    #expect(driver.remembered == [[0, 0, 1], [0, 0, 1]])
    // The new line has not brought it yet.
    driver.take([trade(10, came: 3)], from: 0)
    driver.take([trade(10, came: 4)], from: 1)
    #expect(driver.remembered == [[0, 0, 1]])
    driver.take([trade(12, came: 5)], from: 2)
    driver.attend(to: ["b", "c"])
    // Copies of what a line has brought that is gone.
    driver.take([trade(11, came: 6), trade(12, came: 7)], from: 0)
    #expect(driver.passed.map(line) == ["A 10 @+1", "A 11 @+2", "A 12 @+5"])
    driver.attend(to: ["b"])
    #expect(driver.remembered.isEmpty)
    driver.take([trade(11, came: 8)], from: 0)
    #expect(driver.passed.count == 4)
  }

  @Test func `receipts that go back, and times at both ends, stop nothing`() throws {
    let ends: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    for seed in 0..<rounds(100, cost: 5) {
      var random = SplitMix(seed + 1_000_000)
      var driver = Driver<Trade>(within: [1_000_000, 86_400 * second][random.upTo(1)])
      for _ in 0..<60 {
        let (price, time) = (Price(raw: random.oneIn(2) ? .max : .min), Timestamp(ns: ends[random.upTo(ends.count - 1)]))
        driver.take(
          [Trade(symbol: "A", price: price, size: Quantity(raw: .max), time: Timestamp(ns: 0), received: time)], from: random.upTo(1))
        if random.oneIn(9) { try driver.handOver() }
      }
      #expect(driver.passed.count + driver.filtered == 60, "\(seed)")
    }
  }

  /// What no run has left is refused, or does no harm.
  @Test func `a damaged memory traps nowhere`() throws {
    var restored = 0
    for seed in 0..<rounds(200, cost: 5) {
      var random = SplitMix(seed + 2_000_000)
      var driver = Driver<Trade>(within: 20_000_000)
      for (n, (line, trade)) in Self.feed(40, lines: 2, &random).enumerated() {
        driver.take([trade], from: line)
        if n % 20 == 10, try driver.handOverDamaged(to: ["a", "b"], &random) { restored += 1 }
      }
      driver.drain()
    }
    #expect(restored > 50)
  }
}
