import ArgumentParser
import LibC
import StockbusConfig
import StockbusPlugin
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
  @ArgumentParser.Option(
    name: .customLong("file"), help: "The history file; by default that of plugins.yaml in this folder, otherwise history.db.",
    completion: .file(extensions: ["db"]))
  var given: String?

  var file: String { given ?? Self.configured ?? "history.db" }

  /// The file that plugins.yaml reads or has one sink write.
  private static var configured: String? {
    if access(ConfigLoader.usual, F_OK) != 0 { return nil }
    let description = ConfigLoader().load(paths: [ConfigLoader.usual]).description
    let sinks = description.components.filter { $0.plugin == "history" }
    return description.history?.word ?? (sinks.count == 1 ? sinks[0].options.word("path") : nil)
  }
}
