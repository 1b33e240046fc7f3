package import StockbusExpressions
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

  /// What is wrong with it, as long as nothing is known about the events.
  package func syntaxFault(_ option: String) -> TextFault? {
    do throws(ExpressionError) { _ = try ExpressionSyntax(text) } catch { return TextFault(option, error) }
    return nil
  }

  /// What is wrong with it for events of this type, where all events are judged in their order.
  ///
  /// - Parameter columns: the columns beside the events.
  package func fault<E: Event>(_ option: String, for _: E.Type, reading columns: ColumnLayout) -> TextFault? {
    do throws(ExpressionError) { _ = try Expression<E>(text, in: .withMemory, reading: columns) } catch { return TextFault(option, error) }
    return nil
  }
}

extension TextFault {
  package init(_ option: String, _ error: ExpressionError) {
    self.init(option, "'\(option)': \(error.message)", character: error.range.lowerBound)
  }
}
