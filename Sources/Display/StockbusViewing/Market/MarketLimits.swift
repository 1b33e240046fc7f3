/// How much of the received data a market keeps.
package struct MarketLimits: Hashable {
  /// The number of symbols with a row. Requested symbols and those of configured instruments have rows beyond it.
  package var symbols = 200_000
  /// The bytes for trades, seconds and bars of all symbols together.
  package var memory = 128 << 20

  package init() {}

  package init(symbols: Int, memory: Int) { (self.symbols, self.memory) = (symbols, memory) }
}
