internal import EventBus
internal import MarketData
@testable import StockbusExpressions

extension Target {
  /// The bytes choose conditions with functions over earlier events, the events, and where batches end: whatever is chosen, neither batches
  /// nor company nor a restart make a difference, and no limit of the memory traps.
  static let functions = Target(
    "functions", "conditions with functions over earlier events, and the events", limit: 512,
    seeds: (0..<32).map { seed in (0..<160).map { UInt8(truncatingIfNeeded: ($0 &+ seed &* 31) &* ($0 &+ 7 &* seed &+ 3) &* 97 >> 3) } },
    budget: 500
  ) { bytes in
    var grammar = FunctionGrammar(Choices(bytes))
    if grammar.choices.coin() {
      let texts = (0...grammar.choices.pick(3)).map { _ in grammar.condition(["close", "high", "low", "volume", "vwap"], bars: true, 3) }
      check(texts, grammar.choices.pick(40), grammar.choices.pick(60), grammar.bars())
    } else {
      let texts = (0...grammar.choices.pick(3)).map { _ in grammar.condition(["price", "size"], bars: false, 3) }
      check(texts, grammar.choices.pick(40), grammar.choices.pick(60), grammar.trades())
    }
  }

  private static func check<E: Event>(_ texts: [String], _ batch: Int, _ kilobytes: Int, _ events: [E]) {
    var expressions: [Expression<E>] = []
    for text in texts {
      do throws(ExpressionError) { expressions.append(try Expression<E>(text, in: .withMemory)) } catch {
        law(error.range.upperBound <= text.unicodeScalars.count, "the error \(error) lies outside of the text")
      }
    }
    if expressions.isEmpty { return }
    let together = verdicts(expressions, events, batch: events.count + 1)
    law(verdicts(expressions, events, batch: batch + 1) == together, "batches of \(batch + 1) make a difference: \(texts)")
    law(verdicts(expressions, events, batch: batch + 1, restarting: true) == together, "restarts make a difference: \(texts)")
    for (k, expression) in expressions.enumerated() {
      law(verdicts([expression], events, batch: batch + 1)[0] == together[k], "'\(expression)' has other verdicts in company: \(texts)")
      guard expression.description.utf8.count <= ExpressionLimits.length else { continue }
      do throws(ExpressionError) {
        let plain = try Expression<E>(expression.description, in: .withMemory)
        law(verdicts([plain], events, batch: 256)[0] == together[k], "the plain form of '\(expression)' has other verdicts")
      } catch { law(false, "the plain form of '\(expression)' is none: \(error)") }
    }
    _ = verdicts(expressions, events, batch: 7, .init(memoryLimit: kilobytes << 10))
  }

  private static func verdicts<E: Event>(
    _ expressions: [Expression<E>], _ events: [E], batch: Int, _ settings: ExpressionRunner<E>.Settings = .init(), restarting: Bool = false
  ) -> [[Verdict]] {
    var verdicts = expressions.map { _ in [Verdict]() }
    var runner = ExpressionRunner(expressions, settings)
    var begin = 0
    while begin < events.count {
      let part = Array(events[begin..<min(events.count, begin + batch)])
      runner.judgeAll(part.span) { k, _, chunk in for i in chunk.indices { verdicts[k].append(chunk[i]) } }
      begin += part.count
      if restarting {
        let snapshot = runner.snapshot()
        runner = ExpressionRunner(expressions, settings)
        runner.restore(snapshot)
      }
    }
    return verdicts
  }
}

/// Writes conditions and events as bytes choose them.
private struct FunctionGrammar {
  var choices: Choices

  init(_ choices: Choices) { self.choices = choices }

  private mutating func one<T>(of items: [T]) -> T { items[choices.pick(items.count)] }

  mutating func condition(_ fields: [String], bars: Bool, _ depth: Int) -> String {
    func value(_ grammar: inout Self) -> String { grammar.value(fields, bars, depth) }
    switch choices.pick(depth > 0 ? 7 : 3) {
    case 0: return "\(one(of: ["crosses_above", "crosses_below"]))(\(value(&self)), \(value(&self)))"
    case 1, 2: return "\(value(&self)) \(one(of: ["<", "<=", ">", ">=", "==", "!="])) \(value(&self))"
    case 3: return "not (\(condition(fields, bars: bars, depth - 1)))"
    case 4: return "since(\(condition(fields, bars: bars, depth - 1))) < \(span())"
    default:
      return "(\(condition(fields, bars: bars, depth - 1))) \(one(of: ["and", "or"])) (\(condition(fields, bars: bars, depth - 1)))"
    }
  }

  private mutating func span() -> String { one(of: ["1ns", "1s", "30s", "5m", "1h", "1d"]) }

  private mutating func value(_ fields: [String], _ bars: Bool, _ depth: Int) -> String {
    if depth == 0 { return one(of: fields + ["0", "1", "100.5", "-3", "9000000000"]) }
    let inner = value(fields, bars, depth - 1)
    let events = one(of: ["1", "2", "3", "7", "20", "100", "\(1 + choices.pick(255))"])
    let window = one(of: [events, span(), "session", "first \(span())"])
    switch choices.pick(14) {
    case 0: return inner
    case 1: return "(\(inner) \(one(of: ["+", "-", "*", "/"])) \(value(fields, bars, depth - 1)))"
    case 2: return "abs(\(inner))"
    case 3: return "\(one(of: ["ema", "rma", "wma", "rsi"]))(\(inner), \(events))"
    case 4: return "\(one(of: ["prev", "change"]))(\(inner), \(events))"
    case 5: return "\(one(of: ["vwap", "count"]))(\(window))"
    case 6: return "macd(\(inner), 3, 8)"
    case 7: return "macd_signal(\(inner), 2, 5, 4)"
    case 8: return "bollinger_\(one(of: ["upper", "lower"]))(\(inner), \(window), 2)"
    case 9: return bars ? one(of: ["atr(3)", "supertrend(3, 2)", "stochastic(5)"]) : "stochastic(\(inner), \(events))"
    default:
      return "\(one(of: ["sma", "sum", "stddev", "zscore", "highest", "lowest", "first"]))(\(inner), \(window))"
    }
  }

  // MARK: Events

  private mutating func number() -> Int64 {
    let byte = choices.pick(256)
    switch byte {
    case 250...: return [Int64.min, .max, 0, -1, .max - 1, .min + 1][byte - 250]
    case 240...: return Int64(byte) << Int64(choices.pick(56))
    default: return Int64(byte) * 100_000_000
    }
  }

  /// The next time, after the one before: later, equal, late, or far from all others.
  private mutating func time(_ now: inout Int64) -> (own: Int64, received: Int64) {
    let byte = choices.pick(256)
    if byte < 200 { now &+= Int64(byte % 100) * 250_000_000 }
    switch byte {
    case 250...: return ([Int64.min, .max, 0, -1, .max - 4_000_000_000, now][byte - 250], choices.coin() ? now : .max)
    case 240...: return (now, now - 86_400_000_000_000)
    case 200...: return (now - Int64(byte - 199) * 7_000_000_000, now)
    default: return (now, now)
    }
  }

  private static let opening: Int64 = 1_704_205_800_000_000_000
  private static let symbols: [Symbol] = ["FUN.0", "FUN.1", "FUN.2"]

  mutating func trades() -> [Trade] {
    var (now, trades) = (Self.opening, [Trade]())
    while !choices.rest.isEmpty, trades.count < 100 {
      let kind = choices.pick(256)
      let (time, received) = time(&now)
      trades.append(
        Trade(
          symbol: Self.symbols[kind % 3], price: Price(raw: number()), size: Quantity(raw: number()), time: Timestamp(ns: time),
          received: Timestamp(ns: received), condition: TradeCondition.allCases[kind < 200 ? 0 : kind % TradeCondition.allCases.count]))
    }
    return trades
  }

  mutating func bars() -> [Bar] {
    var (now, bars) = (Self.opening, [Bar]())
    let lengths = [BarLength.time(10_000_000_000), .day, BarLength(raw: -201), .unknown]
    while !choices.rest.isEmpty, bars.count < 100 {
      let kind = choices.pick(256)
      let (time, received) = time(&now)
      let (close, high) = (number(), number())
      bars.append(
        Bar(
          symbol: Self.symbols[kind % 2], open: Price(raw: close), high: Price(raw: high), low: Price(raw: number()),
          close: Price(raw: close), volume: Quantity(raw: number()), time: Timestamp(ns: time / 10_000_000_000 * 10_000_000_000),
          received: Timestamp(ns: received), length: lengths[kind < 180 ? 0 : kind % 4],
          turnover: Amount(raw: Int128(high) * Int128(close)),
          revision: UInt32(kind / 64), status: kind % 7 == 0 ? .partial : .complete))
    }
    return bars
  }
}
