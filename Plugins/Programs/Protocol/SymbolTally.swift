internal import EventBus
internal import MarketData

/// The different symbols that a program has brought, so that none can use up the symbol table: those of other sources count too, as far as
/// the program names them.
struct SymbolTally {
  /// How many it may bring.
  let limit: Int
  private var seen: Set<Symbol> = []

  init(limit: Int) { self.limit = limit }

  /// Counts the symbols of an event; returns false if they are too many.
  ///
  /// Unsafe, because it reads fields at their offsets, which come from the event's declaration.
  mutating func takes<E: Event>(_ event: E) -> Bool {
    for field in E.schema.fields where field.layout == .symbol {
      let symbol = withUnsafeBytes(of: event) { $0.load(fromByteOffset: field.offset, as: Symbol.self) }
      if seen.insert(symbol).inserted, seen.count > limit { return false }
    }
    return true
  }

  var count: Int { seen.count }
}
