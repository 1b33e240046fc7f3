package import StockbusPlugin

/// The text of a condition, as an option. Its meaning depends on the event's type, so it is checked when the type is known.
package struct ConditionText: ScalarOption, Hashable {
  package let text: String

  package init(option text: String) throws(OptionTextError) { self.text = text }

  package static var optionType: OptionType {
    OptionType("expression", plural: "expressions", phrase: "an expression such as \(optionSample)")
  }
  package static var optionSample: String { "price > 100" }
  // `true` is an expression too.
  package static var optionSchema: JSONValue { ["type": ["string", "boolean"]] }
  package var optionText: String { text.optionText }
  package var optionJSON: JSONValue { .string(text) }
}
