import StockbusExpressions
import StockbusPlugin

extension Describe {
  /// The name under which the language of conditions is described.
  static var expressions: String { "expressions" }

  /// The functions of the language of conditions.
  static func expressionText(width: Int) -> String {
    var lines = ["expressions: conditions over the fields of events", ""]
    lines += wrapped(
      "A filter's 'where', rules' 'when' and 'rearm_when', the 'by' of a sorting_feed, and --where of print and tap. The fields are those of the event type: see '\(Program.name) describe trade'.",
      width: width)
    lines += ["", "Functions of one event"] + indented(table(FunctionInfo.all.filter(\.need.isEmpty), width: width - 2))
    lines +=
      ["", "Functions over earlier events, by instrument"] + indented(table(FunctionInfo.all.filter { !$0.need.isEmpty }, width: width - 2))
    let note =
      "x is a field or any other value, n a number of events. A window is a number of events (20), a time (5m), session, or first 15m of the session; it is whole with so many events, after so long a time, and for a session that was seen from its beginning. A function without a result yet is undecided, and nothing passes or fires; '\(Program.name) why SYMBOL' shows what each one has. print, tap and the rows of page and screen see single events, and refuse these functions."
    return (lines + [""] + indented(wrapped(note, width: width - 2))).joined(separator: "\n")
  }

  private static func table(_ functions: [FunctionInfo], width: Int) -> [String] {
    TextTable(
      rows: functions.map { info in
        [info.example, info.doc + (info.need.isEmpty ? "" : " Needs \(info.need).")]
      }
    ).lines(width: width)
  }
}
