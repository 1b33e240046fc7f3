import ArgumentParser
import MarketData
import StockbusConfig
import StockbusPlugin
import StockbusRuntime

struct Validate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check a configuration and start nothing.",
    discussion:
      "Prints every problem with file, line and column, and exits with 78 if there is one. With --separate it also checks the streams by which several configurations pass events to each other."
  )

  @Flag(help: ConfigArguments.separateHelp)
  var separate = false

  @OptionGroup var config: ConfigArguments

  /// `valid: 3 components, 1 edge`.
  static func text(_ topology: Topology) -> String {
    let edges = topology.nodes.reduce(0) { $0 + $1.inputs.count }
    let nodes = topology.nodes.count
    return "valid: \(nodes) \(nodes == 1 ? "component" : "components"), \(edges) \(edges == 1 ? "edge" : "edges")"
  }

  func run() throws {
    if separate {
      for (name, topology) in zip(config.configs, try config.topologies()) {
        for note in topology.notes { StandardError.write(note) }
        try StandardOutput.write("\(visible(name)): \(Self.text(topology))")
      }
      return
    }
    let topology = try config.topology()
    for note in topology.notes { StandardError.write(note) }
    do { _ = try PastRun(before: topology, after: nil, Program.current, now: SystemTimekeeper().now) } catch let problems as Problems {
      StandardError.write(ConfigArguments.report(problems, ""))
      throw ExitStatus.config
    }
    let past = PastNeeds(of: topology).lines(in: topology)
    for doubt in past.doubts { StandardError.write(doubt) }
    try StandardOutput.write(([Self.text(topology)] + topology.columnLines() + topology.memoryLines() + past.lines).joined(separator: "\n"))
  }
}
