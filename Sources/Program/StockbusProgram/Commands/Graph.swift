import ArgumentParser
import StockbusConfig
import StockbusPlugin

struct Graph: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "graph",
      abstract: "Draw a configuration's components and edges.",
      discussion:
        "As a table, or in the syntax of Mermaid (for Markdown) or of Graphviz: '\(Program.name) graph --format dot | dot -Tsvg'. With --separate it draws several configurations, and the streams between them."
    )
  }

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, mermaid, dot
  }

  @Option(help: "How to draw it.")
  var format = Format.text

  @Flag(help: ConfigArguments.separateHelp)
  var separate = false

  @OptionGroup var config: ConfigArguments

  func run() throws {
    let topologies = separate ? try config.topologies(looksAtFiles: false) : [try config.topology(looksAtFiles: false)]
    let drawing = Drawing(zip(config.configs, topologies).map { Drawing.Part(title: $0, topology: $1) })
    switch format {
    case .text: try StandardOutput.write(drawing.asText(width: PageWidth.ofTerminal))
    case .mermaid: try StandardOutput.write(drawing.asMermaid)
    case .dot: try StandardOutput.write(drawing.asDOT)
    }
  }
}
