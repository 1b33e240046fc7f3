internal import StockbusExpressions
package import StockbusPlugin

package struct FilterSettings: Options {
  @Setting("The condition that an event must fulfil to pass, such as price > 100 and symbol in [AAPL, NVDA].")
  package var `where`: ConditionText

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    do throws(ExpressionError) { _ = try ExpressionSyntax(self.where.text) } catch { problems.add(TextFault(where: error)) }
  }
}

extension TextFault {
  init(where error: ExpressionError) { self.init("where", "'where': \(error.message)", character: error.range.lowerBound) }
}
