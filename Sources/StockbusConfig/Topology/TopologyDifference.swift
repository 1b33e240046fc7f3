internal import StockbusPlugin

/// What has to happen to a run of one topology for it to be a run of another: components by name, upstream first, those that are removed
/// last.
public struct TopologyDifference: Sendable, Hashable {
  /// What happens to one component.
  public enum Step: Sendable, Hashable {
    /// Nothing.
    case kept
    /// The same instance reads other topics, or reads them in another way.
    case rewired
    /// A new instance goes on in its place, because its plugin, its options, its supervision, or the types of its events are others.
    case replaced
    case added
    case removed
  }

  /// One component with what happens to it.
  public struct Entry: Sendable, Hashable {
    public let id: String
    public let step: Step
  }

  public let entries: [Entry]
  /// True where `runtime` says something else, which holds for a run as a whole.
  public let changesRuntime: Bool

  public func ids(_ step: Step) -> [String] { entries.filter { $0.step == step }.map(\.id) }
}

extension Topology {
  /// What has to happen for `next` to run in this one's place.
  public func difference(to next: Topology) -> TopologyDifference {
    let before = Dictionary(uniqueKeysWithValues: nodes.map { ($0.id, $0) })
    // Components that write to another topic than before, so that their readers change too. Nodes stand upstream before downstream.
    var moved: Set<String> = []
    var entries: [TopologyDifference.Entry] = []
    for node in next.nodes {
      let step: TopologyDifference.Step
      if let old = before[node.id] {
        let hasOtherTopic = !node.emitsLike(old)
        let isOther = hasOtherTopic || !node.isLike(old) || !node.takesLike(old)
        let readsOther = !node.readsLike(old) || node.inputs.contains { moved.contains($0.from) }
        step = isOther ? .replaced : readsOther ? .rewired : .kept
        if hasOtherTopic { moved.insert(node.id) }
      } else {
        step = .added
        moved.insert(node.id)
      }
      entries.append(TopologyDifference.Entry(id: node.id, step: step))
    }
    let names = Set(next.nodes.map(\.id))
    entries += nodes.filter { !names.contains($0.id) }.map { TopologyDifference.Entry(id: $0.id, step: .removed) }
    return TopologyDifference(entries: entries, changesRuntime: !ConfigNode.isLike(runtime, next.runtime))
  }
}

extension PlannedNode {
  /// True where what reads one could go on reading the other: the same event type in a ring of the same size. That last values are kept
  /// can be turned on for a topic that there is.
  fileprivate func emitsLike(_ other: PlannedNode) -> Bool {
    blueprint.output == other.blueprint.output && topic.capacity == other.topic.capacity && topic.memory == other.topic.memory
  }

  /// True where both are made for the same types of input.
  fileprivate func takesLike(_ other: PlannedNode) -> Bool {
    blueprint.kind == other.blueprint.kind && blueprint.inputs.count == other.blueprint.inputs.count
      && zip(blueprint.inputs, other.blueprint.inputs).allSatisfy { $0 == $1 }
  }
}
