import EventBus
import MarketData
import TestSupport
import Testing

@testable import StockbusExpressions

/// Numbers that are not part of a condition.
@Suite struct NumberTests {
  private func numbers<E: Event>(_ text: String, _ events: [E]) throws -> [String] {
    var runner = NumberRunner(try NumberExpression<E>(text))
    var results: [String] = []
    runner.compute(events.span) { _, number in results.append(number.map { Syntax.decimal(Int128($0)) } ?? "-") }
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
    var first = NumberRunner(try NumberExpression<Trade>("sma(price, 3)"))
    first.compute([trade(1), trade(2, at: 1)].span) { _, _ in }
    var second = NumberRunner(try NumberExpression<Trade>("sma(price, 3)"))
    second.restore(first.snapshot())
    second.compute([trade(6, at: 2)].span) { #expect($0 == 0 && $1 == 3_000_000_000) }
    #expect(second.memoryUse.keys == 1)
  }

  @Test(arguments: [
    ("1 + 2", "column 1: this number is the same for all events"),
    ("price > 1", "column 1: expected a value, found a condition"),
    ("zscore(prise, 5)", "column 8: trade has no field 'prise'; did you mean 'price'?"),
  ])
  func `what is no number of an event is an error at its character`(text: String, message: String) {
    do throws(ExpressionError) {
      _ = try NumberExpression<Trade>(text)
      Issue.record("no error")
    } catch { #expect(error.description == message) }
  }
}
