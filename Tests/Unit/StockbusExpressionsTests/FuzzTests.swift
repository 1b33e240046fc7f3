import EventBus
import Foundation
import MarketData
import TestSupport
import Testing

@testable import StockbusExpressions

@Suite struct FuzzTests {
  /// The number of texts of each kind; `STOCKBUS_FUZZ_COUNT` sets a larger one than the suite has time for.
  static let count = ProcessInfo.processInfo.environment["STOCKBUS_FUZZ_COUNT"].flatMap { Int($0) } ?? 3000

  @Test(arguments: WildExpressions.Kind.allCases)
  func `whatever comes in is an expression or a located error`(kind: WildExpressions.Kind) {
    var texts = WildExpressions(seed: 11)
    var fuzz = ExpressionFuzz()
    for _ in 0..<(kind == .large ? Self.count / 20 : Self.count) {
      let text = texts.text(kind)
      if let fault = fuzz.fault(in: text) { Issue.record("\(text.debugDescription): \(fault)") }
    }
    switch kind {
    case .typed: #expect(fuzz.expressions > fuzz.inputs / 2)
    case .wild:
      #expect(fuzz.expressions > fuzz.inputs / 50 && fuzz.messages.count > 60, "\(fuzz.expressions), \(fuzz.messages.count) messages")
    default: #expect(fuzz.messages.count > 5, "\(fuzz.messages.count) messages")
    }
  }

  @Test func `every beginning of an expression is right so far`() {
    let text = "price > 1.5 and (symbol in [AAPL, \"BRK.B\"] or note matches \"a*\") and received - time <= 250ms and abs(size) == 1"
    for count in 0..<text.count {
      let beginning = String(text.prefix(count))
      switch ExpressionDraft<Reading>(beginning) {
      case .empty, .incomplete, .ready: continue
      case .wrong(let error): Issue.record("\(beginning)\n\(error)")
      }
    }
    guard case .ready = ExpressionDraft<Reading>(text) else { return #expect(Bool(false)) }
  }

  @Test func `limits`() {
    let deep = String(repeating: "(", count: 2000) + "true" + String(repeating: ")", count: 2000)
    #expect(error(deep)?.message == "nested more than 64 levels deep")
    #expect(error(String(repeating: "not ", count: 1000) + "true")?.code == .limit)
    #expect(error("price > " + String(repeating: "-", count: 4000) + "1")?.code == .limit)
    #expect(error("price > 1" + String(repeating: " + 1", count: 900))?.code == .limit)
    #expect(error("price > " + String(repeating: "abs(", count: 100))?.code == .limit)
    #expect(error(String(repeating: "a", count: 4097))?.message == "an expression has at most 4096 bytes")
    #expect(error("symbol == " + String(repeating: "a", count: 257))?.description == "column 11: a word has at most 256 bytes")
    let list = (0..<257).map { "S\($0)" }.joined(separator: ",")
    #expect(error("symbol in [\(list)]")?.message == "a list has at most 256 items")
    #expect(error("0" + String(repeating: " < 1", count: 9))?.code == .limit)
    // Wide, not deep.
    #expect(error(Array(repeating: "price > 1", count: 280).joined(separator: " and ")) == nil)
    #expect(error(String(repeating: "(", count: 60) + "price > 1" + String(repeating: ")", count: 60)) == nil)
    let sum = "price > size" + (0..<55).map { " + \($0)" }.joined()
    #expect(error(sum) == nil)
    // Parentheses on the right need one register for each level, unless the side that needs more registers is computed first.
    let right = (0..<50).map { "price + (\($0) + size * (" }.joined()
    #expect(error("0 < " + right)?.code == .limit || error("0 < " + right)?.isIncomplete == true)
  }
}
