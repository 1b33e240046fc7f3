public import EventBus
public import MarketData

/// The symbols that somebody has named, and whether they have come: what is missing at the end is worth a note.
///
/// A processor or sink shows it every run of events; when all have come, that costs a test of one variable.
public struct ExpectedSymbols: Sendable {
  /// As they were written: names, and patterns, of which one symbol has to come.
  private let names: [String]
  private var missingNames: Set<String>
  private var missingPatterns: [[UInt8]]
  /// By symbol handle.
  @usableFromInline var hasCome: [Bool] = []
  /// True once a symbol has come, named or not, while a named one was missing.
  public private(set) var hasMet = false
  /// True where nobody is missing any more.
  public var isComplete: Bool { isEverybodyThere }
  @usableFromInline var isEverybodyThere: Bool

  /// Whatever had come to `earlier` has come.
  public init(_ names: [String], after earlier: ExpectedSymbols? = nil) {
    self.names = names
    missingNames = Set(names.filter { !Glob.isPattern($0) })
    missingPatterns = names.filter { Glob.isPattern($0) }.map { Array($0.utf8) }
    isEverybodyThere = names.isEmpty
    guard let earlier else { return }
    for id in earlier.hasCome.indices where earlier.hasCome[id] { meet(Symbol(id: UInt32(id))) }
  }

  /// Who has come, for the next instance, whose names may be others.
  public static var memory: MemoryKey<ExpectedSymbols> { MemoryKey("expected symbols", whenOptionsChange: .keep) }

  /// Looks at a run of events; nothing to do where all have come.
  @inlinable
  public mutating func look<E: Event>(at events: Span<E>) {
    if isEverybodyThere { return }
    let schema = E.schema
    for i in events.indices {
      guard let symbol = schema.symbol(of: events[i]) else { return }
      if Int(symbol.id) >= hasCome.count || !hasCome[Int(symbol.id)] { meet(symbol) }
    }
  }

  /// A symbol has come.
  public mutating func meet(_ symbol: Symbol) {
    let id = Int(symbol.id)
    hasCome.grow(toHold: id, filling: false)
    hasCome[id] = true
    hasMet = true
    if isComplete { return }
    missingNames.remove(symbol.description)
    missingPatterns.removeAll { Glob.matches(symbol.utf8, $0) }
    isEverybodyThere = missingNames.isEmpty && missingPatterns.isEmpty
  }

  /// Nothing is said of the symbols for which `isTold` is true: the user knows already.
  public mutating func excuse(where isTold: (String) -> Bool) {
    missingNames = missingNames.filter { !isTold($0) }
    isEverybodyThere = missingNames.isEmpty && missingPatterns.isEmpty
  }

  /// What there is to say of those that are missing, where these names have come only in what was set aside; see `MissingSymbols`.
  public func sentences(rejected: [String] = []) -> [String] {
    if isComplete { return [] }
    let patterns = Set(missingPatterns)
    let missing = names.filter { missingNames.contains($0) || patterns.contains(Array($0.utf8)) }
    let came = hasCome.indices.lazy.filter { hasCome[$0] }.map { Symbol(id: UInt32($0)).description }
    return MissingSymbols.sentences(missing, cameInstead: Array(came), rejected: rejected)
  }
}
