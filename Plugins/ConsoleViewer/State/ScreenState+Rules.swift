internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusViewing

extension WatchedRule {
  /// A rule without a name has its condition as its name.
  var isNamedByCondition: Bool { name.contains(condition) }

  /// Its name, its condition and whether it is off, on one line if that fits into so many columns, otherwise on several.
  func lines(columns: Int) -> [String] {
    let off = state == .on ? "" : " (\(state.rawValue))"
    if isNamedByCondition { return ["! " + name + off] }
    let one = "! \(name): \(condition)\(off)"
    return one.displayWidth <= columns ? [one] : ["! \(name):"] + (condition + off).wrapped(columns: columns - 4).map { "    " + $0 }
  }
}

extension ScreenState {
  /// The dispatcher that also gets the alerts of the screen, and sends them through its channels.
  var dispatcher: RunComponent? { run.components(offering: (any RuleDesk).self).first }

  /// The rules of dispatchers, without those that belong to the screen's own alerts.
  var otherRules: [WatchedRule] {
    let own = Set(alerts.filter(\.isDelegated).map(\.rule))
    return rules.filter { !own.contains($0.name) }
  }
}
