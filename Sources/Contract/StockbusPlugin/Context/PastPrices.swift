package import MarketData

/// Market data from before the run: closes and last prices of a history file, as they were when the run began.
///
/// Without a history file there are none, and a run begins with the first price of each symbol.
package struct PastPrices: Sendable {
  /// The close of a symbol on a trading date.
  package struct Close: BitwiseCopyable, Hashable, Sendable {
    /// Days from 1970-01-01 to the trading date.
    package var day: Int
    package var price: Price
    package var decimals: UInt8

    package init(day: Int, price: Price, decimals: UInt8 = 0) {
      self.day = day
      self.price = price
      self.decimals = decimals
    }
  }

  /// The last price of a symbol.
  package struct Last: BitwiseCopyable, Hashable, Sendable {
    package var price: Price
    /// The time of the price according to the venue.
    package var time: Timestamp
    package var decimals: UInt8

    package init(_ price: Price, at time: Timestamp, decimals: UInt8 = 0) {
      self.price = price
      self.time = time
      self.decimals = decimals
    }
  }

  /// The history file, from which more can be read; nil if there is none.
  package let path: String?
  private let closes: [Symbol: Close]
  private let prices: [Symbol: Last]
  private let earlier: @Sendable (Symbol, Int) -> Close?

  /// - Parameters:
  ///   - closes: the newest close of each symbol.
  ///   - earlier: the newest close of a symbol before a day, asked for days up to that of its newest close only: these do not change while
  ///     the run continues. The function may read a file, so it is called once for each symbol and day.
  package init(
    path: String? = nil, closes: [Symbol: Close] = [:], prices: [Symbol: Last] = [:],
    earlier: @escaping @Sendable (Symbol, Int) -> Close? = { _, _ in nil }
  ) {
    self.path = path
    self.closes = closes
    self.prices = prices
    self.earlier = earlier
  }

  package var isEmpty: Bool { closes.isEmpty && prices.isEmpty }

  /// The newest close of a symbol on a trading date before this day.
  package func close(of symbol: Symbol, before day: Int) -> Close? {
    guard let newest = closes[symbol] else { return nil }
    return newest.day < day ? newest : earlier(symbol, day)
  }

  /// The last price of a symbol.
  package func last(of symbol: Symbol) -> Last? { prices[symbol] }

  /// The symbols with a last price, by name.
  package var symbols: [Symbol] { prices.keys.sorted { $0.description < $1.description } }
}

extension PastPrices: Service {
  /// No past prices.
  package static let fallback = PastPrices()
}

extension Context {
  /// The prices from before the run.
  package var past: PastPrices { services[PastPrices.self] }
}
