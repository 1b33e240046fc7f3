internal import StockbusInstruments
package import StockbusPlugin
package import StockbusViewing

extension NotificationDispatcher: RuleKeepingComponent {
  package static func rules(in settings: NotificationSettings, of id: String) -> [WatchedRule] {
    settings.rules.map { Rule($0) }.map { rule in
      WatchedRule(component: id, name: rule.name, symbols: rule.subject, condition: rule.conditionText, state: rule.isEnabled ? .on : .off)
    }
  }
}

extension NotificationDispatcher: OfferingComponent, RuleDesk {
  package static var doors: [ComponentDoor<NotificationDispatcher>] { [ComponentDoor((any RuleDesk).self) { $0 }] }

  package func rules() -> [WatchedRule] {
    book.present.prefix(WatchedRule.limit).map { rule in
      WatchedRule(
        component: context.id, name: rule.name, symbols: rule.subject,
        condition: rule.conditionText, state: state(of: rule))
    }
  }

  func state(of rule: Rule) -> WatchedRule.State {
    if rule.test.expires != .max, rule.test.expires <= book.newest ?? context.clock.now.ns { return .expired }
    return rule.isEnabled && !switches.isSilent(at: context.clock) ? .on : .off
  }

  private static var mostRules: Int { 10_000 }

  package func add(_ request: RuleRequest) throws(CommandError) -> RuleChange {
    try checkRunning()
    let settings = try RuleSettings(request)
    let name = request.owner == nil ? settings.effectiveName : settings.title
    if book.number(of: settings.effectiveName) != nil { throw CommandError("the rule \(shown(name)) exists already") }
    for channel in settings.channels ?? [] where deliveries.number(of: channel) == nil {
      throw unknown("channel", channel, among: deliveries.queues.map(\.name))
    }
    if book.present.count >= Self.mostRules { throw CommandError("there are \(Self.mostRules) rules already") }
    for (option, text) in settings.expressions {
      if let fault = text.fault(option, for: E.self, reading: context.columns.layout) { throw CommandError(fault.message) }
    }
    let rule = Rule(settings)
    if rule.test.needsTime, !Self.worksWithTime(self.settings) {
      throw CommandError(
        "a rule with 'for' or 'silent_for', or with 'resolve' and 'expires', waits for time, which \(context.id) gets only if its configuration has such a rule"
      )
    }
    if rule.hasExpressions, let excess = RuleConditions<E>.excess(book.rules + [rule]) { throw CommandError(excess) }
    book.add(rule)
    renewConditions()
    // The loop sleeps until a time that may be later than that of the new rule.
    if rule.test.needsTime { context.requestAdvance() }
    return RuleChange(name, is: .on, remarks: book.slips(in: rule))
  }

  package func remove(_ rule: RuleOwner) throws(CommandError) -> RuleChange {
    book.remove(try number(of: rule))
    endWithoutRule()
    renewConditions()
    return RuleChange(rule.title, is: .gone)
  }

  package func mute(_ rule: RuleOwner, _ isMuted: Bool) throws(CommandError) -> RuleChange {
    book.setEnabled(try number(of: rule), !isMuted)
    return RuleChange(rule.title, is: isMuted ? .off : .on)
  }

  private func number(of rule: RuleOwner) throws(CommandError) -> Int {
    try checkRunning()
    if let number = book.number(of: rule.rule) { return number }
    let own = book.present.map { RuleOwner(ofRule: $0.name) }.filter { $0.name == rule.name }
    throw unknown("rule", rule.title, among: rule.name == nil ? book.present.map(\.name) : own.map(\.title))
  }

  /// Who has found the door before the end may come in after it, when nothing is kept any more.
  func checkRunning() throws(CommandError) { if hasStopped { throw .notRunning(context.id) } }
}
