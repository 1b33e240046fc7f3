import ArgumentParser
import StockbusProgram

/// `stockbus history`: shows the contents of a history file.
struct HistoryCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "history",
      abstract: "Show, import, check and back up the bars that a 'history' sink keeps.",
      discussion: """
        Without the name of a subcommand it shows a symbol's bars.

          \(Program.name) history AAPL
          \(Program.name) history AAPL --bars 1w --from 2013-01-01 --format chart
          \(Program.name) history import daily.csv
          \(Program.name) history backup copy.db
        """,
      subcommands: [HistoryShow.self, HistoryImport.self, HistoryCheck.self, HistoryBackup.self], defaultSubcommand: HistoryShow.self)
  }
}

/// The file, which all its subcommands have.
struct HistoryFileArgument: ParsableArguments {
  @ArgumentParser.Option(help: "The history file.", completion: .file(extensions: ["db"]))
  var file = "history.db"
}
