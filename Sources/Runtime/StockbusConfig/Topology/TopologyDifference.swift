internal import StockbusPlugin

/// The steps that turn a run of one topology into a run of another: components by id, in upstream order, removed ones last.
package struct TopologyDifference: Sendable, Hashable {
  /// The step for one component.
  package enum Step: String, Sendable, Hashable, Codable {
    /// No change.
    case kept
    /// The same instance reads other topics, or reads them with other options.
    case rewired
    /// A new instance replaces the present one, because its plugin, options, supervision, event types or the columns of its
    /// inputs differ.
    case replaced
    case added
    case removed
  }

  /// One component and its step.
  package struct Entry: Sendable, Hashable {
    package let id: String
    package let step: Step
    /// The keys of the component that are written differently: options, `plugin`, `inputs`, `supervision`. Empty if its own part of the
    /// configuration is the same, and another component's change is the cause.
    package let changed: [String]
  }

  package let entries: [Entry]
  /// True if `runtime`, `instruments`, `calendars` or `history` differ, which concern the run as a whole.
  package let changesRuntime: Bool

  /// Why this change is impossible during a run; nil if it is possible.
  package var obstacle: String? {
    changesRuntime
      ? "'runtime', 'calendars', 'instruments' and 'history' cannot change during a run; start the run again" : nil
  }

  package func ids(_ step: Step) -> [String] { entries.filter { $0.step == step }.map(\.id) }
}

extension Topology {
  /// The steps that make `next` run in place of this topology.
  package func difference(to next: Topology) -> TopologyDifference {
    let before = Dictionary(uniqueKeysWithValues: nodes.map { ($0.id, $0) })
    // Components that write to another topic than before, so that their readers must change too. Nodes are in upstream order.
    var moved: Set<String> = []
    var entries: [TopologyDifference.Entry] = []
    for node in next.nodes {
      let step: TopologyDifference.Step
      var changed: [String] = []
      if let old = before[node.id] {
        let hasOtherTopic = !node.emitsLike(old)
        let isOther = hasOtherTopic || !node.isLike(old) || !node.takesLike(old) || node.assembly.reads != old.assembly.reads
        let readsOther = !node.readsLike(old) || node.inputs.contains { moved.contains($0.from) }
        step = isOther ? .replaced : readsOther ? .rewired : .kept
        if hasOtherTopic { moved.insert(node.id) }
        if let now = node.description, let then = old.description { changed = now.differences(from: then) }
        if !node.readsLike(old) { changed.append("inputs") }
      } else {
        step = .added
        moved.insert(node.id)
      }
      entries.append(TopologyDifference.Entry(id: node.id, step: step, changed: changed))
    }
    let names = Set(next.nodes.map(\.id))
    entries += nodes.filter { !names.contains($0.id) }.map { TopologyDifference.Entry(id: $0.id, step: .removed, changed: []) }
    let isLike = written.count == next.written.count && zip(written, next.written).allSatisfy { $0.isLike($1) }
    return TopologyDifference(entries: entries, changesRuntime: !isLike || !ConfigNode.isLike(runtime, next.runtime))
  }
}

extension PlannedNode {
  /// True if readers of one output can continue with the other: the same event type in a ring of the same size. Keeping the last values can
  /// be turned on for an existing topic.
  package func emitsLike(_ other: PlannedNode) -> Bool {
    blueprint.output == other.blueprint.output && topic.capacity == other.topic.capacity && topic.memory == other.topic.memory
      && topic.columns == other.topic.columns
  }

  /// True if both take the same types of input.
  package func takesLike(_ other: PlannedNode) -> Bool {
    blueprint.kind == other.blueprint.kind && blueprint.inputs.count == other.blueprint.inputs.count
      && zip(blueprint.inputs, other.blueprint.inputs).allSatisfy { $0 == $1 }
  }
}
