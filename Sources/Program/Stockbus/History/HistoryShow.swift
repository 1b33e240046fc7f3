import ArgumentParser
import StockbusHistory
import StockbusPlugin
import StockbusProgram
import StockbusTerminal

struct HistoryShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a symbol's bars.",
    discussion: """
      Bars of a length that the file does not have are made of shorter bars, exactly: weeks begin on Monday, months and years with their \
      first day. Days are days in UTC. The command works even while a run writes the file.
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case table, csv, json, chart
  }

  @Argument(help: "The symbol.")
  var symbol: String

  @ArgumentParser.Option(
    help: ArgumentHelp("The length of the bars: a time such as 1m, 1d or 1w, 1mo, 1y, or 100t and 5000v.", valueName: "length"),
    transform: HistoryShow.period)
  var bars = BarPeriod.length(.day)

  @ArgumentParser.Option(
    parsing: .unconditional,
    help: ArgumentHelp("Bars that begin at this time or later: 2013-10-08, or 2013-10-08T13:30:00Z.", valueName: "time"),
    transform: { try HistoryTime(argument: $0) })
  var from: HistoryTime?

  @ArgumentParser.Option(
    parsing: .unconditional, help: ArgumentHelp("Bars that begin before this time; a date is included as a whole.", valueName: "time"),
    transform: { try HistoryTime(argument: $0) })
  var to: HistoryTime?

  @ArgumentParser.Option(
    parsing: .unconditional, help: ArgumentHelp("At most this many, the newest ones.", valueName: "bars"),
    transform: NumberArgument.of(1...Int.max))
  var limit: Int?

  @ArgumentParser.Option(help: "An aligned table, CSV with a header, JSON lines, or a chart of candles as wide as the terminal.")
  var format = Format.table

  @OptionGroup var history: HistoryFileArgument

  private static func period(_ text: String) throws -> BarPeriod {
    guard let period = BarPeriod(text) else {
      throw ValidationError("\(shown(text)) is not a bar length such as 1m, 1h, 1d, 1w, 1mo, 1y or 100t")
    }
    return period
  }

  func validate() throws {
    if let fault = Symbol.fault(in: symbol) { throw ValidationError("\(shown(symbol)): \(fault)") }
    if let from, let to, from.start >= to.end ?? .max { throw ValidationError("--from must be before --to") }
  }

  func run() async throws {
    LongCommand.prepare()
    let series = try HistoryMistake.reporting { try read() }
    switch format {
    case .table: try StandardOutput.write(BarText.table(series.bars, bars))
    case .csv: try StandardOutput.write(BarText.csv(series.bars))
    case .json: try StandardOutput.write(BarText.json(series.bars))
    case .chart:
      let terminal = Console.terminal
      // A file's reader may show more than the locale's characters.
      let isUTF8 = terminal.capabilities.isUTF8 || !terminal.capabilities.isTerminal
      let lines = BarText.chart(series.bars, bars, size: terminal.size, isUTF8: isUTF8)
      do { try await terminal.print(lines) } catch { if !error.isBrokenPipe { throw StandardOutput.failure("\(error)") } }
    }
    if series.source != .unknown, .length(series.source) != bars {
      StandardError.write("made of bars of \(series.source), because the file has none of \(bars)")
    }
  }

  private func read() throws -> HistoryReader.Series {
    let name = try Symbol(symbol)
    let reader = try HistoryReader(history.file)
    let times = HistoryTimes(from: from.map { Timestamp(ns: $0.start) }, to: to?.end.map { Timestamp(ns: $0) })
    if let found = try reader.bars(name, bars, in: times, limit: limit ?? .max), !found.bars.isEmpty { return found }
    let lengths = try reader.lengths(of: name)
    if lengths.isEmpty {
      let near = didYouMean(symbol, among: try reader.symbolNames(limit: 10_000))
      throw HistoryMistake("\(shown(history.file)) has no bars of \(shown(symbol))\(near)")
    }
    let known = lengths.map { $0 == .unknown ? "unknown length" : $0.description }.joined(separator: ", ")
    throw HistoryMistake("no bars of \(bars) for \(shown(symbol)) in this period; there are bars of \(known)")
  }
}
