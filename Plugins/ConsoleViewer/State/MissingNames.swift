internal import StockbusPlugin
internal import StockbusViewing

/// Messages about symbols that a list names and that have not arrived. The search for similar names compares with every symbol, so it is
/// repeated only after a change.
struct MissingNames {
  private(set) var sentences: [String] = []
  private var names: [String] = []
  private var symbols = -1
  /// When a symbol without an event is reported as missing; nil before the first price.
  private(set) var due: Int64?

  /// The message if this is the only requested symbol.
  func sentence(of symbol: Symbol) -> String? { names == [symbol.description] ? sentences.first : nil }

  /// The first price begins the time in which symbols may come.
  mutating func wait(in market: Market, at now: Int64) {
    if due == nil, market.total > 0, !market.rows.isEmpty { due = now + 2_000_000_000 }
  }

  mutating func look(for names: [String], in market: Market, at now: Int64) {
    let symbols = (due ?? .max) <= now && !names.isEmpty ? market.rows.count : 0
    if names == self.names, symbols == self.symbols { return }
    self.names = names
    self.symbols = symbols
    // A symbol that has arrived and waits for a row is not missing.
    let names = names.filter { Symbol(known: $0).map { !market.isBeyond($0) } ?? true }
    sentences = symbols == 0 ? [] : MissingSymbols.sentences(names, cameInstead: market.rows.map(\.symbol.description))
  }
}
