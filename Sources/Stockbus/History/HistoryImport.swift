import ArgumentParser
import StockbusHistory
import StockbusPlugin
import StockbusProgram
import StockbusRuntime

struct HistoryImport: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Read a CSV file of daily bars into the history.",
    discussion: """
      The file begins with a header that names the columns date, symbol, open, high, low, close and volume, in any order; others are \
      not read. A bar begins at midnight UTC of its date. A bar that the history has already is replaced. Rows that give no bar are \
      reported with their line, and the others are imported.
      """)

  @Argument(help: "The file; - is standard input.", completion: .file(extensions: ["csv"]))
  var source: String

  @Flag(help: "Ends with status 65 if rows gave no bar.")
  var strict = false

  @OptionGroup var history: HistoryFileArgument

  /// How many rows without a bar are shown.
  private static let shownFaults = 10

  func run() throws {
    ProgramSession.prepare()
    let name = source == "-" ? "standard input" : visible(source, limit: 300)
    var faults = 0
    let totals = try HistoryMistake.reporting {
      // Before anything is read: another program's file is refused at once.
      if let fault = HistoryReader.fault(inFileAt: history.file) { throw HistoryMistake("\(shown(history.file)) \(fault)") }
      let target = history.file
      let source = source
      return try DailyImport.run(
        source,
        into: { () throws(HistoryError) in
          try HistoryWriter(target, files: RunFiles([.init(path: source, words: "it is the file that is imported")]))
        }
      ) { fault in
        faults += 1
        if faults <= Self.shownFaults {
          StandardError.write("\(name):\(fault.line): \(fault.reason): \(visible(fault.row, limit: 100))")
        }
      }
    }
    if faults > Self.shownFaults { StandardError.write("… and \(Ledger.grouped(faults - Self.shownFaults)) more rows") }
    try StandardOutput.write(Self.text(totals))
    if strict, totals.malformed > 0 { throw ExitCode(65) }
  }

  /// `42,519 rows: 42,519 new, 0 replaced, 0 the same`, and what else there was.
  static func text(_ totals: DailyImport.Totals) -> String {
    func grouped(_ number: Int) -> String { Ledger.grouped(number) }
    var text =
      "\(grouped(totals.rows)) \(totals.rows == 1 ? "row" : "rows"): \(grouped(totals.new)) new, "
      + "\(grouped(totals.replaced)) replaced, \(grouped(totals.same)) the same"
    if totals.superseded > 0 { text += ", \(grouped(totals.superseded)) left out as the history has later revisions" }
    if totals.malformed > 0 { text += ", \(grouped(totals.malformed)) without a bar" }
    return text
  }
}
