import EventBus
import MarketData
import TestSupport

/// Random conditions with functions over earlier events, and random events with any values.
struct RandomFunctions {
  private var random: SplitMix

  init(seed: Int) { random = SplitMix(seed) }

  private mutating func one(of words: [String]) -> String { words[random.upTo(words.count - 1)] }

  mutating func condition(_ fields: [String], bars: Bool, depth: Int) -> String {
    switch random.upTo(depth > 0 ? 7 : 3) {
    case 0: return "\(one(of: ["crosses_above", "crosses_below"]))(\(value(fields, bars, depth)), \(value(fields, bars, depth)))"
    case 1...3: return "\(value(fields, bars, depth)) \(one(of: ["<", ">", ">=", "!="])) \(value(fields, bars, depth))"
    case 4: return "not (\(condition(fields, bars: bars, depth: depth - 1)))"
    case 5: return "since(\(condition(fields, bars: bars, depth: depth - 1))) < 5m"
    default:
      let word = one(of: ["and", "or"])
      return "(\(condition(fields, bars: bars, depth: depth - 1))) \(word) (\(condition(fields, bars: bars, depth: depth - 1)))"
    }
  }

  private mutating func value(_ fields: [String], _ bars: Bool, _ depth: Int) -> String {
    let events = one(of: ["1", "2", "3", "7", "20", "100"])
    let window = one(of: [events, events, "1s", "30s", "5m", "1d", "session", "first 30s"])
    switch random.upTo(depth > 0 ? 12 : 1) {
    case 0: return one(of: fields)
    case 1: return one(of: ["0", "1", "100.5", "-3", "9000000000"])
    case 2: return "\(value(fields, bars, depth - 1)) \(one(of: ["+", "-", "*", "/"])) \(value(fields, bars, depth - 1))"
    case 3: return "abs(\(value(fields, bars, depth - 1)))"
    case 4: return "\(one(of: ["ema", "rma", "wma", "rsi", "stochastic"]))(\(value(fields, bars, depth - 1)), \(events))"
    case 5: return "\(one(of: ["prev", "change"]))(\(value(fields, bars, depth - 1)), \(events))"
    case 6: return "\(one(of: ["vwap", "count"]))(\(one(of: ["1s", "5m", "session", "first 1m"])))"
    case 7: return "\(one(of: ["macd(", "macd_signal("]))\(value(fields, bars, depth - 1)), 3, 8\(one(of: [")", ", 4)"]))"
    case 8: return "bollinger_\(one(of: ["upper", "lower"]))(\(value(fields, bars, depth - 1)), \(window), 2)"
    case 9 where bars: return one(of: ["atr(3)", "supertrend(3, 2)", "stochastic(5)"])
    default:
      let function = one(of: ["sma", "sum", "stddev", "zscore", "highest", "lowest", "first"])
      return "\(function)(\(value(fields, bars, depth - 1)), \(window))"
    }
  }

  // MARK: Events

  private mutating func number() -> Int64 {
    switch random.upTo(12) {
    case 0: [Int64.min, .max, 0, 1, -1, .max - 1, .min + 1][random.upTo(6)]
    case 1: Int64(bitPattern: random.next())
    default: Int64(random.upTo(2000)) * 100_000_000
    }
  }

  private mutating func time(_ before: Int64) -> Int64 {
    switch random.upTo(40) {
    case 0: [Int64.min, .max, 0, -1, .max - 4_000_000_000][random.upTo(4)]
    case 1...4: before - Int64(random.upTo(120)) * second
    case 5...8: before
    default: before &+ Int64(random.upTo(30)) * 500_000_000
    }
  }

  mutating func trades(_ count: Int) -> [Trade] {
    var now = opening
    return (0..<count).map { _ in
      let time = time(now)
      now += Int64(random.upTo(10)) * 500_000_000
      return Trade(
        symbol: Symbol(stringLiteral: "FUN.\(random.upTo(3))"), price: Price(raw: number()), size: Quantity(raw: number()),
        time: Timestamp(ns: time), received: Timestamp(ns: random.oneIn(50) ? time : now),
        condition: TradeCondition.allCases[random.upTo(random.oneIn(3) ? 15 : 0)])
    }
  }

  mutating func bars(_ count: Int) -> [Bar] {
    var now = opening
    return (0..<count).map { _ in
      let time = time(now) / (10 * second) * 10 * second
      now += Int64(random.upTo(10)) * 2 * second
      let lengths = [BarLength.time(10 * second), .day, BarLength(raw: -201), .unknown]
      return Bar(
        symbol: Symbol(stringLiteral: "FUN.\(random.upTo(2))"), open: Price(raw: number()), high: Price(raw: number()),
        low: Price(raw: number()), close: Price(raw: number()), volume: Quantity(raw: number()), time: Timestamp(ns: time),
        received: Timestamp(ns: random.oneIn(50) ? time : now), length: lengths[random.upTo(random.oneIn(3) ? 3 : 0)],
        turnover: Amount(raw: Int128(number()) * Int128(number())), revision: UInt32(random.upTo(2)),
        status: random.oneIn(6) ? .partial : .complete)
    }
  }
}
