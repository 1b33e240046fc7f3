import ArgumentParser
import StockbusConfig
import StockbusInstruments
import StockbusPlugin

struct Run<Companion: RunCompanion>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "run",
      abstract: "Run a configuration until its data ends, or until Ctrl-C.",
      discussion: """
        The first SIGINT (Ctrl-C) or SIGTERM ends the sources; the events on their way are still processed, and the ledger is printed. \
        The second ends the run at once. SIGHUP, in a process without a terminal, reads the configuration again and changes the run \
        to it; --watch does this whenever a file of the configuration changes. Unchanged components continue, and no event is lost. \
        If the new configuration has problems, or a new component does not start, the run stays as it is. \(Companion.help)With --commands, lines such as 'ticks raise AAPL 10' are \
        commands to components; 'help' lists the commands.
        """)
  }

  @ArgumentParser.Option(help: ArgumentHelp("Start with the page of a symbol, such as stocks://symbol/AAPL.", valueName: "link"))
  var open: String?

  @Flag(help: "Change the run whenever a file of the configuration changes.")
  var watch = false

  @OptionGroup var options: RunOptions<Companion>
  @OptionGroup var config: ConfigArguments

  func validate() throws {
    if let open { _ = try StockLink(argument: open) }
    if watch, !isReadable { throw ValidationError("--watch: a configuration from standard input or a pipe cannot be read again") }
  }

  /// True if the configuration can be read a second time.
  private var isReadable: Bool { config.configs.allSatisfy(ConfigLoader.canReadAgain) }

  func run() async throws {
    RunSession<Companion>.prepare(options)
    let topology = try config.topology("; nothing was started", outerFiles: options.files)
    var session = RunSession(options: options)
    if isReadable { session.configuration = config.configs }
    session.isWatching = watch
    if let open {
      session.request = try topology.request(opening: open)
      for warning in try WatchPlan.warnings([StockLink(argument: open).symbol.description], topology) { StandardError.write(warning) }
    }
    try await session.run(topology)
  }
}

extension Topology {
  /// The command that opens a symbol's page in the viewer.
  func request(opening link: String) throws -> Command {
    guard nodes.contains(where: { $0.plugin.name == viewerPlugin }) else {
      throw ValidationError("there is no page to open: the configuration has no \(viewerPlugin)")
    }
    return Command(verb: "open", arguments: [link])
  }
}
