package import MarketData
package import StockbusConfig
package import StockbusPlugin

/// What the components of a run have left for the next run.
package struct RunMemory: Sendable {
  /// The values of one component.
  package struct Component: Sendable {
    package let id: String
    package let plugin: String
    /// A digest of its options: values that depend on them are dropped when they change.
    package let options: String
    package let entries: [Memory.Entry]

    init(id: String, plugin: String, options: String, entries: [Memory.Entry]) {
      self.id = id
      self.plugin = plugin
      self.options = options
      self.entries = entries
    }
  }

  /// When it was left; nil if there was no run before.
  package let time: Timestamp?
  package let components: [Component]

  package init(time: Timestamp? = nil, components: [Component] = []) {
    self.time = time
    self.components = components
  }

  /// The same without these components.
  package func without(_ ids: [String]) -> RunMemory {
    RunMemory(time: time, components: components.filter { !ids.contains($0.id) })
  }

  // MARK: For another run

  /// What becomes of a component's values in a run.
  package struct Use: Sendable, Hashable {
    package let component: String
    /// The names of the values that the component gets, and of those that are dropped.
    package let kept: [String]
    package let dropped: [String]
    /// Why some are dropped, as a sentence with the component as its subject; nil if none are.
    package let reason: String?
  }

  /// What a component of this plan gets.
  func entries(for plan: PlannedNode) -> [Memory.Entry] { use(for: plan)?.entries ?? [] }

  /// What becomes of all values, in the order of the topology; values of components that it lacks come last.
  package func uses(in topology: Topology) -> [Use] {
    let names = Set(topology.nodes.map(\.id))
    let found = topology.nodes.compactMap { use(for: $0)?.use }
    let lacking = components.filter { !names.contains($0.id) }.map {
      Use(component: $0.id, kept: [], dropped: $0.entries.map(\.name), reason: "is not in the configuration")
    }
    return found + lacking
  }

  private func use(for plan: PlannedNode) -> (entries: [Memory.Entry], use: Use)? {
    guard let own = components.first(where: { $0.id == plan.id }) else { return nil }
    func use(_ kept: [Memory.Entry], _ reason: String?) -> (entries: [Memory.Entry], use: Use) {
      let names = kept.map(\.name)
      let dropped = own.entries.map(\.name).filter { !names.contains($0) }
      return (kept, Use(component: plan.id, kept: names, dropped: dropped, reason: dropped.isEmpty ? nil : reason))
    }
    if own.plugin != plan.plugin.name { return use([], "was a \(own.plugin)") }
    if own.options == plan.optionsDigest { return use(own.entries, nil) }
    return use(own.entries.filter(\.isKept), "has other options")
  }
}

extension Pipeline {
  /// What the components leave for the next run; nil if some were cut off. To be called when the run has ended.
  package var leftMemory: RunMemory? {
    if abortSignal.hasFired { return nil }
    return RunMemory(
      time: clock.now,
      components: members.compactMap { member in
        let entries = member.slot.context.memory.entries
        let plan = member.plan
        return entries.isEmpty
          ? nil : RunMemory.Component(id: plan.id, plugin: plan.plugin.name, options: plan.optionsDigest, entries: entries)
      })
  }
}
