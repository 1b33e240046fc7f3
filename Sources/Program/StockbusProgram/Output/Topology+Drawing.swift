import StockbusConfig
import StockbusPlugin

/// One configuration, or several that are given together, as text or for a program that draws.
struct Drawing {
  struct Part {
    /// The title, where there are several.
    let title: String
    let topology: Topology
  }

  let parts: [Part]
  private let channels: [ChannelPlan]

  init(_ parts: [Part]) {
    self.parts = parts
    channels = OriginCheck(parts.map(\.topology)).channels
  }

  private var isOne: Bool { parts.count == 1 }

  /// A table in upstream order: every component with its plugin, its output, and its inputs. A table of the channels follows.
  func asText(width: Int?) -> String {
    var tables = parts.map { part in
      let rows = part.topology.nodes.map { node in
        let inputs = node.inputs.map { $0.from + ($0.policy.isEmpty ? "" : " (\($0.policy))") }.joined(separator: ", ")
        return [node.id, node.pluginText, node.emits ?? "-", inputs.isEmpty ? "-" : inputs]
      }
      let table = TextTable(rows: [["COMPONENT", "PLUGIN", "EMITS", "READS"]] + rows).lines(width: width)
      return ((isOne ? [] : [part.title]) + table).joined(separator: "\n")
    }
    if !channels.isEmpty {
      let rows = channels.map { channel in
        func names(_ ends: [ChannelPlan.End]) -> String { ends.isEmpty ? "-" : ends.map(text).joined(separator: ", ") }
        return [channel.title, names(channel.writers), names(channel.readers)]
      }
      tables.append(TextTable(rows: [["CHANNEL", "WRITTEN BY", "READ BY"]] + rows).lines(width: width).joined(separator: "\n"))
    }
    return tables.joined(separator: "\n\n")
  }

  /// `worker.yaml: ticks (trade: ticks.0, ticks.1)`.
  private func text(_ end: ChannelPlan.End) -> String {
    (isOne ? "" : "\(parts[end.run].title): ") + end.node.id + (label(end).isEmpty ? "" : " (\(label(end)))")
  }

  private func label(_ end: ChannelPlan.End) -> String {
    [end.eventName, end.parts].filter { !$0.isEmpty }.joined(separator: ": ")
  }

  /// A flowchart for mermaid.js. Nodes are numbered, because ids may be keywords of its language, such as `end`.
  var asMermaid: String {
    var lines = ["flowchart LR"]
    for (number, part) in parts.enumerated() {
      if !isOne { lines.append("  subgraph c\(number)[\"\(part.title)\"]") }
      let topology = part.topology
      for node in topology.nodes {
        let (open, close) =
          switch node.plugin.kind {
          case .source: ("([", "])")
          case .processor: ("[", "]")
          case .sink: ("[[", "]]")
          }
        lines.append("  \(mermaid(node.id, in: number))\(open)\"\(node.id)<br/>\(node.pluginText)\"\(close)")
      }
      for topic in topology.runTopics { lines.append("  \(mermaid(topic.rawValue, in: number))([\"\(topic.rawValue)\"])") }
      lines += topology.edges.map {
        "  \(mermaid($0.from, in: number)) -->|\"\(topology.label($0.edge))\"| \(mermaid($0.to, in: number))"
      }
      if !isOne { lines.append("  end") }
    }
    for (number, channel) in channels.enumerated() {
      lines.append("  s\(number)[(\"\(channel.title)\")]")
      lines += channel.writers.map { "  \(mermaid($0.node.id, in: $0.run)) -->|\"\(label($0))\"| s\(number)" }
      lines += channel.readers.map { "  s\(number) -->|\"\(label($0))\"| \(mermaid($0.node.id, in: $0.run))" }
    }
    return lines.joined(separator: "\n")
  }

  private func mermaid(_ id: String, in run: Int) -> String {
    let name = parts[run].topology.nodes.firstIndex { $0.id == id }.map { "n\($0)" } ?? id
    return isOne ? name : "c\(run)\(name)"
  }

  /// A graph for Graphviz.
  var asDOT: String {
    var lines = ["digraph stockbus {", "  rankdir=LR;", "  node [shape=box];"]
    for (number, part) in parts.enumerated() {
      let topology = part.topology
      if !isOne { lines += ["  subgraph cluster_\(number) {", "  label=\"\(part.title)\";"] }
      for node in topology.nodes {
        let shape =
          switch node.plugin.kind {
          case .source: "ellipse"
          case .processor: "box"
          case .sink: "box3d"
          }
        lines.append("  \(dot(node.id, in: number)) [label=\"\(node.id)\\n\(node.pluginText)\", shape=\(shape)];")
      }
      for topic in topology.runTopics {
        lines.append("  \(dot(topic.rawValue, in: number)) [\(isOne ? "" : "label=\"\(topic.rawValue)\", ")shape=ellipse];")
      }
      lines += topology.edges.map {
        "  \(dot($0.from, in: number)) -> \(dot($0.to, in: number)) [label=\"\(topology.label($0.edge))\"];"
      }
      if !isOne { lines.append("  }") }
    }
    for (number, channel) in channels.enumerated() {
      lines.append("  \"channel \(number)\" [label=\"\(channel.title)\", shape=cylinder];")
      lines += channel.writers.map { "  \(dot($0.node.id, in: $0.run)) -> \"channel \(number)\" [label=\"\(label($0))\"];" }
      lines += channel.readers.map { "  \"channel \(number)\" -> \(dot($0.node.id, in: $0.run)) [label=\"\(label($0))\"];" }
    }
    return (lines + ["}"]).joined(separator: "\n")
  }

  private func dot(_ id: String, in run: Int) -> String { isOne ? "\"\(id)\"" : "\"\(run) \(id)\"" }
}

extension PlannedNode {
  /// The plugin's name, and a note if the component runs in a separate process.
  fileprivate var pluginText: String { hasProcess ? "\(plugin.name) (isolation: process)" : plugin.name }

  /// The type of its events and the columns beside them: `trade + vwap, away`; nil for a sink.
  fileprivate var emits: String? {
    guard let type = blueprint.output?.eventName else { return nil }
    return topic.columns.isEmpty ? type : "\(type) + \(topic.columns.names.joined(separator: ", "))"
  }
}

extension Topology {
  fileprivate var edges: [(edge: PlannedEdge, from: String, to: String)] {
    nodes.flatMap { node in node.inputs.map { ($0, $0.from, node.id) } }
  }

  /// The topics of the run that are read.
  fileprivate var runTopics: [RunTopic] {
    let edges = edges
    return RunTopic.allCases.filter { topic in edges.contains { $0.from == topic.rawValue } }
  }

  /// The event type of an edge, and its policy if that is not the default.
  fileprivate func label(_ edge: PlannedEdge) -> String {
    let type = nodes.first { $0.id == edge.from }?.emits ?? RunTopic(rawValue: edge.from)?.eventType.eventName ?? ""
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
