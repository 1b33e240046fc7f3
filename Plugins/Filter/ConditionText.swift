public import StockbusPlugin

/// The text of a condition, as an option. Its meaning depends on the event's type, so it is checked when the type is known.
public struct ConditionText: ScalarOption, Hashable {
  public let text: String

  public init(option text: String) throws(OptionTextError) { self.text = text }

  public static var optionType: OptionType {
    OptionType("expression", plural: "expressions", phrase: "an expression such as \(optionSample)")
  }
  public static var optionSample: String { "price > 100" }
  // `true` is an expression too.
  public static var optionSchema: JSONValue { ["type": ["string", "boolean"]] }
  public var optionText: String { text.optionText }
  public var optionJSON: JSONValue { .string(text) }
}
