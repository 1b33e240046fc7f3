internal import MarketData

/// A variable whose value is part of a text. Messages show its name, never the value, which may be a password.
package struct VariableValue: Sendable, Hashable {
  package let name: String
  /// The variable's value, or the default that replaced it. Never put it into a message.
  let value: Secret

  package init(name: String, value: String) {
    self.name = name
    self.value = Secret(value)
  }

  /// The reference as written: `${TOKEN}`.
  var reference: String { "${\(name)}" }
}

extension ConfigNode {
  /// The form of a value that messages show: the text between quotation marks; `the value of ${TOKEN}` if it came from a variable; only
  /// scheme and host of an address.
  package var shownText: String {
    guard case .scalar(let text) = value else { return kind }
    guard let first = variables.first else { return shown(ShownAddress.hasScheme(text) ? ShownAddress.of(text) : text) }
    let names = variables.map(\.reference).joined(separator: ", ")
    return variables.count == 1 && first.value.revealed == text ? "the value of \(names)" : "a text with the value of \(names)"
  }
}

/// Removes the values of variables from messages about a piece of configuration. Messages of plugins may contain any value they were given,
/// so this is a safety net for all of them.
struct Redaction {
  private var texts: [(text: String, reference: String)] = []

  /// Shorter texts occur in too many messages by chance.
  private static let least = 6
  /// This many consecutive bytes of a text do not occur in a message by chance.
  private static let run = 9

  init(_ node: ConfigNode?) {
    if let node { collect(node) }
    texts.sort { ($0.text.utf8.count, $0.text) > ($1.text.utf8.count, $1.text) }
  }

  private mutating func collect(_ node: ConfigNode) {
    switch node.value {
    case .scalar(let text):
      for variable in node.variables { add(variable.value.revealed, variable.reference) }
      if !node.variables.isEmpty { add(text, node.variables.map(\.reference).joined(separator: ", ")) }
    case .list(let items): for item in items { collect(item) }
    case .map(let entries): for entry in entries { collect(entry.value) }
    }
  }

  private mutating func add(_ text: String, _ reference: String) {
    if text.utf8.count >= Self.least { texts.append((text, reference)) }
  }

  /// The message with variables' names instead of their values. If a part of a value remains in it, a general message is returned instead.
  func callAsFunction(_ message: String) -> String {
    var message = message
    for (text, reference) in texts where message.utf8.count < 1 << 16 {
      for form in [text, OptionText.visible(text, limit: .max)] where message.contains(form) {
        message = message.replacing(form, with: reference)
      }
    }
    let runs = Self.runs(of: message)
    for (text, reference) in texts where !Self.runs(of: text).isDisjoint(with: runs) {
      return "a value from \(reference) is not valid; it is not shown here"
    }
    return message
  }

  private static func runs(of text: String) -> Set<[UInt8]> {
    let bytes = Array(text.utf8.prefix(1 << 14))
    return bytes.count < run ? [] : Set((0...(bytes.count - run)).map { Array(bytes[$0..<($0 + run)]) })
  }
}

extension ConfigNode {
  /// The text without the values of the variables at this node.
  package func redacted(_ text: String) -> String { Redaction(self)(text) }
}

extension Problems {
  /// The same problems without the values of the variables at `node`.
  package func redacted(_ node: ConfigNode?) -> Problems {
    if isEmpty { return self }
    let redaction = Redaction(node)
    var copy = Problems()
    for problem in list { copy.add(redaction(problem.message), at: problem.mark) }
    return copy
  }
}
