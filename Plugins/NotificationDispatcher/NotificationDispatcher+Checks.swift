internal import StockbusExpressions
internal import StockbusInstruments
package import StockbusPlugin

/// What its settings say before a run.
extension NotificationDispatcher {
  package static func withoutEffects(_ settings: NotificationSettings) -> NotificationSettings {
    var settings = settings
    settings.channels = []
    for i in settings.rules.indices { settings.rules[i].channels = nil }
    return settings
  }

  package static func faults(in settings: NotificationSettings) -> [(option: String, message: String)] {
    RuleConditions<E>.excess(settings.rules.map { Rule($0) }).map { [("rules", "'rules': \($0)")] } ?? []
  }

  package static func textFaults(in settings: NotificationSettings, reading columns: ColumnLayout) -> [TextFault] {
    settings.rules.enumerated().flatMap { number, rule in
      rule.expressions.compactMap { $0.text.fault($0.option, for: E.self, reading: columns)?.inside("rules", item: number) }
    }
  }

  package static func needs(_ settings: NotificationSettings) -> [PastNeed] {
    let functions = settings.rules.flatMap { rule in
      rule.expressions.flatMap { (try? Expression<E>($0.text.text, in: .withMemory))?.needs ?? [] }
    }
    let windows = settings.rules.compactMap { rule in rule.window.map { PastNeed("the window of \(shown(rule.effectiveName))", .time($0)) }
    }
    return .all(functions) + windows
  }

  package static func namedSymbols(_ settings: NotificationSettings) -> [NamedSymbol] {
    settings.rules.enumerated().flatMap { number, rule in rule.namedSymbols.map { $0.inside("rules", item: number) } }
  }
}
