import ArgumentParser
import StockbusConfig
import StockbusPlugin

struct Graph: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Draw a configuration's components and edges.")

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, mermaid, dot
  }

  @Option(help: "text, mermaid or dot.")
  var format = Format.text

  @OptionGroup var config: ConfigArguments

  func run() throws {
    let topology = try config.topology()
    switch format {
    case .text: StandardOutput.write(topology.asText)
    case .mermaid: StandardOutput.write(topology.asMermaid)
    case .dot: StandardOutput.write(topology.asDOT)
    }
  }
}

extension Topology {
  private var edges: [(edge: PlannedEdge, from: String, to: PlannedNode)] {
    nodes.flatMap { node in node.inputs.map { ($0, $0.from, node) } }
  }

  /// What runs along an edge, and its policy where it is not the usual one.
  private func label(_ edge: PlannedEdge) -> String {
    let type = nodes.first { $0.id == edge.from }?.blueprint.output?.eventName ?? "dead_letter"
    return edge.options.overflow == .block ? type : "\(type), \(edge.options.overflow.rawValue)"
  }

  /// One line a component, with its inputs.
  var asText: String {
    nodes.map { node in
      let inputs = node.inputs.map { "\($0.from) (\(label($0)))" }.joined(separator: ", ")
      return "\(node.id) [\(node.plugin.name)]" + (inputs.isEmpty ? "" : " ← \(inputs)")
    }.joined(separator: "\n")
  }

  var asMermaid: String {
    var lines = ["flowchart LR"]
    for node in nodes {
      let (open, close) =
        switch node.blueprint.kind {
        case .source: ("([", "])")
        case .processor: ("[", "]")
        case .sink: ("[[", "]]")
        }
      lines.append("  \(node.id)\(open)\"\(node.id)<br/>\(node.plugin.name)\"\(close)")
    }
    if edges.contains(where: { $0.from == Topology.deadLetters }) {
      lines.append("  \(Topology.deadLetters)([\"\(Topology.deadLetters)\"])")
    }
    lines += edges.map { "  \($0.from) -->|\(label($0.edge))| \($0.to.id)" }
    return lines.joined(separator: "\n")
  }

  var asDOT: String {
    var lines = ["digraph stockbus {", "  rankdir=LR;", "  node [shape=box];"]
    for node in nodes {
      let shape =
        switch node.blueprint.kind {
        case .source: "ellipse"
        case .processor: "box"
        case .sink: "box3d"
        }
      lines.append("  \"\(node.id)\" [label=\"\(node.id)\\n\(node.plugin.name)\", shape=\(shape)];")
    }
    lines += edges.map { "  \"\($0.from)\" -> \"\($0.to.id)\" [label=\"\(label($0.edge))\"];" }
    return (lines + ["}"]).joined(separator: "\n")
  }
}
