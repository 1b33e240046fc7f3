internal import ArgumentParser
internal import StockbusPlugin

/// The whole command line; each command has a file in Commands, or belongs to a part of the program.
struct RootCommand: AsyncParsableCommand {
  /// The command that is run, if the first word names one. ArgumentParser describes every command it knows before it parses one, which takes longer
  /// than the rest of a start; nil for help and completions, which show all.
  @TaskLocal private static var asked: (any ParsableCommand.Type)?

  static var configuration: CommandConfiguration {
    let program = Program.current
    return CommandConfiguration(
      commandName: program.name,
      abstract: "A plugin-based event bus runtime for market data.",
      discussion: """
        Pipelines are written in YAML: sources create events, processors change or filter them, sinks display, log or store them.
        Begin with '\(FirstSteps.start)', '\(program.name) list' and '\(program.name) describe PLUGIN'.

        Exit status:
           0  success
           1  a component failed or was cut off, events were lost or are
              unaccounted for, or standard output could not be written; without
              --lenient also: a source sent no event
          64  wrong usage
          65  with --strict: dead letters, or gaps in a venue's numbers
          78  an error in a configuration; nothing was started
        """,
      version: Version.text,
      subcommands: asked.map { [$0] } ?? [], groupedSubcommands: asked == nil ? program.commandGroups : [],
      defaultSubcommand: nil)
  }

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let command = arguments.first.flatMap(command) {
      await $asked.withValue(command) { await run(arguments) }
    } else {
      await run(arguments)
    }
  }

  /// The command with this name or alias.
  private static func command(_ name: String) -> (any ParsableCommand.Type)? {
    Program.current.commands.first { $0.configuration.commandName == name || $0.configuration.aliases.contains(name) }
  }

  private static func run(_ arguments: [String]) async {
    if arguments.isEmpty, PageWidth.ofTerminal != nil { end(CleanExit.message(FirstSteps.text)) }
    if asked == nil, let word = arguments.first, let mistake = unknownCommand(word, arguments.dropFirst().first) {
      StandardError.write("Error: \(mistake)\nSee '\(Program.name) --help' for more information.")
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
    let commands = Program.current.commands
    let names = commands.map { $0._commandName } + ["help"]
    let aliases = commands.flatMap { $0.configuration.aliases }
    if word.isEmpty || word.hasPrefix("-") || names.contains(word) || aliases.contains(word) { return nil }
    let shown = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName } + ["help"]
    let near = didYouMean(word, among: shown)
    return "no command \(StockbusPlugin.shown(word))" + (near.isEmpty ? "; there are \(shown.joined(separator: ", "))" : near)
  }
}
