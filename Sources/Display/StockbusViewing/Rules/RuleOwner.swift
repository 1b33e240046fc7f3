/// The owner of an alert rule, as stated by the rule's name: `@hannah AAPL above 88` is hannah's own rule `AAPL above 88`; without `@` a
/// rule is everybody's. A dispatcher names rules with an `owner` in this way.
package struct RuleOwner: Hashable, Sendable {
  /// The owner's name; nil for everybody's rule.
  package let name: String?
  /// The owner's title of the rule.
  package let title: String

  package init(ofRule rule: String) {
    guard rule.hasPrefix("@"), let blank = rule.firstIndex(of: " ") else {
      (name, title) = (nil, rule)
      return
    }
    (name, title) = (String(rule[rule.index(after: rule.startIndex)..<blank]), String(rule[rule.index(after: blank)...]))
  }

  package init(name: String?, title: String) { (self.name, self.title) = (name, title) }

  /// The rule's name in the run.
  package var rule: String { name.map { "@\($0) \(title)" } ?? title }
}
