internal import MarketData

/// Names and patterns; a name is one look-up, however many there are.
struct SymbolChoice: Hashable, Sendable {
  /// As they were written.
  let entries: [String]
  private let names: Set<Symbol>
  private let patterns: [[UInt8]]

  init(_ entries: [String]) {
    self.entries = entries
    // What is no name was found when the configuration was checked.
    names = Set(entries.filter { !Glob.isPattern($0) }.compactMap { try? Symbol($0) })
    patterns = entries.filter { Glob.isPattern($0) }.map { Array($0.utf8) }
  }

  /// One symbol, whatever its name looks like.
  init(only symbol: Symbol) {
    entries = [symbol.description]
    names = [symbol]
    patterns = []
  }

  func contains(_ symbol: Symbol) -> Bool { names.contains(symbol) || patterns.contains { Glob.matches(symbol.utf8, $0) } }
}
