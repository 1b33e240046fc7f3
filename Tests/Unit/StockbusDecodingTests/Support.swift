import MarketData
import StockbusPlugin

@testable import StockbusDecoding

/// The result of a message: its verdict and its events, each as a line.
struct Result: Equatable {
  var verdict: MessageOutcome
  var events: [String]

  init(_ verdict: MessageOutcome, _ events: [String] = []) {
    self.verdict = verdict
    self.events = events
  }
}

/// The time of receipt of the tests' messages.
let received = Timestamp(ns: 1_700_000_000_000_000_000)

/// Decodes messages one after the other over one connection.
func decode<E: DecodedEvent>(_ messages: [String], _ spec: DecodingSpec, as _: E.Type, symbols: [Symbol] = []) throws -> [Result] {
  var decoder = try MessageDecoder<E>(spec, symbols: symbols)
  return messages.map { message in
    var events: [String] = []
    let verdict = decoder.decode(message, received: received) { events.append(line($0)) }
    return Result(verdict, events)
  }
}

/// `BTCUSDT 61685.99 x0.5 buy @2024-08-09T00:00:01.437Z`; `@-` if the time is the time of receipt.
func line(_ event: some DecodedEvent) -> String {
  switch event {
  case let trade as Trade:
    "\(trade.symbol) \(trade.price.formatted(decimals: Int(trade.priceDecimals)))"
      + " x\(trade.size.formatted(decimals: Int(trade.sizeDecimals))) \(trade.side) \(time(trade.time))"
  case let quote as Quote:
    "\(quote.symbol) \(quote.bid.formatted(decimals: Int(quote.priceDecimals))) x\(quote.bidSize)"
      + " / \(quote.ask.formatted(decimals: Int(quote.priceDecimals))) x\(quote.askSize) \(time(quote.time))"
  case let bar as Bar:
    "\(bar.symbol) \(bar.open) \(bar.high) \(bar.low) \(bar.close) x\(bar.volume) \(bar.length == .unknown ? "" : "\(bar.length) ")"
      + time(bar.time)
  default: "?"
  }
}

private func time(_ time: Timestamp) -> String { time == received ? "@-" : "@\(time)" }
