internal import StockbusPlugin

/// The name of a new plugin, from which the names of its folder and of its types follow.
package struct PluginName: Sendable, Hashable {
  /// The name in a configuration: `big_trades`.
  package let snake: String

  package static let longest = 40

  package init(snake: String) { self.snake = snake }

  /// Why a text cannot be the name of a new plugin, as a sentence without a full stop; nil if it can.
  package static func fault(_ text: String, taken: [String] = []) -> String? {
    let isWord = text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
    let first = text.utf8.first ?? 0
    if !isWord || !(97...122).contains(first) || text.hasSuffix("_") || text.contains("__") {
      return "\(shown(text)) cannot be the name of a plugin: write lower-case letters, digits and single underscores, with a letter first, "
        + "such as big_trades"
    }
    if text.utf8.count > longest { return "\(shown(text)) is longer than \(longest) characters" }
    if keywords.contains(text) { return "\(shown(text)) is a keyword of Swift or Python, and cannot be the name of a plugin" }
    if prefixes.contains(text) { return "\(shown(text)) would give a type the same name as a type of stockbus; choose another name" }
    if taken.contains(text) { return "the plugin \(shown(text)) exists already (see 'list'); choose another name" }
    return nil
  }

  /// `BigTrades`, for types.
  package var upper: String { snake.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() }
  /// `bigTrades`, for a property.
  package var lower: String { upper.prefix(1).lowercased() + upper.dropFirst() }

  /// A plugin may move between Swift and Python, so keywords of both languages are refused.
  private static let keywords: Set<String> = [
    "and", "any", "as", "assert", "async", "await", "break", "case", "catch", "class", "continue", "def", "default", "defer", "deinit",
    "del", "do", "elif", "else", "enum", "except", "extension", "fallthrough", "false", "fileprivate", "finally", "for", "from", "func",
    "global", "guard", "if", "import", "in", "init", "inout", "internal", "is", "lambda", "let", "nil", "none", "nonlocal", "not",
    "operator", "or", "pass", "precedencegroup", "private", "protocol", "public", "raise", "repeat", "rethrows", "return", "self", "some",
    "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "type", "typealias", "var", "where", "while",
    "with", "yield",
  ]

  /// With Processor, Source, Sink, Settings or Plugin appended, these are names of stockbus itself.
  private static let prefixes: Set<String> = [
    "any_event", "async", "event", "multi", "option", "priced_event", "stockbus", "symbol_event", "timed", "timed_event",
  ]
}
