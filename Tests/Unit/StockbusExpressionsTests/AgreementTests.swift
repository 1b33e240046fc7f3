import EventBus
import MarketData
import Testing

@testable import StockbusExpressions

@Suite struct AgreementTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `agrees with the plain meaning on random expressions and events`(seed: UInt64) throws {
    var random = RandomExpressions(seed: seed)
    var (checked, skipped) = (0, 0)
    var counts: [Verdict: Int] = [:]
    for _ in 0..<500 {
      let text = random.condition(3)
      let expression: Expression<Reading>
      do throws(ExpressionError) { expression = try Expression(text) } catch {
        // Constant parts are computed at compile time, and may have no result.
        #expect(error.code == .range || error.code == .limit, "\(text)\n\(error)")
        skipped += 1
        continue
      }
      let tree = try Parser.parse(text)
      for _ in 0..<8 {
        let event = random.event()
        let expected: Verdict = Model(event: event).truth(tree).map { $0 ? .yes : .no } ?? .undecided
        let verdict = expression.verdict(of: event)
        #expect(verdict == expected, "\(text) of \(Reading.schema.json(event))")
        counts[expected, default: 0] += 1
      }
      checked += 1
    }
    #expect(checked > 400, "\(skipped) skipped")
    for verdict in [Verdict.no, .undecided, .yes] { #expect(counts[verdict, default: 0] > 40) }
  }

  @Test(arguments: [0, 1, 2, 255, 256, 257, 1000])
  func `runs of events get the verdicts of their single events`(count: Int) throws {
    var random = RandomExpressions(seed: 77)
    let events = (0..<count).map { _ in random.event() }
    for _ in 0..<60 {
      guard let expression = try? Expression<Reading>(random.condition(3)) else { continue }
      var runner = ExpressionRunner(expression)
      for _ in 0..<2 {
        var verdicts: [Verdict] = []
        runner.judge(events.span) { range, chunk in
          #expect(range.lowerBound == verdicts.count && range.count == chunk.count)
          for i in chunk.indices { verdicts.append(chunk[i]) }
        }
        #expect(verdicts == events.map(expression.verdict), "\(expression)")
      }
    }
  }

  @Test func `one expression serves many threads`() async throws {
    let expression = try Expression<Reading>("symbol matches \"T1*\" or symbol in [T25, T77]")
    let symbols = try (0..<9000).map { try Symbol("T\($0)") }
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask { symbols.count { symbol in expression.matches(Reading.with { $0.symbol = symbol }) } }
      }
      // T1, T10 to T19, T100 to T199, T1000 to T1999, T25 and T77.
      for await hits in group { #expect(hits == 1 + 10 + 100 + 1000 + 2) }
    }
  }
}
