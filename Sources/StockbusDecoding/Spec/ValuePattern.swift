public import StockbusPlugin

/// A condition on a value: `trade`, `book-*`, `*` (any value), `{}` (an object), `[]` (a list), or the negation of each with `!` in front:
/// `!*` is a value that is missing.
///
/// Texts, numbers, true, false and null are compared by their written form.
public struct ValuePattern: Hashable, Sendable {
  /// The form of the condition.
  public enum Form: Hashable, Sendable {
    case anything, object, list
    /// The pieces between the asterisks; one piece if there is none.
    case text([String])
  }
  public let form: Form
  /// True if the condition is negated.
  public let isNegated: Bool

  public init(_ text: String) {
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
  public var description: String {
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
  public init(option text: String) throws(OptionTextError) { self.init(text) }
  public static var optionType: OptionType {
    OptionType("pattern", plural: "patterns", phrase: "a pattern such as trade, book-*, * or !*", pluralPhrase: "patterns")
  }
  public static var optionSample: String { "trade" }
  public static var optionSchema: JSONValue { ["type": ["string", "number", "boolean"]] }
  public var optionText: String { description.optionText }
  public var optionJSON: JSONValue { .string(description) }
}

extension ValuePattern: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(text) }
}
