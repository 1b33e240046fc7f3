import EventBus
import Foundation
import MarketData
import TestSupport
import Testing

@testable import StockbusExpressions

/// What is kept over a restart, and the limits of memory.
@Suite struct SnapshotTests {
  /// The results with a restart at each of some places, through a file's text.
  private func restarted<E: Event>(
    _ functions: [String], _ events: [E], _ settings: ExpressionRunner<E>.Settings, at places: [Int]
  ) throws -> [[Int64?]] {
    let expressions = try functions.map { try condition($0, E.self) }
    var results = functions.map { _ in [Int64?]() }
    var snapshot = MemorySnapshot()
    for (begin, end) in zip([0] + places, places + [events.count]) {
      var runner = ExpressionRunner(expressions, settings)
      runner.restore(try JSONDecoder().decode(MemorySnapshot.self, from: JSONEncoder().encode(snapshot)))
      var at = begin
      while at < end {
        let batch = Array(events[at..<min(end, at + 256)])
        runner.take(batch)
        for (k, function) in functions.enumerated() { results[k] += runner.results(of: function, batch.count) }
        at += batch.count
      }
      snapshot = runner.snapshot()
    }
    return results
  }

  @Test func `a restart between any trades changes nothing`() throws {
    let events = WindowTests.trades(1000, seed: 5)
    let functions =
      WindowTests.functions.map(\.0) + [
        "ema(price, 9)", "rsi(price, 5)", "macd_signal(price, 3, 6, 3)", "stddev(price, 30s)", "zscore(price, 8)", "since(price > 100)",
      ]
    let settings = ExpressionRunner<Trade>.Settings(sessions: WindowTests.ShortSessions())
    let places = [1, 2, 30, 90, 91, 200, 333, 500, 720, 999]
    #expect(try restarted(functions, events, settings, at: places) == results(functions, events, settings))
  }

  @Test func `a restart between any bars changes nothing`() throws {
    let events = BarTests.bars(800, seed: 8)
    let functions = BarTests.functions.map(\.0) + ["ema(close, 5)", "atr(4)", "supertrend(4, 2)", "stddev(close, 5)", "since(close > 100)"]
    let settings = ExpressionRunner<Bar>.Settings(sessions: BarTests.Hours())
    #expect(try restarted(functions, events, settings, at: [3, 50, 51, 120, 400, 650]) == results(functions, events, settings))
  }

  @Test func `a restart changes nothing at the end of time`() throws {
    var events = (0..<3).map { trade(5, at: Double($0)) }
    for time in [Int64.max, opening + 4 * second, .max, .max] {
      var event = trade(5)
      (event.time, event.received) = (Timestamp(ns: time), Timestamp(ns: time))
      events.append(event)
    }
    let functions = ["count(1s)", "sum(size, 10s)", "count(session)", "count(first 1d)", "vwap(1s)", "highest(price, 1s)"]
    #expect(try restarted(functions, events, .init(), at: Array(1..<events.count)) == results(functions, events))
  }

  @Test func `another expression takes what it has in common`() throws {
    let events = (0..<40).map { trade(Price(raw: Int64($0) * second), at: Double($0)) }
    var old = ExpressionRunner(try Expression<Trade>("sma(price, 30) > 1 or sma(price, 10s) > 1 or vwap(session) > 1", in: .withMemory))
    old.take(Array(events.prefix(35)))
    let texts = ["sma(price, 20)", "sma(price, 5s)", "sma(price, 12s)", "vwap(session)", "lowest(price, session)", "ema(price, 3)"]
    var new = ExpressionRunner(try texts.map { try condition($0, Trade.self) })
    new.restore(old.snapshot())
    new.take(Array(events.suffix(5)))
    let ready = texts.map { new.results(of: $0, 5).map { $0 != nil } }
    // The ring held thirty values. The queue lacks what left the window of ten seconds; what is new has not seen the session.
    #expect(ready[0] == [true, true, true, true, true])
    #expect(ready[1] == [true, true, true, true, true])
    #expect(ready[2] == [false, true, true, true, true])
    #expect(ready[3] == [true, true, true, true, true])
    #expect(ready[4] == [false, false, false, false, false])
    #expect(ready[5] == [false, false, true, true, true])
  }

  @Test func `a snapshot of another form is not restored, and broken states are left out`() throws {
    var runner = ExpressionRunner(try Expression<Trade>("ema(price, 2) > 1 or sum(size, 5s) > 1", in: .withMemory))
    runner.take([trade(5), trade(6, at: 1)])
    var snapshot = runner.snapshot()
    for i in snapshot.keys.indices {
      for name in snapshot.keys[i].parts.keys { snapshot.keys[i].parts[name] = [1] }
      snapshot.keys[i].clock = [1, 2]
    }
    var other = ExpressionRunner(try Expression<Trade>("ema(price, 2) > 1 or sum(size, 5s) > 1", in: .withMemory))
    other.restore(snapshot)
    other.take([trade(5, at: 2)])
    #expect(other.results(of: "ema(price, 2)", 1) == [nil])
    snapshot.version = 99
    other.restore(snapshot)
    #expect(other.memoryUse.keys == 1)
  }

  @Test func `any numbers in a snapshot are survived`() throws {
    var random = SplitMix(5)
    for round in 0..<60 {
      var events = RandomFunctions(seed: round)
      let bars = events.bars(60)
      let functions =
        BarTests.functions.map(\.0) + ["ema(close, 5)", "atr(4)", "supertrend(4, 2)", "stddev(close, 9)", "since(close > 100)"]
      let expressions = try functions.map { try condition($0, Bar.self) } + [Expression("crosses_above(close, vwap)", in: .withMemory)]
      var runner = ExpressionRunner(expressions)
      runner.take(bars)
      var snapshot = runner.snapshot()
      for i in snapshot.keys.indices {
        for name in snapshot.keys[i].parts.keys {
          for k in snapshot.keys[i].parts[name, default: []].indices where random.oneIn(3) {
            snapshot.keys[i].parts[name]?[k] = Int64(bitPattern: random.next()) >> Int64(random.upTo(63))
          }
        }
        snapshot.keys[i].clock = snapshot.keys[i].clock?.map { random.oneIn(3) ? Int64(bitPattern: random.next()) : $0 }
      }
      var other = ExpressionRunner(expressions)
      other.restore(snapshot)
      other.take(events.bars(60))
      #expect(other.memoryUse.keys > 0)
    }
  }

  // MARK: Limits

  @Test func `keys beyond the limit have no results, and the others stay right`() throws {
    // A page has 65,536 bytes; two of them are allowed.
    let settings = ExpressionRunner<Trade>.Settings(memoryLimit: 2 * 65_536)
    let symbols = (0..<400).map { Symbol(stringLiteral: "LIM\($0)") }
    let events = (0..<3).flatMap { round in symbols.map { trade(Price(raw: Int64(round + 1) * second), at: Double(round), symbol: $0) } }
    var runner = ExpressionRunner(try condition("sma(price, 3)", Trade.self), settings)
    for begin in stride(from: 0, to: 1200, by: 200) { runner.take(Array(events[begin..<(begin + 200)])) }
    let results = runner.results(of: "sma(price, 3)", 200)
    #expect(runner.memoryUse.keys == 400 && runner.memoryUse.unkept == 0 && results.allSatisfy { $0 == 2 * second })
    var wide = ExpressionRunner(try condition("sma(price, 2000)", Trade.self), settings)
    for _ in 0..<2000 { wide.take([trade(7), trade(9, symbol: "LIM300")]) }
    for symbol in symbols { wide.take([trade(8, symbol: symbol)]) }
    wide.take([trade(7), trade(9, symbol: "LIM300"), trade(9, symbol: "LIM399")])
    // One of the 2,000 prices was 8.
    #expect(wide.results(of: "sma(price, 2000)", 3) == [7 * second, 8_999_500_000, nil])
    #expect(wide.memoryUse.keys == 8 && wide.memoryUse.unkept == 394)
    // The table has a place for each symbol of the process, other tests' too.
    let table = 16 * (Int(symbols.map(\.id).max() ?? 0) + 1)
    #expect(wide.memoryUse.bytes < 3 * 65_536 + 8 * 200_000 + table)
  }

  @Test func `a window without memory for its values is not ready until it is complete again`() throws {
    let settings = ExpressionRunner<Trade>.Settings(memoryLimit: 65_536 + 64 * 16)
    // A hundred events in a window that holds 64 entries, then few.
    var events = (0..<400).map { trade(3, at: Double($0) / 10) }
    events += (0..<40).map { trade(5, at: 40 + Double($0)) }
    let values = try results(["sma(price, 10s)"], events, settings)[0]
    #expect(values.prefix(400).allSatisfy { $0 == nil })
    #expect(values.suffix(25).allSatisfy { $0 == 5 * second })
    var runner = ExpressionRunner(try condition("highest(price, 10s)", Trade.self), settings)
    // Falling prices all stay in the queue.
    let falling = (0..<400).map { trade(Price(raw: Int64(1000 - $0) * second), at: Double($0) / 10) }
    runner.take(falling)
    #expect(runner.memoryUse.shortened > 0)
    #expect(runner.memoryUse.parts.map(\.queueBytes) == [64 * 16])
    runner.take((0..<40).map { trade(5, at: 60 + Double($0)) })
    #expect(runner.results(of: "highest(price, 10s)", 40).last == 5 * second)
  }
}
