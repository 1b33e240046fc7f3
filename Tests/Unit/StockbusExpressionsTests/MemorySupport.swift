import EventBus
import MarketData
import TestSupport

@testable import StockbusExpressions

/// A function as a condition, which compares it with something of its kind.
func condition<E: Event>(_ function: String, _: E.Type) throws(ExpressionError) -> Expression<E> {
  for other in ["0", "0s", "2013-10-08T13:30:00Z"] {
    if let expression = try? Expression<E>("\(function) == \(other)", in: .withMemory) { return expression }
  }
  return try Expression(function, in: .withMemory)
}

extension ExpressionRunner where E: Event {
  /// Judges one batch.
  mutating func take(_ events: [E]) { judge(events.span) { _, _ in } }
}

/// The results of functions for all events, which come in batches of random sizes. The functions share one runner.
func results<E: Event>(
  _ functions: [String], _ events: [E], _ settings: ExpressionRunner<E>.Settings = .init(), seed: Int = 1
) throws -> [[Int64?]] {
  var runner = ExpressionRunner(try functions.map { try condition($0, E.self) }, settings)
  var random = SplitMix(seed)
  var results = functions.map { _ in [Int64?]() }
  var begin = 0
  while begin < events.count {
    let end = min(events.count, begin + 1 + random.upTo(random.oneIn(4) ? 0 : 255))
    let batch = Array(events[begin..<end])
    runner.take(batch)
    for (i, function) in functions.enumerated() { results[i] += runner.results(of: function, batch.count) }
    begin = end
  }
  return results
}

/// The results of one function, as decimal numbers.
func decimals<E: Event>(_ function: String, _ events: [E], _ settings: ExpressionRunner<E>.Settings = .init()) throws -> [String] {
  try results([function], events, settings)[0].map { $0.map { Syntax.decimal(Int128($0)) } ?? "-" }
}

/// The verdicts of a condition on all events.
func verdicts<E: Event>(_ text: String, _ events: [E], _ settings: ExpressionRunner<E>.Settings = .init()) throws -> [Verdict] {
  var runner = ExpressionRunner(try Expression<E>(text, in: .withMemory), settings)
  var verdicts: [Verdict] = []
  runner.judge(events.span) { _, chunk in for i in chunk.indices { verdicts.append(chunk[i]) } }
  return verdicts
}

/// 2024-01-02T14:30:00Z.
let opening: Int64 = 1_704_205_800_000_000_000
let second: Int64 = 1_000_000_000

/// A trade some seconds after the opening.
func trade(
  _ price: Price, _ size: Quantity = 1, at seconds: Double = 0, symbol: Symbol = "A", condition: TradeCondition = .regular
) -> Trade {
  let time = Timestamp(ns: opening + Int64(seconds * 1e9))
  return Trade(symbol: symbol, price: price, size: size, time: time, received: time, condition: condition)
}

/// A bar of a minute, some minutes after the opening.
func bar(
  _ close: Price, high: Price? = nil, low: Price? = nil, volume: Quantity = 1, minute: Int64, revision: UInt32 = 0,
  status: BarStatus = .complete, symbol: Symbol = "A", length: Int64 = 60
) -> Bar {
  let time = opening + minute * 60 * second
  return Bar(
    symbol: symbol, open: close, high: high ?? close, low: low ?? close, close: close, volume: volume, time: Timestamp(ns: time),
    received: Timestamp(ns: time + length * second), length: .time(length * second), turnover: Amount(close, times: volume),
    revision: revision, status: status)
}

/// A session that begins at the opening and ends after 6.5 hours, every 24 hours.
struct RegularHours: SessionSource {
  func session(of _: Symbol, at time: Timestamp) -> Range<Timestamp> {
    let day: Int64 = 86_400 * second
    var begin = opening + (time.ns - opening) / day * day
    if time.ns < begin { begin -= day }
    // Between two sessions it is the next one.
    if time.ns >= begin + 23_400 * second { begin += day }
    return Timestamp(ns: begin)..<Timestamp(ns: begin + 23_400 * second)
  }
}
