import StockbusConfig
import StockbusControl
import StockbusPlugin
import StockbusProgram
import StockbusRuntime

/// How a run treats a symbol, for people.
struct SymbolText {
  let report: SymbolReport

  var lines: [String] {
    var lines = [report.verdict, ""]
    lines += StatusText.table([["COMPONENT", "PLUGIN", "STATE", "IN", "OUT", "REASON"]] + rows, numbers: [3, 4])
    if report.missed > 0 {
      lines += ["", "\(Ledger.grouped(report.missed)) events of all symbols were not examined, because they came too fast"]
    }
    return lines
  }

  /// A component has one row for each of its reasons.
  private var rows: [[String]] {
    report.components.flatMap { component in
      var sayings = component.reasons.map(saying)
      if component.leftOut > 0 {
        sayings.append("\(Ledger.grouped(component.leftOut)) events of all symbols were dropped or conflated before it")
      }
      let first = [
        component.id, component.plugin, component.state.replacing("_", with: " "), component.in.map { Ledger.grouped($0) } ?? "",
        component.out.map { Ledger.grouped($0) } ?? "", sayings.first ?? "",
      ]
      return [first] + sayings.dropFirst().map { ["", "", "", "", "", $0] }
    }
  }

  /// `filters: 'symbols' does not list it (plugins.yaml:9:24)`.
  private func saying(_ reason: SymbolReport.Reason) -> String {
    let time = reason.time.map { ", at \($0)" } ?? ""
    let place = reason.place.map { " (\($0))" } ?? ""
    return visible("\(reason.verdict): \(reason.reason)\(time)", limit: 400) + place
  }
}
