internal import StockbusPlugin

/// Names and patterns, with the verdict on every symbol seen so far.
struct WatchlistMatcher {
  private let names: Set<String>
  private let patterns: [[UInt8]]
  private let invert: Bool
  /// By symbol handle: 0 not checked yet, 1 passes, 2 does not.
  private var verdicts: [UInt8] = []
  /// The names that have arrived; updated when a symbol is checked for the first time.
  private(set) var expectedSymbols: ExpectedSymbols

  init(_ entries: [String], invert: Bool, after earlier: ExpectedSymbols? = nil) {
    expectedSymbols = ExpectedSymbols(entries, after: earlier)
    names = Set(entries.filter { !Self.isPattern($0) })
    patterns = entries.filter(Self.isPattern).map { Array($0.utf8) }
    self.invert = invert
  }

  var count: Int { names.count + patterns.count }

  /// Sends the events that pass, and counts the others as filtered.
  mutating func pass<E: SymbolEvent>(_ events: Span<E>, into output: inout Outlet<E>) {
    output.pass(events) { passes(events[$0].symbol) }
  }

  @inline(__always)
  mutating func passes(_ symbol: Symbol) -> Bool {
    let id = Int(symbol.id)
    if id < verdicts.count, verdicts[id] != 0 { return verdicts[id] == 1 }
    return judge(symbol)
  }

  @inline(never)
  private mutating func judge(_ symbol: Symbol) -> Bool {
    expectedSymbols.meet(symbol)
    let id = Int(symbol.id)
    verdicts.grow(toHold: id, filling: 0)
    let isListed = lists(symbol)
    verdicts[id] = isListed != invert ? 1 : 2
    return isListed != invert
  }

  /// True if an entry names the symbol, or matches it.
  func lists(_ symbol: Symbol) -> Bool {
    names.contains(symbol.description) || patterns.contains { Glob.matches(symbol.utf8, $0) }
  }

  /// The first of these entries that names the symbol, or matches it.
  static func listing(_ symbol: Symbol, in entries: [String]) -> Int? {
    entries.firstIndex { $0 == symbol.description || isPattern($0) && Glob.matches(symbol.utf8, Array($0.utf8)) }
  }

  static func isPattern(_ entry: String) -> Bool { Glob.isPattern(entry) }

  /// Why an entry is neither a name nor a pattern; nil if it is one.
  static func fault(in entry: String) -> String? { Glob.fault(in: entry) }

  static func matches(_ name: [UInt8], _ pattern: [UInt8]) -> Bool { name.withUnsafeBufferPointer { Glob.matches($0, pattern) } }
}
