import EventBus
import MarketData
import TestSupport
import Testing

@testable import StockbusExpressions

/// Whatever functions are written over whatever events: nothing traps, and neither batches nor company nor restarts make a difference.
@Suite struct RandomFunctionTests {
  @Test(arguments: [1, 2, 3]) func `over trades`(seed: Int) throws {
    var random = RandomFunctions(seed: seed)
    let events = random.trades(700)
    try check(events, seed) { random.condition(["price", "size"], bars: false, depth: 3) }
  }

  @Test(arguments: [4, 5, 6]) func `over bars`(seed: Int) throws {
    var random = RandomFunctions(seed: seed)
    let events = random.bars(700)
    try check(events, seed) { random.condition(["close", "high", "low", "volume", "vwap"], bars: true, depth: 3) }
  }

  private func check<E: Event>(_ events: [E], _ seed: Int, _ text: () -> String) throws {
    let count = rounds(12, cost: 10_000)
    var decided = 0
    for round in 0..<count {
      var expressions: [Expression<E>] = []
      while expressions.count < 5 {
        let text = text()
        do throws(ExpressionError) { expressions.append(try Expression(text, in: .withMemory)) } catch {
          #expect(error.range.upperBound <= text.unicodeScalars.count)
        }
      }
      let alone = expressions.map { verdicts([$0], events, [700], restarting: false)[0] }
      decided += alone.reduce(0) { $0 + $1.count { $0 != .undecided } }
      var random = SplitMix(seed * 1000 + round)
      let batches = (0..<700).map { _ in 1 + random.upTo(90) }
      for restarting in [false, true] {
        let together = verdicts(expressions, events, batches, restarting: restarting)
        for (k, expression) in expressions.enumerated() {
          let differing = zip(together[k], alone[k]).enumerated().first { $1.0 != $1.1 }?.offset
          #expect(differing == nil && together[k].count == alone[k].count, "\(expression.text), with restarts: \(restarting)")
        }
      }
    }
    #expect(decided > count * 350)
  }

  private func verdicts<E: Event>(_ expressions: [Expression<E>], _ events: [E], _ batches: [Int], restarting: Bool) -> [[Verdict]] {
    var verdicts = expressions.map { _ in [Verdict]() }
    var snapshot = MemorySnapshot()
    var begin = 0
    var runner = ExpressionRunner(expressions)
    for size in batches where begin < events.count {
      if restarting {
        runner = ExpressionRunner(expressions)
        runner.restore(snapshot)
      }
      let batch = Array(events[begin..<min(events.count, begin + size)])
      runner.judgeAll(batch.span) { k, _, chunk in for i in chunk.indices { verdicts[k].append(chunk[i]) } }
      if restarting { snapshot = runner.snapshot() }
      begin += batch.count
    }
    return verdicts
  }
}
