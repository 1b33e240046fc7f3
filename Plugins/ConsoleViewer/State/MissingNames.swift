internal import MarketData
internal import StockbusPlugin

/// What there is to say of symbols that a list asks for and that never came. Looking for what was meant compares with every symbol, so it is
/// done when something has changed only.
struct MissingNames {
  private(set) var sentences: [String] = []
  private var names: [String] = []
  private var symbols = -1

  /// What there is to say where this is the one symbol that is asked for.
  func sentence(of symbol: Symbol) -> String? { names == [symbol.description] ? sentences.first : nil }

  mutating func look(for names: [String], in market: Market, isDue: Bool) {
    let symbols = isDue && !names.isEmpty ? market.rows.count : 0
    if names == self.names, symbols == self.symbols { return }
    self.names = names
    self.symbols = symbols
    sentences = symbols == 0 ? [] : MissingSymbols.sentences(names, cameInstead: market.rows.map(\.symbol.description))
  }
}
