import StockbusTestKit

@testable import Guard

let milli: Int64 = 1_000_000
/// 2013-10-08T13:30:00Z, a Tuesday.
let morning: Int64 = 1_381_239_000_000 * milli

func at(_ millis: Int64) -> Timestamp { Timestamp(ns: morning + millis * milli) }

/// A trade dated `time` milliseconds after the beginning, received `after` milliseconds later.
func trade(
  _ symbol: Symbol, at time: Int64, after delay: Int64 = 0, _ price: Price = 100, _ condition: TradeCondition = .regular
) -> Trade {
  Trade(symbol: symbol, price: price, size: 1, time: at(time), received: at(time + delay), condition: condition)
}

/// Trades of A at these prices, one a second.
func trades(_ prices: [Price]) -> [Trade] { prices.enumerated().map { trade("A", at: Int64($0) * 1000, $1) } }

/// A trade in one line: `A 150 @350`, its time and its receipt in milliseconds after the beginning.
func line(_ trade: Trade) -> String {
  "\(trade.symbol) \((trade.time.ns - morning) / milli) @\((trade.received.ns - morning) / milli)"
}

/// The plugin behind `NAME.odd`.
var oddHalf: Plugin { Plugin.guard.parts[0] }

func output<E: Event>(
  _ options: String, _ events: [E], odd: Bool = false, in harness: PluginHarness = PluginHarness()
) async throws -> [E] {
  try await harness.output(of: odd ? oddHalf : Plugin.guard, options: options, inputs: [events])
}

func lines(_ options: String, _ trades: [Trade], odd: Bool = false, in harness: PluginHarness = PluginHarness()) async throws -> [String] {
  try await output(options, trades, odd: odd, in: harness).map(line)
}

func problems<E: Event>(_ options: String, _ events: [E]) async -> String {
  do {
    let _: [E] = try await output(options, events)
    return ""
  } catch let problems as Problems { return problems.description } catch { return "\(error)" }
}
