import ArgumentParser

/// `stockbus history`: what a history file holds.
struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show, import, check and back up the bars that a 'history' sink keeps.",
    discussion: """
      Without the name of a subcommand it shows a symbol's bars.

        stockbus history AAPL
        stockbus history AAPL --bars 1w --from 2013-01-01 --format chart
        stockbus history import daily.csv
        stockbus history backup copy.db
      """,
    subcommands: [HistoryShow.self, HistoryImport.self, HistoryCheck.self, HistoryBackup.self], defaultSubcommand: HistoryShow.self)
}

/// The file, which all its subcommands have.
struct HistoryFileArgument: ParsableArguments {
  @ArgumentParser.Option(help: "The history file.", completion: .file(extensions: ["db"]))
  var file = "history.db"
}
