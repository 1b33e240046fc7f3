import StockbusTestKit

@testable import CombinedQuotes

let second: Int64 = 1_000_000_000
/// 2013-10-08T13:30:00Z, a Tuesday.
let morning: Int64 = 1_381_239_000 * second

func at(_ seconds: Int64) -> Timestamp { Timestamp(ns: morning + seconds * second) }

/// A trade `time` seconds after the beginning, received `after` seconds later.
func trade(
  _ symbol: Symbol, _ price: Price, at time: Int64 = 0, after delay: Int64 = 0, _ condition: TradeCondition = .regular
) -> Trade {
  Trade(symbol: symbol, price: price, size: 1, time: at(time), received: at(time + delay), condition: condition)
}

func quote(
  _ symbol: Symbol, _ bid: Price, _ ask: Price, sizes: (Quantity, Quantity) = (1, 1), at time: Int64 = 0, after delay: Int64 = 0
) -> Quote {
  Quote(
    symbol: symbol, bid: bid, ask: ask, bidSize: sizes.0, askSize: sizes.1, time: at(time), received: at(time + delay))
}

func decimal(_ text: String) -> Price { (try? Price(text)) ?? 0 }

/// A quote in one line: `X 1.5x10/1.6x3 @+60`; the time is that of the receipt, in seconds after the beginning.
func line(_ quote: Quote) -> String {
  "\(quote.symbol) \(quote.bid)x\(quote.bidSize)/\(quote.ask)x\(quote.askSize) @+\(Quantity(raw: quote.received.ns - morning))"
}

func lines<E: Event>(_ options: String, _ inputs: [[E]], in harness: PluginHarness = PluginHarness()) async throws -> [String] {
  let quotes: [Quote] = try await harness.output(of: Plugin.combine, options: options, inputs: inputs)
  return quotes.map(line)
}

func problems<E: Event>(_ options: String, _ events: [E]) async -> String {
  do {
    let _: [Quote] = try await PluginHarness().output(of: Plugin.combine, options: options, inputs: [events])
    return ""
  } catch let problems as Problems { return problems.description } catch { return "\(error)" }
}
