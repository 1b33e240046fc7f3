import ArgumentParser
import StockbusConfig

struct Validate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check a configuration and start nothing.",
    discussion: "Prints every problem with file, line and column, and exits with 78 where there is one.")

  @OptionGroup var config: ConfigArguments

  func run() throws {
    let topology = try config.topology()
    let edges = topology.nodes.reduce(0) { $0 + $1.inputs.count }
    StandardOutput.write("valid: \(topology.nodes.count) components, \(edges) edges")
  }
}
