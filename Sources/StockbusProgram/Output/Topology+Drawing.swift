import EventBus
import StockbusConfig
import StockbusPlugin

extension Topology {
  /// A table in upstream order: every component with its plugin, its output, and its inputs.
  func asText(width: Int?) -> String {
    let rows = nodes.map { node in
      let inputs = node.inputs.map { $0.from + ($0.policy.isEmpty ? "" : " (\($0.policy))") }.joined(separator: ", ")
      return [node.id, node.plugin.name, node.blueprint.output?.eventName ?? "-", inputs.isEmpty ? "-" : inputs]
    }
    return Table(rows: [["COMPONENT", "PLUGIN", "EMITS", "READS"]] + rows).lines(width: width).joined(separator: "\n")
  }

  /// A flowchart for mermaid.js. Nodes are numbered, because ids may be keywords of its language, such as `end`.
  var asMermaid: String {
    var lines = ["flowchart LR"]
    for node in nodes {
      let (open, close) =
        switch node.plugin.kind {
        case .source: ("([", "])")
        case .processor: ("[", "]")
        case .sink: ("[[", "]]")
        }
      lines.append("  \(number(of: node.id))\(open)\"\(node.id)<br/>\(node.plugin.name)\"\(close)")
    }
    for topic in runTopics { lines.append("  \(topic.rawValue)([\"\(topic.rawValue)\"])") }
    lines += edges.map { "  \(number(of: $0.from)) -->|\"\(label($0.edge))\"| \(number(of: $0.to))" }
    return lines.joined(separator: "\n")
  }

  /// A graph for Graphviz.
  var asDOT: String {
    var lines = ["digraph stockbus {", "  rankdir=LR;", "  node [shape=box];"]
    for node in nodes {
      let shape =
        switch node.plugin.kind {
        case .source: "ellipse"
        case .processor: "box"
        case .sink: "box3d"
        }
      lines.append("  \"\(node.id)\" [label=\"\(node.id)\\n\(node.plugin.name)\", shape=\(shape)];")
    }
    for topic in runTopics { lines.append("  \"\(topic.rawValue)\" [shape=ellipse];") }
    lines += edges.map { "  \"\($0.from)\" -> \"\($0.to)\" [label=\"\(label($0.edge))\"];" }
    return (lines + ["}"]).joined(separator: "\n")
  }

  private var edges: [(edge: PlannedEdge, from: String, to: String)] {
    nodes.flatMap { node in node.inputs.map { ($0, $0.from, node.id) } }
  }

  /// The topics of the run that are read.
  private var runTopics: [RunTopic] { RunTopic.allCases.filter { topic in edges.contains { $0.from == topic.rawValue } } }

  private func number(of id: String) -> String { nodes.firstIndex { $0.id == id }.map { "n\($0)" } ?? id }

  /// The event type of an edge, and its policy if that is not the default.
  private func label(_ edge: PlannedEdge) -> String {
    let type = nodes.first { $0.id == edge.from }?.blueprint.output?.eventName ?? RunTopic(rawValue: edge.from)?.eventType.eventName ?? ""
    return edge.policy.isEmpty ? type : "\(type), \(edge.policy)"
  }
}

extension PlannedEdge {
  /// The options that differ from the defaults: `conflate, initial`; empty if there are none.
  var policy: String {
    let words = [options.overflow == .block ? nil : options.overflow.rawValue, options.initial ? "initial" : nil]
    return words.compactMap(\.self).joined(separator: ", ")
  }
}
