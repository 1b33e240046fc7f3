import EventBus
import MarketData
import Testing

@testable import StockbusExpressions

@Suite struct PrintingTests {
  @Test(arguments: [
    ("price>100 and change<0", "price > 100 and change < 0"),
    ("((a))==b", "a == b"),
    ("(a == 1 and b == 2) and c == 3 or d == 4", "a == 1 and b == 2 and c == 3 or d == 4"),
    ("a == 1 and (b == 2 or c == 3)", "a == 1 and (b == 2 or c == 3)"),
    ("not(a == 1)", "not a == 1"),
    ("not (a == 1 and b == 2)", "not (a == 1 and b == 2)"),
    ("not not a == 1", "not not a == 1"),
    ("a - (b - c) == a-b-c", "a - (b - c) == a - b - c"),
    ("(a + b) * c == a + (b * c)", "(a + b) * c == a + b * c"),
    ("a / (b * c) > (a / b) * c", "a / (b * c) > a / b * c"),
    ("- 5 < --5", "-5 < 5"),
    ("-(a) < -(a + b)", "-a < -(a + b)"),
    ("a - -5 == a - (-b)", "a - -5 == a - -b"),
    ("abs ( a )>min(a,b , 1)", "abs(a) > min(a, b, 1)"),
    ("a in[1,2.50 ,]", "a in [1, 2.5]"),
    ("a not in ['x']", "a not in [\"x\"]"),
    ("a not   matches 'BRK.*'", "a not matches \"BRK.*\""),
    ("1<a<=2", "1 < a <= 2"),
    ("a > 1_000_000.10 and a > 1e3 and a > 1.5E-3", "a > 1000000.1 and a > 1000 and a > 0.0015"),
    ("a > 1.50%", "a > 1.5%"),
    ("a > 90s and a > 1500us and a > 0.5d and a > 36h and a > 61.5s", "a > 1m30s and a > 1.5ms and a > 12h and a > 1d12h and a > 1m1.5s"),
    ("a > -1h and a == 0ms", "a > -1h and a == 0s"),
    ("t > 2013-10-08T15:30:00.5+02:00", "t > 2013-10-08T13:30:00.500Z"),
    ("a == 'it''s'", nil),
    ("a == 'say \"x\"' or a == \"tab\\t\\u{1b}\\\\\"", "a == \"say \\\"x\\\"\" or a == \"tab\\t\\u{1b}\\\\\""),
    ("true or not false", "true or not false"),
    ("highest( price,first  15m )>sma(price,20)", "highest(price, first 15m) > sma(price, 20)"),
    ("since( (price>100) or side==buy )<5m", "since(price > 100 or side == buy) < 5m"),
    ("sum(size, session) > first", "sum(size, session) > first"),
    ("(a == b) == c", "(a == b) == c"),
  ])
  func `is printed plainly`(text: String, plain: String?) throws {
    #expect((try? ExpressionSyntax(text))?.description == plain)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `what is printed reads as the same tree`(seed: UInt64) throws {
    var random = RandomExpressions(seed: seed)
    var events = RandomExpressions(seed: 5)
    for _ in 0..<600 {
      let text = random.condition(4)
      guard let tree = try? Parser.parse(text) else { continue }
      let printed = tree.description
      let again = try Parser.parse(printed)
      #expect(again.description == printed)
      #expect(Self.shape(again) == Self.shape(tree), "\(text)\n\(printed)")
      if let first = try? Expression<Reading>(text) {
        let second = try Expression<Reading>(printed)
        let event = events.event()
        #expect(first.verdict(of: event) == second.verdict(of: event), "\(text)")
      }
    }
  }

  /// The tree in prefix form, without places.
  static func shape(_ tree: Syntax) -> String {
    func list(_ parts: [Syntax]) -> String { parts.map(shape).joined(separator: " ") }
    switch tree.kind {
    case .word(let word): return word
    case .string(let text): return "'\(text)'"
    case .number(let value): return "#\(value)"
    case .percent(let value): return "%\(value)"
    case .duration(let value): return "d\(value)"
    case .time(let value): return "t\(value)"
    case .opening(let value): return "first\(value)"
    case .bool(let value): return "\(value)"
    case .negate(let inner): return "(neg \(shape(inner)))"
    case .not(let inner): return "(not \(shape(inner)))"
    case .arithmetic(let operation, let a, let b): return "(\(operation.rawValue) \(shape(a)) \(shape(b)))"
    case .call(let function, let parts): return "(\(function) \(list(parts)))"
    case .comparison(let operands, let operators): return "(\(operators.map(\.rawValue)) \(list(operands)))"
    case .membership(let item, let parts, let isNegated): return "(in \(isNegated) \(shape(item)) \(list(parts)))"
    case .match(let item, let pattern, let isNegated): return "(matches \(isNegated) \(shape(item)) \(shape(pattern)))"
    case .all(let parts): return "(and \(list(parts)))"
    case .any(let parts): return "(or \(list(parts)))"
    }
  }
}
