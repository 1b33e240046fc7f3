import ArgumentParser
import CVersion
import StockbusPlugin

/// `stockbus`; each command has a file of its own in Commands.
@main
struct Stockbus: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stockbus",
    abstract: "A plugin-based event bus runtime for market data.",
    discussion: """
      Pipelines are written in YAML: sources make events, processors change or drop them, sinks show, log or keep them.
      Begin with 'stockbus list', 'stockbus describe PLUGIN' and 'stockbus run plugins.yaml'.

      Exit status:
         0  success
         1  a component failed or was cut off, events are unaccounted for, or
            standard output could not be written
        64  wrong usage
        65  with --strict: malformed input, or gaps in a venue's numbers
        78  an error in a configuration; nothing was started
      """,
    version: Version.text(commit: String(cString: stockbus_commit())),
    subcommands: [
      Run.self, Watch.self, Open.self, Print.self, Validate.self, List.self, Describe.self, Graph.self, Schema.self,
      ListInstruments.self, Echo.self, HistoryCommand.self, Paper.self, Account.self, ListRuns.self, Status.self, Top.self,
      Tell.self, TapCommand.self, Why.self, Plan.self, Apply.self, Reload.self, Stop.self,
    ],
    defaultSubcommand: nil)

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let word = arguments.first, let mistake = unknownCommand(word, arguments.dropFirst().first) {
      StandardError.write("Error: \(mistake)\nSee 'stockbus --help' for more information.")
      exit(withError: ExitCode.validationFailure)
    }
    do {
      var command = try await asyncParseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
    } catch { end(error) }
  }

  /// Ends the program as ArgumentParser would, except that errors of writing requested texts, such as help, are reported.
  private static func end(_ error: any Error) -> Never {
    guard exitCode(for: error).isSuccess else { exit(withError: error) }
    let text = fullMessage(for: error)
    do { if !text.isEmpty { try StandardOutput.write(text) } } catch { exit(withError: error) }
    exit()
  }

  /// The message for a first word that is neither an option nor a command, or for a request for help about an unknown command; nil
  /// otherwise.
  static func unknownCommand(_ word: String, _ next: String? = nil) -> String? {
    if word == "help", let next { return unknownCommand(next) }
    let names = configuration.subcommands.map { $0._commandName } + ["help"]
    let aliases = configuration.subcommands.flatMap { $0.configuration.aliases }
    if word.isEmpty || word.hasPrefix("-") || names.contains(word) || aliases.contains(word) { return nil }
    let near = didYouMean(word, among: names)
    return "no command \(shown(word))" + (near.isEmpty ? "; there are \(names.joined(separator: ", "))" : near)
  }
}

/// The program's version.
enum Version {
  static let number = "0.1.0"

  /// The output of `--version`: `stockbus 0.1.0 (e1d6b28)`, or `stockbus 0.1.0` without a commit.
  static func text(commit: String) -> String { "stockbus \(number)" + (commit.isEmpty ? "" : " (\(commit))") }
}

/// Exit statuses other than 0, 1, ArgumentParser's 64 and a strict run's 65; from sysexits.h.
enum ExitStatus {
  /// EX_CONFIG: a configuration has errors.
  static let config = ExitCode(78)
}
