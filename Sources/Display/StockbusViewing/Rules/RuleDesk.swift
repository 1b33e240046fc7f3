package import StockbusPlugin

/// The door of a component that keeps rules about prices, for front ends and for the component's own text commands.
///
/// A refusal names a rule as its owner does, and suggests no rule of another person. Without an owner, rules have their full names.
package protocol RuleDesk: Sendable {
  /// At most `WatchedRule.limit` of them.
  func rules() async -> [WatchedRule]
  func add(_ rule: RuleRequest) async throws(CommandError) -> RuleChange
  func remove(_ rule: RuleOwner) async throws(CommandError) -> RuleChange
  func mute(_ rule: RuleOwner, _ isMuted: Bool) async throws(CommandError) -> RuleChange
}

/// A component whose settings have rules about prices.
package protocol RuleKeepingComponent: Component {
  /// The rules, as they stand before the first event.
  static func rules(in settings: Settings, of id: String) -> [WatchedRule]
}

extension RuleKeepingComponent {
  /// Those in settings of its own type.
  package static func rules(inAny settings: any Options, of id: String) -> [WatchedRule] {
    (settings as? Settings).map { rules(in: $0, of: id) } ?? []
  }
}

/// The request for a rule: its subject, and the options of a rule as in a configuration, with texts for values.
package struct RuleRequest: Hashable, Sendable {
  package enum Subject: Hashable, Sendable {
    case all
    /// This one, even if its name looks like a pattern.
    case symbol(String)
    /// Names and patterns.
    case symbols([String])
  }

  package struct Option: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package var subject: Subject
  package var options: [Option]
  /// The person of a dashboard whose own rule it is; nil for everybody's.
  package var owner: String?

  package init(_ subject: Subject, _ options: [Option] = [], owner: String? = nil) {
    self.subject = subject
    self.options = options
    self.owner = owner
  }
}

/// What became of a rule.
package struct RuleChange: Hashable, Sendable {
  package enum State: String, Sendable { case on, off, gone }

  /// As its owner calls it.
  package var rule: String
  package var state: State
  /// What is allowed and probably not meant, in sentences.
  package var remarks: [String]

  package init(_ rule: String, is state: State, remarks: [String] = []) {
    self.rule = rule
    self.state = state
    self.remarks = remarks
  }

  package var text: String { (["rule \(shown(rule)) is \(state.rawValue)"] + remarks).joined(separator: "; ") }
}
