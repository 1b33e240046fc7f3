import MarketData
import StockbusPlugin

/// 2013-10-08T13:30:00Z, the start time of the tests.
let opening: Int64 = 1_381_239_000_000_000_000
let second: Int64 = 1_000_000_000

func trade(_ symbol: Symbol, _ price: Price, size: Quantity = 100) -> Trade {
  Trade(symbol: symbol, price: price, size: size, time: Timestamp(ns: opening), received: Timestamp(ns: opening))
}
