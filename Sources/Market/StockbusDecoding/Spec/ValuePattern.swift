package import StockbusPlugin

/// A condition on a value: `trade`, `book-*`, `*` (any value), `{}` (an object), `[]` (a list), or the negation of each with a preceding
/// `!`: `!*` is a missing value.
///
/// Texts, numbers, true, false and null are compared by their written form.
package struct ValuePattern: Hashable, Sendable {
  /// The form of the condition.
  package enum Form: Hashable, Sendable {
    case anything, object, list
    /// The pieces between the asterisks; one piece if there is none.
    case text([String])
  }
  package let form: Form
  /// True if the condition is negated.
  package let isNegated: Bool

  package init(_ text: String) {
    isNegated = text.hasPrefix("!")
    let text = isNegated ? String(text.dropFirst()) : text
    form =
      switch text {
      case "*": .anything
      case "{}": .object
      case "[]": .list
      default: .text(text.split(separator: "*", omittingEmptySubsequences: false).map(String.init))
      }
  }
}

extension ValuePattern: CustomStringConvertible {
  package var description: String {
    let text =
      switch form {
      case .anything: "*"
      case .object: "{}"
      case .list: "[]"
      case .text(let pieces): pieces.joined(separator: "*")
      }
    return (isNegated ? "!" : "") + text
  }
}

extension ValuePattern: ScalarOption {
  package init(option text: String) throws(OptionTextError) { self.init(text) }
  package static var optionType: OptionType {
    OptionType("pattern", plural: "patterns", phrase: "a pattern such as trade, book-*, * or !*", pluralPhrase: "patterns")
  }
  package static var optionSample: String { "trade" }
  package static var optionSchema: JSONValue { ["type": ["string", "number", "boolean"]] }
  package var optionText: String { description.optionText }
  package var optionJSON: JSONValue { .string(description) }
}

extension ValuePattern: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { self.init(text) }
}
