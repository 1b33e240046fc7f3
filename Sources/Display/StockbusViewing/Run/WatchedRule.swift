package import MarketData

/// A rule of a dispatcher, as listed by its `rules` command.
package struct WatchedRule: Hashable, Sendable {
  /// The dispatcher.
  package let component: String
  package let name: String
  /// Names and patterns, separated by commas; `*` is all.
  package let symbols: String
  /// `crosses_above 200`.
  package let condition: String
  /// `on`, `off`, `expired`.
  package let state: String

  /// Further rules are not shown.
  package static let limit = 500

  /// Parses a dispatcher's reply to `rules`: one line for each rule, with fields separated by tabs.
  package static func all(_ text: String, of component: String) -> [WatchedRule] {
    text.split(separator: "\n").prefix(limit).compactMap { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 4 else { return nil }
      return WatchedRule(component: component, name: fields[0], symbols: fields[1], condition: fields[2], state: fields[3])
    }
  }

  package func concerns(_ symbol: Symbol) -> Bool {
    symbols.split(separator: ",").contains { Glob.matches(symbol.utf8, Array($0.utf8)) }
  }
}
