internal import MarketData
internal import StockbusPlugin
internal import StockbusTerminal

/// A rule of a dispatcher, as listed by its `rules` command.
struct WatchedRule: Hashable {
  /// The dispatcher.
  let component: String
  let name: String
  /// Names and patterns, separated by commas; `*` is all.
  let symbols: String
  /// `crosses_above 200`.
  let condition: String
  /// `on`, `off`, `expired`.
  let state: String

  /// Further rules are not shown.
  static let limit = 500

  /// Parses a dispatcher's reply to `rules`: one line for each rule, with fields separated by tabs.
  static func all(_ text: String, of component: String) -> [WatchedRule] {
    text.split(separator: "\n").prefix(limit).compactMap { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 4 else { return nil }
      return WatchedRule(component: component, name: fields[0], symbols: fields[1], condition: fields[2], state: fields[3])
    }
  }

  /// A rule without a name has its condition as its name.
  var isNamedByCondition: Bool { name.contains(condition) }

  /// Its name, its condition and whether it is off, on one line if that fits into so many columns, otherwise on two.
  func lines(columns: Int) -> [String] {
    let off = state == "on" ? "" : " (\(state))"
    if isNamedByCondition { return ["! " + name + off] }
    let one = "! \(name): \(condition)\(off)"
    return one.displayWidth <= columns ? [one] : ["! \(name):", "    " + condition + off]
  }

  func concerns(_ symbol: Symbol) -> Bool {
    symbols.split(separator: ",").contains { Glob.matches(symbol.utf8, Array($0.utf8)) }
  }
}

extension ScreenState {
  /// The dispatcher that also gets the alerts of the screen, and sends them through its channels.
  var dispatcher: RunComponent? { run.component(taking: "add", plugin: "notification_dispatcher") }

  /// The rules of dispatchers, without those that belong to the screen's own alerts.
  var otherRules: [WatchedRule] {
    let own = Set(alerts.filter(\.isDelegated).map(\.rule))
    return rules.filter { !own.contains($0.name) }
  }
}
