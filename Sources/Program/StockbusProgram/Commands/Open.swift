import ArgumentParser
import StockbusConfig
import StockbusInstruments
import StockbusPlugin

struct Open<Companion: RunCompanion>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "open",
      abstract: "Run a configuration and start with the page of a symbol.",
      discussion: """
        The same as '\(Program.name) run --open LINK': a desktop can call it for links such as stocks://symbol/AAPL. Without a \
        configuration, prices are made up.

          \(Program.name) open stocks://symbol/AAPL
          \(Program.name) open AAPL replay.yaml
        """)
  }

  @Argument(help: "A link or a symbol.")
  var link: String

  @OptionGroup var options: RunOptions<Companion>
  @OptionGroup var config: ConfigArguments

  func validate() throws { _ = try StockLink(argument: link) }

  func run() async throws {
    RunSession<Companion>.prepare(options)
    let symbol = try StockLink(argument: link).symbol.description
    let isMadeUp = config.isAbsent
    let topology = try config.topology("; nothing was started", outerFiles: options.files, otherwise: WatchPlan.madeUp([symbol]))
    for warning in WatchPlan.warnings([symbol], topology) { StandardError.write(warning) }
    let notes = isMadeUp ? MadeUp.notes(topology) : []
    try await RunSession(options: options, command: "open", request: topology.request(opening: link), notes: notes)
      .run(topology)
  }
}
