package import StockbusInstruments
package import StockbusPlugin

package struct FilterSettings: Options {
  @Setting(
    "The condition that an event must fulfil to pass, such as price > 100 and symbol in [AAPL, NVDA]; it may look at earlier events, as in price > sma(price, 20)."
  )
  package var `where`: ConditionText
  @Setting(
    "For windows such as session and first 15m: which sessions of instruments with a calendar count, all (pre, regular, post) or regular ones only."
  )
  package var sessions = CountedSessions.all

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    if let fault = self.where.syntaxFault("where") { problems.add(fault) }
  }
}
