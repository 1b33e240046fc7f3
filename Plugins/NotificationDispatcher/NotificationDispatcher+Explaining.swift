internal import StockbusExpressions
package import StockbusPlugin
internal import StockbusViewing

/// What the rules do with a symbol.
extension NotificationDispatcher {
  /// The most rules that are explained.
  private static var limit: Int { 50 }

  package func explain(_ symbol: Symbol, last: (any Event)?) -> [Explanation] {
    let concerned = book.rules.enumerated().compactMap { number, rule in rule?.concerns(symbol) == true ? number : nil }
    if concerned.isEmpty { return [Explanation(.filters, "no rule is about it", by: OptionPlace("rules"))] }
    let watches = book.watches(of: symbol)
    return concerned.prefix(Self.limit).compactMap { number in
      book.rules[number].map { rule in
        explain(rule, watches.first { $0.rule == number }, waiting(number, symbol), functions(of: number, after: last))
      }
    }
  }

  /// What the functions of a rule have, to stand behind its condition; empty without functions.
  private func functions(of rule: Int, after last: (any Event)?) -> String {
    guard let last = last as? E else { return "" }
    let functions = conditions?.functions(of: rule, after: last) ?? []
    return functions.isEmpty ? "" : "; " + functions.map(\.description).joined(separator: ", ")
  }

  /// What a rule that waits for time waits for; nil for any other.
  private func waiting(_ number: Int, _ symbol: Symbol) -> String? {
    guard let rule = book.rules[number], let due = book.deadline(of: number, symbol) else { return nil }
    let moment = "fires at \(Timestamp(ns: due))"
    if let held = book.held(number, symbol) {
      let span = Duration.nanoseconds(rule.test.hold).optionText
      return "has been true for \(Duration.nanoseconds(min(held, rule.test.hold)).roughText) of \(span), and \(moment) if it stays so"
    }
    return "\(book.hasCome(symbol) ? "has heard of it" : "has heard nothing of it yet"), and \(moment) if nothing comes"
  }

  private func explain(_ rule: Rule, _ watch: RuleWatch?, _ waiting: String?, _ functions: String) -> Explanation {
    let name = "rule \(shown(rule.name)) (\(rule.conditionText)\(functions))"
    let setting = place(of: rule)
    let fired = watch?.lastFired.map { Timestamp(ns: $0) }
    func say(_ verdict: Explanation.Verdict, _ words: String) -> Explanation {
      Explanation(verdict, "\(name) \(words)", by: setting, at: fired)
    }
    switch state(of: rule) {
    case .on: break
    case let state: return say(.filters, "is \(state.rawValue)")
    }
    if let waiting { return say(.waits, waiting) }
    switch watch?.phase {
    case nil, .unknown:
      return say(.waits, watch == nil || rule.when == nil ? "has received no price of it yet" : "could not be decided yet")
    case .armed, .holding: return say(.waits, fired == nil ? "has not been true yet" : "has fired, and is armed again")
    case .waiting: return say(.filters, "was true again within its cooldown")
    case .spent: return say(.alerts, "has fired, and fires only once")
    case .passed:
      return fired == nil
        ? say(.filters, "was true at the first price, and waits until \(back(rule))")
        : say(.alerts, "has fired, and waits until \(back(rule))")
    }
  }

  /// What arms a rule again.
  private func back(_ rule: Rule) -> String {
    if rule.test.silence > 0 { return "the next event comes" }
    if let condition = rule.rearmWhen { return "\(condition) is true" }
    return rule.when == nil ? "the price has gone back" : "it is false"
  }

  /// Where the rule is written; nil for one that came otherwise.
  private func place(of rule: Rule) -> OptionPlace? {
    settings.rules.firstIndex { $0.effectiveName == rule.name }.map { OptionPlace("rules", item: $0) }
  }
}
