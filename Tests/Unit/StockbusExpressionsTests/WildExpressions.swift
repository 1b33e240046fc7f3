import TestSupport

/// Texts that look like expressions: every production of the grammar with any values, so that most have an error of type, arity or form
/// somewhere; and such texts with changed bytes.
struct WildExpressions {
  var random: SplitMix
  private var typed: RandomExpressions

  init(seed: UInt64) {
    random = SplitMix(seed)
    typed = RandomExpressions(seed: seed &+ 1)
  }

  enum Kind: String, CaseIterable {
    /// Correct in grammar and types.
    case typed
    /// Mostly correct in grammar, but rarely in types.
    case wild
    /// Words of the language in any order.
    case words
    /// One of these three with some bytes changed.
    case mutated
    /// Random bytes.
    case bytes
    /// At the limits of length and depth, and slightly beyond.
    case large
  }

  mutating func text(_ kind: Kind) -> String {
    switch kind {
    case .typed: return typed.condition(Int.random(in: 0...3, using: &random))
    case .wild: return condition(Int.random(in: 0...4, using: &random))
    case .words: return (0..<upTo(12)).map { _ in chance(70) ? pick(Self.vocabulary) : value(0) }.joined(separator: blank())
    case .mutated: return mutated()
    case .bytes:
      let most: UInt8 = chance(50) ? 255 : 127
      return String(decoding: (0..<upTo(60)).map { _ in UInt8.random(in: 0...most, using: &random) }, as: UTF8.self)
    case .large: return large()
    }
  }

  private mutating func pick<T>(_ items: [T]) -> T { items[Int.random(in: 0..<items.count, using: &random)] }
  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  private mutating func upTo(_ most: Int) -> Int { Int.random(in: 0...most, using: &random) }

  private mutating func blank() -> String {
    chance(90) ? " " : pick(["", "", "  ", "\t", "\n", "\r\n", "\u{a0}", "\u{3000}"])
  }

  private mutating func joined(_ parts: String...) -> String {
    var text = ""
    for (place, part) in parts.enumerated() { text += (place == 0 ? "" : blank()) + part }
    return text
  }

  // MARK: Grammar

  private mutating func condition(_ depth: Int) -> String {
    if depth <= 0 { return comparison(0) }
    switch upTo(14) {
    case 0...2:
      return (0..<(2 + upTo(3))).map { _ in condition(depth - 1) }.joined(separator: " \(pick(["and", "or", "and", "AND", "&&"])) ")
    case 3: return joined(pick(["not", "not", "!", "NOT", "not not"]), condition(depth - 1))
    case 4: return "(" + condition(depth - 1) + (chance(95) ? ")" : "")
    case 5: return pick(["true", "false", "True"])
    case 6: return value(depth)
    case 7:
      return joined(condition(depth - 1), pick(["within 5m", "for 5m", "in 5m", "and", "or", "not", ")", "]", "price", "in", "matches"]))
    default: return comparison(depth)
    }
  }

  private mutating func comparison(_ depth: Int) -> String {
    switch upTo(12) {
    case 0, 1:
      let items = (0..<upTo(5)).map { _ in value(depth - 1) }.joined(separator: pick([",", ", ", " , ", " "]))
      return joined(value(depth - 1), pick(["in", "not in", "not"]), "[" + items + pick(["]", "]", "]", ",]", ""]))
    case 2, 3: return joined(value(depth - 1), pick(["matches", "not matches"]), chance(40) ? pick(Self.patterns) : value(depth - 1))
    case 4:
      var text = value(depth - 1)
      for _ in 0..<(1 + upTo(9)) { text = joined(text, pick(["<", "<=", "<", ">", "=="]), value(0)) }
      return text
    default:
      return joined(
        value(depth - 1), pick(["<", "<=", ">", ">=", "==", "!=", "==", "=", "<>", "=<", "=>", "=~", "\u{2265}"]), value(depth - 1))
    }
  }

  private mutating func value(_ depth: Int) -> String {
    if depth <= 0 || chance(45) { return leaf() }
    switch upTo(9) {
    case 0...3: return joined(value(depth - 1), pick(["+", "-", "*", "/", "%", "\u{2212}"]), value(depth - 1))
    case 4: return "-" + value(depth - 1)
    case 5: return "(" + blank() + value(depth - 1) + blank() + (chance(95) ? ")" : "")
    case 6: return "(" + condition(depth - 1) + ")"
    case 7: return "[" + value(depth - 1) + "]"
    default:
      let count = chance(90) ? upTo(4) : upTo(18)
      return pick(["abs", "min", "max", "abz", "price", "and", "len", "sma", "prev", "highest", "since", "crosses_above", "vwap"]) + "("
        + (0..<count).map { _ in value(depth - 1) }.joined(separator: ", ")
        + pick([")", ")", ")", "", ",)"])
    }
  }

  private mutating func leaf() -> String {
    switch upTo(10) {
    case 0...3:
      return pick([
        "price", "size", "percent", "rank", "count", "time", "received", "symbol", "other", "side", "mood", "previous", "sole", "note",
      ])
    case 4:
      return pick(["AAPL", "BRK.B", "buy", "calm", "only", "prise", "bid", "x", "and", "in", "not", "true", "matches", "_", "É", "价"])
    case 5, 6: return number()
    case 7: return duration()
    case 8: return time()
    default: return string()
    }
  }

  private mutating func digits(_ most: Int) -> String {
    (0..<(1 + upTo(most))).map { _ in pick(["0", "1", "5", "9", "9", "00", "1_0"]) }.joined()
  }

  private mutating func number() -> String {
    switch upTo(9) {
    case 0...3: return pick(["0", "1", "2.5", "100", "-0.5", "9e9", "1_000", "0.000000001"])
    case 4: return digits(45)
    case 5: return digits(3) + "." + digits(14)
    case 6: return digits(2) + pick(["e", "E"]) + pick(["", "-", "+"]) + digits(6)
    case 7: return pick(["0700.HK", "1.", ".5", "5 %", "1..2", "1e", "1e+", "0x10", "1__0", "_1", "1.5.5"])
    default: return digits(2) + pick(["%", ".5%", "%%", " %"])
    }
  }

  private mutating func duration() -> String {
    if chance(40) { return pick(["250ms", "1h30m", "1.5s", "3ns", "0s", "1d", "5\u{b5}s"]) }
    return (0..<(1 + upTo(3))).map { _ in
      digits(chance(90) ? 3 : 30) + pick(["d", "h", "m", "s", "ms", "us", "ns", "min", "", "\u{b5}s", "X"])
    }
    .joined()
  }

  private mutating func time() -> String {
    if chance(40) { return pick(["2013-10-08T13:30:00Z", "1969-12-31T23:59:59.999999999Z", "2013-10-08T15:30:00.250+02:00"]) }
    return pick([
      "2013-10-08", "2013-10-08T09:30", "2013-13-08T09:30:00Z", "9999-12-31T23:59:59Z", "0000-00-00T00:00:00Z", "2013-10-08T24:00:00Z",
      "2013-10-08T13:30:00.0000000000000000001Z", "2013-10-08T13:30:00+99:99", "09:45", "9:5", "25:99:99", "1:2:3:4",
      "2262-04-12T00:00:00Z",
      "1677-01-01T00:00:00Z", "2013-10-08T13:30:00", "2013-10-0", "2013-10-08T13:30:00Zulu", "99999-10-08T00:00:00Z",
    ])
  }

  private mutating func string() -> String {
    let quote = pick(["\"", "\"", "'"])
    let inner = (0..<upTo(4)).map { _ in
      pick([
        "A", "BRK.B", "*", "?", " ", ",", "\\n", "\\t", "\\\\", "\\\"", "\\u{20ac}", "\\u{d800}", "\\u{110000}", "\\u{}", "\\u41", "\\q",
        "\\",
        "é", "e\u{301}", "👩‍👩‍👧", "\u{202e}", "\u{0}", "\u{7f}", "'", "\"", "value", "\u{1F1E6}", "all quiet", "\u{301}",
      ])
    }.joined()
    return quote + inner + (chance(93) ? quote : "")
  }

  private static let patterns = [
    "\"*\"", "\"A*\"", "'?RK.?'", "A*", "BRK.*", "*", "?", "\"\"", "\"\(String(repeating: "*a", count: 40))\"", "price",
  ]

  private static let vocabulary = [
    "price", "symbol", "side", "mood", "note", "time", "percent", "rank", "AAPL", "buy", "and", "or", "not", "in", "matches", "(", ")", "[",
    "]", ",", "+", "-", "*", "/", "<", "<=", "==", "!=", "1", "2.5", "1%", "250ms", "\"x\"", "'", "true", "abs", "min(", "sma(", "first",
    "session", "20)", "first 15m", "crosses_above(", "=", "&&", "\\",
    "é",
    "…", "5x", "1h1h", "\"\\u{110000}\"", "1e400", "\u{201c}", ";", "#", "$", "`", "@", "{", "}", "|", "||", "^", "~", ":", "?", ".", "%",
    // Words of other languages.
    "like", "not like", "between", "is", "is not null", "null", "within", "within 5m", "over 5m", "contains", "startswith(",
    "symbol.endswith(",
    "USD", "$1", "1$", "\u{20ac}1", "1\u{20ac}", "1,000", "1 000", "1'000", "percent", "1k", "1.5m", "5 min", "10am", "where", "NOT", "AND",
    "PRICE", "trade.price", "now()", "avg(", "crosses", "greater", "xor", "===", "!==", "..", "**", "//", "~=", "[0]", "\"price\"", "BUY",
  ]

  // MARK: Bytes

  private mutating func mutated() -> String {
    var bytes = Array(text(pick([.typed, .wild, .words])).utf8)
    for _ in 0...upTo(3) {
      let at = Int.random(in: 0...bytes.count, using: &random)
      let end = Int.random(in: at...min(bytes.count, at + 8), using: &random)
      switch upTo(6) {
      case 0 where at < bytes.count: bytes[at] = UInt8.random(in: 32...126, using: &random)
      case 1 where at < bytes.count: bytes[at] ^= 1 << UInt8.random(in: 0...7, using: &random)
      case 2: bytes.removeSubrange(at..<end)
      case 3: bytes.insert(contentsOf: Array(bytes[at..<end]), at: at)
      case 4: bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
      case 5: bytes.insert(contentsOf: Array(pick(Self.vocabulary).utf8), at: at)
      default: bytes.removeSubrange(at...)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Limits

  private mutating func large() -> String {
    let length = 4096 + (chance(90) ? -upTo(40) : upTo(40))
    let unit: String
    switch upTo(11) {
    case 0: unit = pick(["(", "not ", "-", "abs(", "max(1, ", "[", "price in ["])
    case 1: unit = pick(["a", "é", "\u{301}", "9", "0", "0.", "_", "1_", "\u{1F469}\u{200D}"])
    case 2: unit = " " + pick(["and", "or"]) + " " + comparison(1)
    case 3: unit = pick(["+ 1 ", "* price ", "- 1s ", "/ 2 ", "< 1 ", ", A"])
    case 4: unit = "\"" + pick(["A", "*", "\\u{41}", "é"])
    case 5: return "symbol in [" + (0..<(250 + upTo(10))).map { "S\($0 * 7 % 251)" }.joined(separator: ",") + "]"
    case 6: return "price in [" + (0..<(250 + upTo(10))).map { "\($0 * 7 % 251)" }.joined(separator: ",") + "]"
    case 7:
      let depth = 50 + upTo(20)
      return String(repeating: "(", count: depth) + comparison(2) + String(repeating: ")", count: depth)
    case 8: return "note matches \"" + String(repeating: pick(["*a", "?*", "**", "a"]), count: 4000 / 2) + "\""
    case 9: unit = condition(2) + " or "
    case 10: unit = "2013-10-08T13:30:00Z "
    default: unit = value(2) + pick([" ", "", "+", " in "])
    }
    let start = pick(["", "price > ", "symbol in [", "note == \"", "price ", "abs("])
    return start
      + String(decoding: String(repeating: unit, count: max(1, length / max(1, unit.utf8.count) + 1)).utf8.prefix(length), as: UTF8.self)
  }
}
