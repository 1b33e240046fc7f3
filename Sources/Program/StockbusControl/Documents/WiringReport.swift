internal import StockbusConfig
internal import StockbusPlugin

/// How a run is wired: the document of `/topology`.
package struct WiringReport: Codable, Sendable, Hashable {
  package struct Input: Codable, Sendable, Hashable {
    package var from: String
    package var overflow: String
    /// How many events may wait; nil where the reader shares its writer's ring, or holds one event of each symbol.
    package var capacity: Int?
    /// True if the edge begins with the last event of each symbol.
    package var initial: Bool
  }

  package struct Output: Codable, Sendable, Hashable {
    /// The type of its events.
    package var event: String
    /// How many events the topic's ring holds.
    package var capacity: Int
  }

  package struct Component: Codable, Sendable, Hashable {
    package var id: String
    package var kind: String
    package var plugin: String
    /// Where the component is written, such as `plugins.yaml:9:3`; nil if it is from no configuration.
    package var place: String?
    /// The order in which the events of several inputs are processed.
    package var merge: String
    package var inputs: [Input]
    package var output: Output?
  }

  /// A topic of the whole run that is read.
  package struct Topic: Codable, Sendable, Hashable {
    package var name: String
    package var event: String
  }

  /// Upstream first.
  package var components: [Component]
  package var topics: [Topic]
}

extension WiringReport {
  init(_ topology: Topology) {
    components = topology.nodes.map { node in
      Component(
        id: node.id, kind: node.blueprint.kind.rawValue, plugin: node.plugin.name, place: node.description?.idMark.place,
        merge: node.merge.rawValue, inputs: node.inputs.map(Input.init),
        output: node.blueprint.output.map { Output(event: $0.eventName, capacity: node.topic.capacity) })
    }
    let read = Set(topology.nodes.flatMap { $0.inputs.map(\.from) })
    topics = RunTopic.allCases.filter { read.contains($0.rawValue) }.map { Topic(name: $0.rawValue, event: $0.eventType.eventName) }
  }
}

extension WiringReport.Input {
  init(_ edge: PlannedEdge) {
    let options = edge.options
    let hasOwnQueue = options.overflow == .dropOldest || options.overflow == .dropNewest
    self.init(
      from: edge.from, overflow: options.overflow.rawValue, capacity: hasOwnQueue ? options.capacity : nil, initial: options.initial)
  }
}
