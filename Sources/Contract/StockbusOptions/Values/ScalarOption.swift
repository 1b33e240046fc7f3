/// A value that is written as one word. A custom type only needs to conform to this.
public protocol ScalarOption: OptionValue where OptionLeaf == Self {
  /// The value that `text` represents, exactly. The error gives the reason without repeating the text.
  init(option text: String) throws(OptionTextError)
  /// The name of the type.
  static var optionType: OptionType { get }
  /// A value for examples, as written in a configuration.
  static var optionSample: String { get }
  /// A JSON Schema object.
  static var optionSchema: JSONValue { get }
  /// True if the value must never be shown.
  static var optionIsSecret: Bool { get }
  /// True if the value is an address, of which messages show only scheme and host.
  static var optionIsAddress: Bool { get }
}

extension ScalarOption {
  public static var optionIsSecret: Bool { false }
  public static var optionIsAddress: Bool { false }
  public static var optionIsScalar: Bool { true }

  public static func readOption(_ source: OptionSource<Self>, onto base: Self?, _ problems: inout Problems) -> Self? {
    let reason: OptionTextError
    if case .scalar(let text) = source.node.value, !source.node.isNull {
      do throws(OptionTextError) {
        let value = try Self(option: text)
        guard let limit = source.limits.leaf, !limit.holds(value) else { return value }
        let got = source.isFromVariable ? source.node.kind : OptionText.visible(limit.got(value))
        problems.add("\(source.subject) \(limit.demand), got \(got)", at: source.node.mark)
        return nil
      } catch { reason = error }
    } else {
      reason = .mismatch
    }
    let suffix = reason.mayRepeatText && source.isFromVariable ? "" : reason.suffix
    problems.add(source.mismatch(optionShape(OptionContext(), of: nil), isAddress: optionIsAddress) + suffix, at: source.node.mark)
    return nil
  }

  public static func optionShape(_ context: OptionContext<Self>, of base: Self?) -> OptionShape {
    let limit = context.limits.leaf
    let isSampleAllowed = (try? Self(option: optionSample)).map { limit?.holds($0) ?? true } ?? false
    return OptionShape(
      type: optionType, schema: optionSchema.with(limit?.keywords ?? []), range: limit?.text,
      form: optionIsSecret ? .secret : .word(isSampleAllowed ? optionSample : limit?.sample ?? optionSample))
  }
}

extension ScalarOption where Self: FixedWidthInteger {
  public init(option text: String) throws(OptionTextError) {
    if let value = Self(text) {
      self = value
      return
    }
    let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
      // `1,000` and `$5` are whole numbers with marks; `1.5` is not.
      throw NumberText.advice(text, for: .wholeNumber).map(OptionTextError.hint) ?? .mismatch
    }
    throw .because(text.hasPrefix("-") ? "the least is \(Self.min)" : "the greatest is \(Self.max)")
  }
  public static var optionType: OptionType { OptionType("whole number", plural: "whole numbers", phrase: "a whole number") }
  public static var optionSample: String { "1" }
  public static var optionSchema: JSONValue {
    let schema = OptionSchema.text("[+-]?[0-9]+", or: ["integer"])
    return Self.isSigned ? schema : schema.with([.init("minimum", 0)])
  }
  public var optionText: String { String(self) }
  public var optionJSON: JSONValue { .number(self) }
}

extension Int: ScalarOption {}
extension Int32: ScalarOption {}
extension Int64: ScalarOption {}
extension UInt16: ScalarOption {}
extension UInt32: ScalarOption {}
extension UInt64: ScalarOption {}

extension Bool: ScalarOption {
  public init(option text: String) throws(OptionTextError) {
    switch text {
    case "true": self = true
    case "false": self = false
    default:
      switch text.prefix(8).lowercased() {
      case "true", "yes", "on", "y": throw .hint("write true")
      case "false", "no", "off", "n": throw .hint("write false")
      default: throw .mismatch
      }
    }
  }
  public static var optionType: OptionType { OptionType("true or false", plural: "true or false", phrase: "true or false") }
  public static var optionSample: String { "true" }
  public static var optionSchema: JSONValue { OptionSchema.text("true|false", or: ["boolean"]) }
  public var optionText: String { self ? "true" : "false" }
  public var optionJSON: JSONValue { .bool(self) }
}

extension String: ScalarOption {
  public init(option text: String) throws(OptionTextError) { self = text }
  public static var optionType: OptionType { OptionType("text", plural: "texts", phrase: "text") }
  public static var optionSample: String { "text" }
  // An unquoted 5 or true is also text.
  public static var optionSchema: JSONValue { ["type": ["string", "number", "boolean"]] }
  public var optionText: String { OptionText.scalar(self) }
  public var optionJSON: JSONValue { .string(self) }
}
