import ArgumentParser
import StockbusConfig
import StockbusPlugin

/// `stockbus demo`: a market without a file and without a network.
struct Demo<Companion: RunCompanion>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "demo",
      abstract: "Show a whole market with made-up prices, on the terminal and on a page.",
      discussion: """
        25 shares and three coins, an hour of prices at once: table, candles, movers, alerts and a paper account. It needs neither a file \
        nor a network, and keeps nothing. '\(Program.name) init demo' writes the configuration that it runs.
        """)
  }

  @OptionGroup var options: RunOptions<Companion>

  func run() async throws {
    RunSession<Companion>.prepare(options)
    let topology: Topology
    do throws(Problems) {
      topology = try Program.current.topology(
        ConfigLoader().load(text: StarterConfig.demo.text, file: "demo"), outerFiles: options.files)
    } catch {
      StandardError.write(ConfigArguments.report(error, "; nothing was started"))
      throw ExitStatus.config
    }
    try await RunSession(options: options, command: "demo", notes: MadeUp.notes(topology)).run(topology)
  }
}

/// Prices that no market has made.
enum MadeUp {
  /// A line that names the components with made-up prices, and the way to others.
  static func notes(_ topology: Topology) -> [String] {
    let makers = topology.nodes.filter { $0.plugin.name == "generator" }.map { shown($0.id) }
    if makers.isEmpty { return [] }
    let way = StarterConfig.isPossible(Program.catalogue) ? "; '\(Program.name) init' writes a configuration of your own" : ""
    return ["prices are made up, by \(makers.joined(separator: " and "))\(way)"]
  }
}
