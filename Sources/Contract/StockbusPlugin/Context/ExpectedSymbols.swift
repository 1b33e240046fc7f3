public import EventBus
public import MarketData

/// The symbols that options name, and which of them have arrived, for a note at the end about the missing ones.
///
/// A processor or sink passes every batch of events to `look`. When all symbols have arrived, a call costs one test of a variable.
public struct ExpectedSymbols: Sendable {
  /// The names as written, and patterns, each of which at least one symbol has to match.
  private let names: [String]
  private var missingNames: Set<String>
  private var missingPatterns: [[UInt8]]
  /// Whether a symbol has arrived, by symbol handle.
  @usableFromInline var hasCome: [Bool] = []
  /// True once any symbol, named or not, has arrived while a named one was missing.
  public private(set) var hasMet = false
  /// True if no symbol is missing any more.
  public var isComplete: Bool { haveAllArrived }
  @usableFromInline var haveAllArrived: Bool

  /// Symbols that had arrived at `earlier` count as arrived.
  public init(_ names: [String], after earlier: ExpectedSymbols? = nil) {
    self.names = names
    missingNames = Set(names.filter { !Glob.isPattern($0) })
    missingPatterns = names.filter { Glob.isPattern($0) }.map { Array($0.utf8) }
    haveAllArrived = names.isEmpty
    guard let earlier else { return }
    for id in earlier.hasCome.indices where earlier.hasCome[id] { meet(Symbol(id: UInt32(id))) }
  }

  /// The symbols that have arrived, for the next instance, which may name others.
  public static var memory: MemoryKey<ExpectedSymbols> { MemoryKey("expected symbols", whenOptionsChange: .keep) }

  /// Notes the symbols of a batch; has no effect once all have arrived.
  @inlinable
  public mutating func look<E: Event>(at events: Span<E>) {
    if haveAllArrived { return }
    let schema = E.schema
    for i in events.indices {
      guard let symbol = schema.symbol(of: events[i]) else { return }
      if Int(symbol.id) >= hasCome.count || !hasCome[Int(symbol.id)] { meet(symbol) }
    }
  }

  /// Notes that a symbol has arrived.
  public mutating func meet(_ symbol: Symbol) {
    let id = Int(symbol.id)
    hasCome.grow(toHold: id, filling: false)
    hasCome[id] = true
    hasMet = true
    if isComplete { return }
    missingNames.remove(symbol.description)
    missingPatterns.removeAll { Glob.matches(symbol.utf8, $0) }
    haveAllArrived = missingNames.isEmpty && missingPatterns.isEmpty
  }

  /// Drops the symbols for which `isReported` returns true, because the user has already been informed about them.
  public mutating func excuse(where isReported: (String) -> Bool) {
    missingNames = missingNames.filter { !isReported($0) }
    haveAllArrived = missingNames.isEmpty && missingPatterns.isEmpty
  }

  /// Sentences about the missing symbols; `rejected` are names from rejected input. See `MissingSymbols`.
  public func sentences(rejected: [String] = []) -> [String] {
    if isComplete { return [] }
    let patterns = Set(missingPatterns)
    let missing = names.filter { missingNames.contains($0) || patterns.contains(Array($0.utf8)) }
    let came = hasCome.indices.lazy.filter { hasCome[$0] }.map { Symbol(id: UInt32($0)).description }
    return MissingSymbols.sentences(missing, cameInstead: Array(came), rejected: rejected)
  }
}

/// Written as the symbols that have arrived: what was decoded is to be passed to `init(_:after:)`.
extension ExpectedSymbols: Codable {
  public init(from decoder: any Decoder) throws {
    self.init([])
    for symbol in try [Symbol](from: decoder) { meet(symbol) }
  }

  public func encode(to encoder: any Encoder) throws {
    try hasCome.indices.lazy.filter { hasCome[$0] }.map { Symbol(id: UInt32($0)) }.encode(to: encoder)
  }
}
