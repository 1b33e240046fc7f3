package import MarketData

/// A rule of a dispatcher, as it stands.
package struct WatchedRule: Hashable, Sendable {
  package enum State: String, Sendable { case on, off, expired }

  /// The dispatcher.
  package let component: String
  package let name: String
  /// Names and patterns, separated by commas; `*` is all.
  package let symbols: String
  /// `crosses_above 200`.
  package let condition: String
  package let state: State

  /// Further rules are not shown.
  package static let limit = 500

  package init(component: String, name: String, symbols: String, condition: String, state: State) {
    self.component = component
    self.name = name
    self.symbols = symbols
    self.condition = condition
    self.state = state
  }

  package func concerns(_ symbol: Symbol) -> Bool {
    symbols.split(separator: ",").contains { Glob.matches(symbol.utf8, Array($0.utf8)) }
  }
}
