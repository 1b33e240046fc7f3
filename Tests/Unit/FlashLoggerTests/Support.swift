import StockbusPlugin

/// Trades of symbols at prices in hundredths, one each second from `first` on.
func trades(_ prices: [(Symbol, Int64)], from first: Int64 = 0) -> [Trade] {
  prices.enumerated().map { i, price in
    let time = Timestamp(ns: (first + Int64(i)) * 1_000_000_000)
    return Trade(symbol: price.0, price: Price(raw: price.1 * 10_000_000), size: 1, time: time, received: time, priceDecimals: 2)
  }
}
