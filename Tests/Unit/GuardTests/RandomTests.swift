import StockbusInstruments
import StockbusTestKit
import TestSupport
import Testing

@testable import Guard

/// Random streams against models that look at the whole past for each event.
@Suite(.timeLimit(.minutes(15))) struct RandomTests {
  /// Trades with equal, late and early times, and prices that jump.
  private func trades(_ count: Int, _ random: inout SplitMix) -> [Trade] {
    var now: Int64 = 0
    var level = [100, 20] as [Int64]
    return (0..<count).map { number in
      now += [0, 0, 1, 3, 10, 60][random.upTo(5)]
      let symbol = random.upTo(1)
      if random.oneIn(25) { level[symbol] = [20, 30, 100, 110][random.upTo(3)] }
      let price = random.oneIn(6) ? [1, 25, 125, 500][random.upTo(3)] : level[symbol] + Int64(random.upTo(3))
      var trade = trade(["A", "B"][symbol], at: now, Price(raw: price * 1_000_000_000))
      trade.size = Quantity(raw: Int64(number))
      trade.time = at(now - [0, 0, 0, 2, 5, 20, 21, 80, -4, -30][random.upTo(9)])
      return trade
    }
  }

  /// The events that are not too late, in the order of their times, with the moments at which they go; and the others.
  private func order(_ trades: [Trade], late: Int64) -> (gone: [Trade], tooLate: [Trade]) {
    var accepted: [(number: Int, trade: Trade)] = []
    var tooLate: [Trade] = []
    for (number, trade) in trades.enumerated() {
      let reached = accepted.map { $0.trade.received.ns + late < trade.received.ns ? $0.trade.time.ns : $0.trade.time.ns - late }.max()
      if trade.time.ns < reached ?? .min { tooLate.append(trade) } else { accepted.append((number, trade)) }
    }
    let gone = accepted.sorted { ($0.trade.time.ns, $0.number) < ($1.trade.time.ns, $1.number) }.map { own in
      // When one that is so much newer has come, or the wait of this one, or of a newer one, has ended.
      let newer = accepted.filter { $0.trade.time.ns - late >= own.trade.time.ns }.map(\.trade.received.ns)
      let ended = accepted.filter { $0.trade.time >= own.trade.time }.map { $0.trade.received.ns + late }
      var trade = own.trade
      trade.received = Timestamp(ns: max(own.trade.received.ns, (newer + ended).min() ?? 0))
      return trade
    }
    return (gone, tooLate)
  }

  /// Which of these are odd, with the percentage and the number of prices.
  private func odd(_ trades: [Trade], _ percent: Int128, of count: Int) -> [Bool] {
    var windows: [Symbol: (prices: [Int128], odd: [Int128])] = [:]
    func isNear(_ price: Int128, _ prices: [Int128]) -> Bool {
      let sorted = prices.sorted()
      let double = sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]
      return abs(2 * price - double) * 100 <= percent * abs(double)
    }
    return trades.map { trade in
      var (prices, odd) = windows[trade.symbol] ?? ([], [])
      defer { windows[trade.symbol] = (prices, odd) }
      let price = Int128(trade.price.raw)
      if prices.count * 2 < count || isNear(price, prices) {
        prices = (prices + [price]).suffix(count)
        odd = []
        return false
      }
      odd = (odd + [price]).suffix(3)
      if odd.count < 3 || !odd.allSatisfy({ isNear($0, odd) }) { return true }
      (prices, odd) = (odd, [])
      return false
    }
  }

  @Test func `both halves are those of the model`() async throws {
    var seen = (odd: 0, tooLate: 0, moved: 0)
    for seed in 0..<rounds(60, cost: 50) {
      var random = SplitMix(seed)
      let trades = trades(120, &random)
      let late = [0, 1, 20, 50][random.upTo(3)] as Int64
      let (percent, count) = ([5, 20, 50][random.upTo(2)] as Int128, [3, 4, 11][random.upTo(2)])
      let (gone, tooLate) = order(trades, late: late * milli)
      let isOdd = odd(gone, percent, of: count)
      let options = "{ late: \(late)ms, odd: \(percent)%, of: \(count) }"
      let harness = PluginHarness()
      let kept = try await output(options, trades, in: harness)
      #expect(kept == zip(gone, isOdd).filter { !$1 }.map(\.0), "seed \(seed)")
      #expect(try await output(options, trades, odd: true) == zip(gone, isOdd).filter { $1 }.map(\.0), "seed \(seed)")
      #expect(harness.counter("too late") ?? 0 == tooLate.count, "seed \(seed)")
      seen.odd += isOdd.count { $0 }
      seen.tooLate += tooLate.count
      seen.moved += zip(gone, gone.dropFirst()).count { $0.size > $1.size }
    }
    #expect(seen.odd > 300 && seen.tooLate > 300 && seen.moved > 300, "\(seen)")
  }

  private func settings(_ random: inout SplitMix) -> GuardSettings {
    var settings = GuardSettings()
    settings.late = random.oneIn(5) ? nil : .milliseconds([0, 1, 20, 50][random.upTo(3)])
    settings.odd = random.oneIn(4) ? nil : 20
    settings.of = [3, 11][random.upTo(1)]
    settings.tooLate = random.oneIn(2) ? .drop : .pass
    return settings
  }

  /// Takes events, and at last lets all go; `change` may replace the state before each event, and say up to when there is a pause.
  private func run(
    _ trades: [Trade], _ settings: GuardSettings, limit: Int = 1000, _ change: (inout GuardState<Trade>, Trade) -> Int64? = { _, _ in nil }
  ) -> [String] {
    var state = GuardState<Trade>(settings, Instruments(), limit: limit)
    var gone: [String] = []
    func note(_ verdict: GuardState<Trade>.Verdict, _: KeptRows) {
      gone.append("\(verdict.event.size) \(verdict.fate) @\(verdict.received)")
    }
    for trade in trades {
      if let pause = change(&state, trade) { state.advance(to: pause, note) }
      state.advance(to: trade.received.ns.subtractingSaturating(1), note)
      withUnsafePointer(to: trade) { state.take($0, note) }
    }
    while let due = state.due { state.advance(to: due, note) }
    return gone
  }

  @Test func `an instance that takes over in mid-stream, and pauses, make no difference`() throws {
    for seed in 0..<rounds(100, cost: 20) {
      var random = SplitMix(seed + 1000)
      let trades = trades(100, &random)
      let settings = settings(&random)
      let pieces = run(trades, settings) { state, next in
        if random.oneIn(4), let left = try? written(state.snapshot) {
          state = GuardState(settings, Instruments(), limit: 1000)
          state.restore(left)
        }
        return random.oneIn(3) ? next.received.ns - 1 - Int64(random.upTo(2)) * milli : nil
      }
      #expect(pieces == run(trades, settings), "seed \(seed)")
    }
  }

  @Test func `nothing is lost, and receipts never go back, however few may wait and whatever the options become`() {
    for seed in 0..<rounds(100, cost: 20) {
      var random = SplitMix(seed + 2000)
      let trades = trades(100, &random)
      let limit = random.upTo(6)
      var last = Int64.min
      let gone = run(trades, settings(&random), limit: limit) { state, _ in
        guard random.oneIn(8) else { return nil }
        let left = state.snapshot
        state = GuardState(settings(&random), Instruments(), limit: limit)
        state.restore(left)
        return nil
      }
      #expect(gone.count == trades.count, "seed \(seed)")
      for text in gone {
        let received = text.split(separator: "@").last.flatMap { Int64($0) } ?? .min
        #expect(received >= last, "seed \(seed)")
        last = received
      }
    }
  }

  @Test func `a damaged memory, and times at both ends, trap nowhere`() throws {
    let ends: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    var restored = 0
    for seed in 0..<rounds(300, cost: 5) {
      var random = SplitMix(seed + 3000)
      var all = trades(60, &random)
      if random.oneIn(3) {
        for i in all.indices where random.oneIn(5) {
          (all[i].time, all[i].received) = (Timestamp(ns: ends[random.upTo(6)]), Timestamp(ns: ends[random.upTo(6)]))
        }
      }
      let settings = settings(&random)
      _ = run(all, settings) { state, _ in
        guard random.oneIn(10), let left = try? damaged(state.snapshot, &random) else { return nil }
        state = GuardState(settings, Instruments(), limit: 1000)
        state.restore(left)
        restored += 1
        return nil
      }
    }
    #expect(restored > 50)
  }
}
