import ArgumentParser
import StockbusConfig
import StockbusPlugin

struct Graph: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      abstract: "Draw a configuration's components and edges.",
      discussion:
        "As a table, or in the language of Mermaid (for Markdown) or of Graphviz: '\(Program.name) graph --format dot | dot -Tsvg'.")
  }

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, mermaid, dot
  }

  @Option(help: "How to draw it.")
  var format = Format.text

  @OptionGroup var config: ConfigArguments

  func run() throws {
    let topology = try config.topology(looksAtFiles: false)
    switch format {
    case .text: try StandardOutput.write(topology.asText(width: PageWidth.ofTerminal))
    case .mermaid: try StandardOutput.write(topology.asMermaid)
    case .dot: try StandardOutput.write(topology.asDOT)
    }
  }
}
