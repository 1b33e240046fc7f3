package import StockbusInstruments
package import StockbusPlugin

package struct DeriveSettings: Options {
  @Setting(
    "By name the number, or the condition, that is computed for each event, such as { vwap: vwap(session), off: price - vwap }; one may use those before it.",
    count: 1...32)
  package var columns: Mapping<ConditionText>
  @Setting(
    "For windows such as session and first 15m: which sessions of instruments with a calendar count, all (pre, regular, post) or regular ones only."
  )
  package var sessions = CountedSessions.all

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    for (name, text) in columns.entries { if let fault = text.syntaxFault(name) { problems.add(fault.inside("columns")) } }
  }

  var texts: [(name: String, text: String)] { columns.entries.map { ($0.name, $0.value.text) } }
}
