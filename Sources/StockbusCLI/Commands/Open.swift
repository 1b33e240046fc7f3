import ArgumentParser
import ConsoleViewer
import StockbusConfig
import StockbusPlugin

struct Open: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run a configuration and begin with a symbol's page.",
    discussion: """
      The same as 'stockbus run --open LINK': what a desktop calls for links such as stocks://symbol/AAPL.

        stockbus open stocks://symbol/AAPL
        stockbus open AAPL replay.yaml
      """)

  @Argument(help: "A link or a symbol.")
  var link: String

  @OptionGroup var options: RunOptions
  @OptionGroup var config: ConfigArguments

  func validate() throws { _ = try StockLink(argument: link) }

  func run() async throws {
    RunSession.prepare(options)
    let topology = try config.topology("; nothing was started", outerFiles: options.files)
    for warning in try WatchPlan.warnings([StockLink(argument: link).symbol.description], topology) { StandardError.write(warning) }
    try await RunSession(options: options, request: topology.request(opening: link)).run(topology)
  }
}
