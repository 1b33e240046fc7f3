public import StockbusPlugin

/// What a value has to be: `trade`, `book-*`, `*` (anything that is there), `{}` (an object), `[]` (a list), or with `!` in front the
/// opposite of each: `!*` is a value that is not there.
///
/// Texts, numbers, true, false and null are compared by how they are written.
public struct ValuePattern: Hashable, Sendable {
  /// What is looked for.
  public enum Form: Hashable, Sendable {
    case anything, object, list
    /// The pieces around the stars; one piece where there is none.
    case text([String])
  }
  public let form: Form
  /// True where it must not be so.
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
