import EventBus
import MarketData
import SeededRandom
import Testing

@testable import StockbusExpressions

@Suite struct FuzzTests {
  /// Whatever comes in: an expression, or an error whose place is in the text.
  private func feed(_ text: String) {
    do throws(ExpressionError) {
      let expression = try Expression<Reading>(text)
      _ = expression.matches(Reading.schema.example)
    } catch {
      let count = text.unicodeScalars.count
      #expect(error.range.lowerBound >= 0 && error.range.upperBound <= count, "\(text)")
      #expect(
        !error.message.isEmpty && error.message.allSatisfy { !$0.isNewline } && error.message.count < 700, "\(text): \(error.message)")
      #expect(error.marked.split(separator: "\n", omittingEmptySubsequences: false).count == 2, "\(text)")
    }
  }

  @Test func `random bytes`() {
    var random = SplitMix(1)
    for _ in 0..<8000 {
      let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      feed(String(decoding: bytes, as: UTF8.self))
    }
  }

  @Test func `random words of the language`() {
    let words = [
      "price", "symbol", "side", "mood", "note", "time", "percent", "rank", "AAPL", "buy", "and", "or", "not", "in", "matches", "(", ")",
      "[",
      "]", ",", "+", "-", "*", "/", "<", "<=", "==", "!=", "1", "2.5", "1%", "250ms", "\"x\"", "'", "true", "abs", "min(",
      "2013-10-08T13:30:00Z",
      "2013-10-08", "1e400", "0.0000000001", "99999999999999999999", "\\", "é", "…", "5x", "1h1h", "\"\\u{110000}\"", "=", "&&",
    ]
    var random = SplitMix(2)
    for _ in 0..<12_000 {
      let count = Int.random(in: 1...10, using: &random)
      feed((0..<count).map { _ in words.randomElement(using: &random)! }.joined(separator: Bool.random(using: &random) ? " " : ""))
    }
  }

  @Test func `expressions with a few bytes changed`() {
    var random = RandomExpressions(seed: 3)
    for _ in 0..<2000 {
      var bytes = Array(random.condition(2).utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random.random) {
        let at = Int.random(in: 0..<bytes.count, using: &random.random)
        switch Int.random(in: 0..<3, using: &random.random) {
        case 0: bytes[at] = UInt8.random(in: 32...126, using: &random.random)
        case 1: bytes.remove(at: at)
        default: bytes.insert(UInt8.random(in: 0...255, using: &random.random), at: at)
        }
        if bytes.isEmpty { break }
      }
      feed(String(decoding: bytes, as: UTF8.self))
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
    let list = (0..<257).map { "S\($0)" }.joined(separator: ",")
    #expect(error("symbol in [\(list)]")?.message == "a list has at most 256 items")
    #expect(error("0" + String(repeating: " < 1", count: 9))?.code == .limit)
    // Wide, not deep.
    #expect(error(Array(repeating: "price > 1", count: 280).joined(separator: " and ")) == nil)
    #expect(error(String(repeating: "(", count: 60) + "price > 1" + String(repeating: ")", count: 60)) == nil)
    let sum = "price > size" + (0..<55).map { " + \($0)" }.joined()
    #expect(error(sum) == nil)
    // Parentheses to the right need a register a level, unless the greedier side goes first.
    let right = (0..<50).map { "price + (\($0) + size * (" }.joined()
    #expect(error("0 < " + right)?.code == .limit || error("0 < " + right)?.isIncomplete == true)
  }
}
