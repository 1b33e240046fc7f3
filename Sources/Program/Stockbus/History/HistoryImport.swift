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
      The file begins with a header that names the columns date, symbol, open, high, low, close and volume, in any order; other \
      columns are ignored. Dates are written 2024-01-02 or 20240102. A bar begins at midnight UTC of its date. A bar that the history \
      has already is replaced. Malformed rows are reported with their line, and the others are imported; without a valid row the exit \
      status is 1.
      """)

  @Argument(help: "The file; - is standard input.", completion: .file(extensions: ["csv"]))
  var source: String

  @Flag(help: "Exits with status 65 if rows are malformed.")
  var strict = false

  @Option(help: "How numbers are written: plain (1234.50), grouped (also 1,234.50 or 1'234.50), comma (1234,50, also 1.234,50).")
  var numbers = NumberForm.plain

  @Option(help: "Volumes are divided by it: with 1000, 23640926208 is 23640926.208; without it, volumes beyond 9,223,372,036 become 0.")
  var sizeScale: Int = 1

  @Option(help: "Prices with more than nine decimals: reject, or round to nine.")
  var finerPrices = FinerPriceChoice.reject

  @OptionGroup var history: HistoryFileArgument

  /// How many rows without a bar are shown.
  private static let shownFaults = 10

  func run() throws {
    LongCommand.prepare()
    let name = source == "-" ? "standard input" : visible(source, limit: 300)
    var faults = 0
    let totals = try HistoryMistake.reporting { () throws -> DailyImport.Totals in
      // Before anything is read: another program's file is refused at once.
      if let fault = HistoryReader.fault(inFileAt: history.file) { throw HistoryMistake("\(shown(history.file)) \(fault)") }
      let target = history.file
      let source = source
      var form = DailyNumbers()
      (form.form, form.sizeScale, form.roundsPrices) = (numbers, UInt64(sizeScale), finerPrices == .round)
      do {
        return try DailyImport.run(
          source, form,
          into: { () throws(HistoryError) in
            try HistoryWriter(target, files: RunFiles([.init(path: source, words: "it is the imported file itself")]))
          }
        ) { fault in
          faults += 1
          if faults <= Self.shownFaults {
            StandardError.write("\(name):\(fault.line): \(fault.reason): \(visible(fault.row, limit: 100))")
          }
        }
      } catch let failure as DailyImport.Failure where failure.isOfHeader {
        throw HistoryMistake("\(failure)\n\(Self.otherWay(source))")
      }
    }
    if faults > Self.shownFaults { StandardError.write("… and \(Ledger.grouped(faults - Self.shownFaults)) more rows") }
    try StandardOutput.write(Self.text(totals))
    if totals.isFruitless {
      StandardError.write(Self.otherWay(source))
      throw ExitCode(1)
    }
    if strict, totals.malformed > 0 { throw ExitCode(65) }
  }

  /// `42,519 rows: 42,519 new, 0 replaced, 0 the same`, and the further counts above 0.
  static func text(_ totals: DailyImport.Totals) -> String {
    func grouped(_ number: Int) -> String { Ledger.grouped(number) }
    var text =
      "\(grouped(totals.rows)) \(totals.rows == 1 ? "row" : "rows"): \(grouped(totals.new)) new, "
      + "\(grouped(totals.replaced)) replaced, \(grouped(totals.same)) the same"
    if totals.superseded > 0 { text += ", \(grouped(totals.superseded)) skipped because the history has later revisions" }
    if totals.malformed > 0 { text += ", \(grouped(totals.malformed)) malformed" }
    if totals.unfit > 0 {
      let volumes = totals.unfit == 1 ? "volume that does not fit is" : "volumes that do not fit are"
      text += "\n\(grouped(totals.unfit)) \(volumes) 0: --size-scale 1000 reads them in thousands"
    }
    return text
  }

  /// How a file of other dates or columns gets into a history.
  static func otherWay(_ source: String) -> String {
    "for other dates and columns, or one symbol for the whole file: '\(Program.name) init csv \(source == "-" ? "FILE" : visible(source, limit: 200))', and in what it "
      + "writes a sink, kept: { plugin: history, inputs: [rows], path: history.db }"
  }

  func validate() throws {
    guard (1...1_000_000_000).contains(sizeScale) else { throw ValidationError("--size-scale is 1 to 1000000000, not \(sizeScale)") }
  }
}

/// What happens to prices with more than nine decimals.
enum FinerPriceChoice: String, ExpressibleByArgument, CaseIterable {
  case reject, round
}

extension NumberForm: ExpressibleByArgument {}
