/// How much a market keeps of what comes.
package struct MarketLimits: Hashable {
  /// Symbols with a row. Those that somebody asks for, and those of the configuration's instruments, have one beyond it.
  package var symbols = 200_000
  /// The bytes of trades, seconds and bars of all symbols together.
  package var memory = 128 << 20

  package init() {}

  package init(symbols: Int, memory: Int) { (self.symbols, self.memory) = (symbols, memory) }
}
