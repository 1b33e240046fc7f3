import EventBus
import MarketData
import TestSupport
import Testing

@testable import StockbusExpressions

/// Numbers that are not part of a condition.
@Suite struct NumberTests {
  private func numbers<E: Event>(_ text: String, _ events: [E]) throws -> [String] {
    var runner = ColumnRunner(try ColumnExpressions<E>(number: text))
    var results: [String] = []
    runner.compute(events.span) { chunk, found in
      for i in 0..<chunk.count { results.append(found[0, i].map { Syntax.decimal(Int128($0)) } ?? "-") }
    }
    return results
  }

  @Test func `a number has a value for each event that counts for it`() throws {
    let trades = [trade(10, 2), trade(20, 3, at: 1, condition: .oddLot), trade(40, 5, at: 2)]
    #expect(try numbers("price * size", trades) == ["20", "-", "200"])
    #expect(try numbers("size", trades) == ["2", "3", "5"])
    #expect(try numbers("sma(price, 2)", trades) == ["-", "-", "25"])
    #expect(try numbers("change(price) / prev(price)", trades) == ["-", "-", "3"])
  }

  @Test func `long batches are taken in chunks`() throws {
    let trades = (0..<1000).map { trade(Price(raw: Int64($0) * second), at: Double($0)) }
    let results = try numbers("change(price, 300)", trades)
    #expect(results.prefix(300).allSatisfy { $0 == "-" } && results.dropFirst(300).allSatisfy { $0 == "300" } && results.count == 1000)
  }

  @Test func `continues from a snapshot`() throws {
    var first = ColumnRunner(try ColumnExpressions<Trade>(number: "sma(price, 3)"))
    first.compute([trade(1), trade(2, at: 1)].span) { _, _ in }
    var second = ColumnRunner(try ColumnExpressions<Trade>(number: "sma(price, 3)"))
    second.restore(first.snapshot())
    second.compute([trade(6, at: 2)].span) { #expect($0 == 0..<1 && $1[0, 0] == 3_000_000_000) }
    #expect(second.memoryUse.keys == 1)
  }

  @Test(arguments: [
    ("1 + 2", "column 1: this number is the same for all events"),
    ("price > 1", "column 1: expected a value, found a condition"),
    ("zscore(prise, 5)", "column 8: trade has no field 'prise'; did you mean 'price'?"),
  ])
  func `what is no number of an event is an error at its character`(text: String, message: String) {
    do throws(ExpressionError) {
      _ = try ColumnExpressions<Trade>(number: text)
      Issue.record("no error")
    } catch { #expect(error.description == message) }
  }

  /// Rounded half away from zero; nil if it needs more than 64 bits.
  private func exact(_ a: Int128, by b: Int128) -> Int64? {
    if b == 0 { return nil }
    let (quotient, rest) = a.magnitude.quotientAndRemainder(dividingBy: b.magnitude)
    let magnitude = Int128(quotient) + (rest * 2 >= b.magnitude ? 1 : 0)
    return Int64(exactly: (a < 0) == (b < 0) ? magnitude : -magnitude)
  }

  @Test(arguments: 1...8)
  func `numbers are exact whether they fit into 64 bits or not`(seed: UInt64) throws {
    var random = SplitMix(seed)
    // Of all magnitudes. With an odd seed all are small, so that whole chunks are computed in 64 bits.
    func number() -> Int64 {
      let number = Int64(bitPattern: random.next()) >> Int64(random.next() % (seed % 2 == 1 ? 24 : 64) + (seed % 2 == 1 ? 40 : 0))
      return random.next() % 16 == 0 ? [0, 1, -1, 1_000_000_000, seed % 2 == 1 ? 7 : Int64.max][Int(random.next() % 5)] : number
    }
    let trades = (0..<700).map { trade(Price(raw: number()), Quantity(raw: number()), at: Double($0)) }
    let billion = Int128(1_000_000_000)
    let models: [(String, (Int128, Int128) -> Int64?)] = [
      ("price * size", { exact($0 * $1, by: billion) }), ("price / size", { exact($0 * billion, by: $1) }),
      ("size / price", { exact($1 * billion, by: $0) }), ("price + size", { Int64(exactly: $0 + $1) }),
      ("price - size", { Int64(exactly: $0 - $1) }), ("2 - price", { a, _ in Int64(exactly: 2 * billion - a) }),
      ("-price + 0 * size", { a, _ in Int64(exactly: -a) }), ("abs(price) + 0 * size", { a, _ in Int64(exactly: a < 0 ? -a : a) }),
      ("min(price, size)", { Int64(exactly: min($0, $1)) }), ("max(price, size)", { Int64(exactly: max($0, $1)) }),
    ]
    for (text, model) in models {
      var runner = ColumnRunner(try ColumnExpressions<Trade>(number: text))
      var wrong: [String] = []
      runner.compute(trades.span) { chunk, found in
        for i in chunk {
          let (price, size) = (trades[i].price.raw, trades[i].size.raw)
          let expected = model(Int128(price), Int128(size))
          if found[0, i - chunk.lowerBound] != expected {
            func shown(_ number: Int64?) -> String { number.map(String.init) ?? "-" }
            wrong.append("\(text) of \(price), \(size): \(shown(found[0, i - chunk.lowerBound])), not \(shown(expected))")
          }
        }
      }
      #expect(wrong.prefix(3) == [])
    }
  }
}
