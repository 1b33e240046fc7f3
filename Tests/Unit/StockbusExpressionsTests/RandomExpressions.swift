import EventBus
import MarketData
import TestSupport

/// Random expressions over `Reading` that are correct in grammar and types, with more parentheses and blanks than needed.
struct RandomExpressions {
  var random: SplitMix

  init(seed: UInt64) { random = SplitMix(seed) }

  private mutating func pick<T>(_ items: [T]) -> T { items[Int.random(in: 0..<items.count, using: &random)] }
  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  mutating func condition(_ depth: Int) -> String {
    if depth <= 0 || chance(25) { return comparison(1) }
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: return (0..<Int.random(in: 2...4, using: &random)).map { _ in "(\(condition(depth - 1)))" }.joined(separator: " and ")
    case 2, 3: return (0..<Int.random(in: 2...4, using: &random)).map { _ in "(\(condition(depth - 1)))" }.joined(separator: " or ")
    case 4: return "not (\(condition(depth - 1)))"
    case 5: return "\(comparison(2)) and \(comparison(2)) or not \(comparison(1))"
    default: return comparison(depth)
    }
  }

  private mutating func comparison(_ depth: Int) -> String {
    let op = pick(["<", "<=", ">", ">=", "==", "!="])
    let equality = pick(["==", "!="])
    switch Int.random(in: 0..<14, using: &random) {
    case 0, 1, 2: return "\(number(depth)) \(op) \(number(depth))"
    case 3: return "\(number(depth)) < \(number(1)) <= \(number(0))"
    case 4: return "\(number(depth)) \(pick(["in", "not in"])) [\(constant()), \(constant()), \(constant())]"
    case 5: return chance(50) ? "\(percent(depth)) \(op) \(percent(depth))" : "percent \(op) \(constant())"
    case 6: return "\(duration(depth)) \(op) \(duration(depth))"
    case 7: return "\(time(depth)) \(op) \(time(depth))"
    case 8: return "symbol \(equality) \(pick(["AAPL", "NVDA", "\"BRK.B\"", "BRK.A", "other"]))"
    case 9: return "\(pick(["symbol", "other"])) \(pick(["in", "not in"])) [AAPL, \"BRK.B\", NOBODY]"
    case 10:
      return "\(pick(["symbol", "note", "mood"])) \(pick(["matches", "not matches"])) \"\(pick(["*", "A*", "?RK.?", "*l*", "", "c??m"]))\""
    case 11: return "\(pick(["side == buy", "side in [sell, unknown]", "mood != wild", "mood == previous", "mood in [calm, dull]"]))"
    case 12: return "note \(equality) \"\(pick(["all quiet", "alarm", "all \\u{71}uiet", ""]))\""
    default:
      return pick(["rank", "count", "price"]) + " \(op) " + pick(["2.5", "3", "-1", "4294967296", "9.3e9", "-9.3e18", "3.000000001"])
    }
  }

  private mutating func constant() -> String { pick(["0", "1", "-1", "2.5", "100", "7", "0.000000001", "1e3", "-0.5", "9e9", "3"]) }

  private mutating func number(_ depth: Int) -> String {
    if depth <= 0 || chance(30) { return pick(["price", "size", "rank", "count", constant(), "price", "size"]) }
    switch Int.random(in: 0..<10, using: &random) {
    case 0...3: return "(\(number(depth - 1)) \(pick(["+", "-", "*", "/"])) \(number(depth - 1)))"
    case 4: return "abs(\(number(depth - 1)))"
    case 5: return "\(pick(["min", "max"]))(\(number(depth - 1)), \(number(depth - 1)))"
    case 6: return "-\(number(depth - 1))"
    case 7: return "(price \(pick(["*", "/"])) \(percent(depth - 1)))"
    case 8: return "(\(duration(depth - 1)) / \(duration(depth - 1)))"
    default: return "(percent / \(percent(depth - 1)))"
    }
  }

  private mutating func percent(_ depth: Int) -> String {
    if depth <= 0 || chance(40) { return pick(["percent", "1%", "-2.5%", "percent", "0.5%"]) }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return "(percent \(pick(["+", "-"])) \(percent(depth - 1)))"
    case 1: return "(\(pick(["2", "percent", "50%"])) * \(percent(depth - 1)))"
    case 2: return "(percent / \(number(depth - 1)))"
    default: return "max(percent, \(percent(0)))"
    }
  }

  private mutating func duration(_ depth: Int) -> String {
    if depth <= 0 || chance(40) { return pick(["(received - time)", "250ms", "1h30m", "-1.5s", "(time - received)", "3ns"]) }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return "(\(duration(depth - 1)) \(pick(["+", "-"])) \(duration(depth - 1)))"
    case 1: return "(\(duration(depth - 1)) \(pick(["*", "/"])) \(chance(50) ? number(depth - 1) : percent(depth - 1)))"
    case 2: return "(\(time(depth - 1)) - \(time(depth - 1)))"
    default: return "abs(\(duration(depth - 1)))"
    }
  }

  private mutating func time(_ depth: Int) -> String {
    if depth <= 0 || chance(50) { return pick(["time", "received", "2013-10-08T13:30:00Z", "1969-12-31T23:59:59.999999999Z"]) }
    return chance(50) ? "(time \(pick(["+", "-"])) \(duration(depth - 1)))" : "max(time, \(time(depth - 1)))"
  }

  mutating func event() -> Reading {
    Reading(
      symbol: pick(["AAPL", "NVDA", "BRK.A", "BRK.B"]), other: pick(["AAPL", "NVDA"]), price: Price(raw: raw()), size: Quantity(raw: raw()),
      percent: Percent(raw: raw()), rank: pick([0, 1, 2, 3, 7, .max]), count: pick([0, 1, 3, 7, -1, .max, .min, 1_000_000]),
      time: Timestamp(ns: pick([0, 1_381_239_000_000_000_000, -1, .max, .min])),
      received: Timestamp(ns: pick([0, 1_381_239_000_250_000_000, 5, .max])), side: pick([.unknown, .buy, .sell]),
      mood: pick([.wild, .calm, .dull]), previous: pick([.wild, .calm, .dull]), sole: .only, note: pick(["all quiet", "alarm", "", "calm"]))
  }

  private mutating func raw() -> Int64 {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: pick([0, 1, -1, .max, .min])
    case 1: Int64.random(in: .min ... .max, using: &random)
    case 2: Int64.random(in: -10...10, using: &random)
    default: pick([0, 1, 2, 3, 7, 100, -1, 5]) * 1_000_000_000
    }
  }
}
