import ArgumentParser
import StockbusHistory
import StockbusPlugin
import StockbusProgram
import StockbusRuntime

struct HistoryCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check the whole file, and show a summary.",
    discussion: """
      Reads the whole file. Times without bars of a symbol are listed as gaps, the longest first; nights, weekends and holidays are gaps \
      too if --gap is short. If the file is damaged, the exit status is 1.
      """)

  @ArgumentParser.Option(
    parsing: .unconditional, help: ArgumentHelp("The shortest time without bars that counts as a gap.", valueName: "duration"),
    transform: HistoryCheck.gap)
  var gap = Duration.seconds(5 * 86_400)

  @OptionGroup var history: HistoryFileArgument

  private static let shownGaps = 10

  private static func gap(_ text: String) throws -> Duration {
    guard let duration = try? Duration(option: text), duration > .zero else {
      throw ValidationError("\(shown(text)) is not a duration such as 5d")
    }
    return duration
  }

  func run() throws {
    LongCommand.prepare()
    let summary = try HistoryMistake.reporting {
      try HistoryReader(history.file).check(gapsFrom: gap.wholeNanoseconds, most: Self.shownGaps)
    }
    try StandardOutput.write(Self.text(summary, file: history.file, gap: gap))
  }

  static func text(_ summary: HistorySummary, file: String, gap: Duration) -> String {
    func grouped(_ number: Int) -> String { Ledger.grouped(number) }
    var lines = [
      "\(visible(file, limit: 300)): sound, layout \(summary.layout), \(grouped(summary.symbols)) symbols, "
        + "\(grouped(summary.lastPrices)) last prices, \(grouped(summary.closes)) closes"
    ]
    let head = ["BARS", "SYMBOLS", "NUMBER", "FIRST", "LAST"]
    let rows = summary.bars.map {
      [
        $0.length == .unknown ? "unknown" : $0.length.description, grouped($0.symbols), grouped($0.bars), $0.first.description,
        $0.last.description,
      ]
    }
    if !rows.isEmpty { lines += TextTable(rows: [head] + rows).lines(width: nil) }
    if summary.gapCount > 0 {
      lines.append("\(grouped(summary.gapCount)) \(summary.gapCount == 1 ? "gap" : "gaps") longer than \(gap.optionText)")
      lines += indented(
        TextTable(rows: summary.gaps.map { [$0.symbol, $0.length.description, "\($0.from) to \($0.to)"] }).lines(width: nil))
    }
    return lines.joined(separator: "\n")
  }
}
