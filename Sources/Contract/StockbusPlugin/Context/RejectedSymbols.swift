internal import MarketData
internal import Synchronization

/// The symbols of a run's rejected input, if they could be read. A symbol that seems to be missing may have arrived only there.
package final class RejectedSymbols: Sendable {
  /// The most symbols kept; further ones are ignored.
  private static let limit = 1000
  private let symbols = Mutex<Set<Symbol>>([])

  package init() {}

  func add(_ symbol: Symbol) { symbols.withLock { if $0.count < Self.limit { $0.insert(symbol) } } }

  /// The symbols' names, in alphabetical order.
  package var names: [String] { symbols.withLock { $0.map(\.description) }.sorted() }
}
