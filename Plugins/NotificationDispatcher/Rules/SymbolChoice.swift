internal import MarketData

/// Names and patterns; a name takes one look-up, however many there are.
struct SymbolChoice: Hashable, Sendable {
  /// The entries as they were written.
  let entries: [String]
  private let names: Set<Symbol>
  private let patterns: [[UInt8]]

  init(_ entries: [String]) {
    self.entries = entries
    // Invalid names were reported when the configuration was checked.
    names = Set(entries.filter { !Glob.isPattern($0) }.compactMap { try? Symbol($0) })
    patterns = entries.filter { Glob.isPattern($0) }.map { Array($0.utf8) }
  }

  /// One symbol, even if its name looks like a pattern.
  init(only symbol: Symbol) {
    entries = [symbol.description]
    names = [symbol]
    patterns = []
  }

  /// The names among the entries, in their order.
  var exact: [Symbol] { entries.compactMap { try? Symbol($0) }.filter { names.contains($0) } }

  func contains(_ symbol: Symbol) -> Bool { names.contains(symbol) || patterns.contains { Glob.matches(symbol.utf8, $0) } }
}

/// Written as the entries, or as the only symbol, whose name may look like a pattern.
extension SymbolChoice: Codable {
  init(from decoder: any Decoder) throws {
    if let symbol = try? Symbol(from: decoder) { self.init(only: symbol) } else { self.init(try [String](from: decoder)) }
  }

  func encode(to encoder: any Encoder) throws {
    guard patterns.isEmpty, entries.count == 1, let symbol = names.first else { return try entries.encode(to: encoder) }
    try symbol.encode(to: encoder)
  }
}
