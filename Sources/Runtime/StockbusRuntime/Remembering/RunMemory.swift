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
  /// False if it was kept while a run went on that has not ended since.
  package let isOfEndedRun: Bool

  package init(time: Timestamp? = nil, components: [Component] = [], isOfEndedRun: Bool = true) {
    self.time = time
    self.components = components
    self.isOfEndedRun = isOfEndedRun
  }

  /// The same without these components.
  package func without(_ ids: [String]) -> RunMemory {
    RunMemory(time: time, components: components.filter { !ids.contains($0.id) }, isOfEndedRun: isOfEndedRun)
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
    // Those go to its inputs.
    let all = own.entries.filter { !$0.name.hasPrefix(Self.waitingPrefix) }
    func use(_ kept: [Memory.Entry], _ reason: String?) -> (entries: [Memory.Entry], use: Use) {
      let names = kept.map(\.name)
      let dropped = all.map(\.name).filter { !names.contains($0) }
      return (kept, Use(component: plan.id, kept: names, dropped: dropped, reason: dropped.isEmpty ? nil : reason))
    }
    if own.plugin != plan.plugin.name { return use([], "was a \(own.plugin)") }
    if own.options == plan.optionsDigest { return use(all, nil) }
    return use(all.filter(\.isKept), "has other options")
  }

  /// The events that waited at this input of a component, whatever it is now.
  func waiting(at plan: PlannedNode, from input: String) -> WaitingEvents? {
    let entry = components.first { $0.id == plan.id }?.entries.first { $0.name == Self.waitingPrefix + input }
    guard case .stored(let stored) = entry?.value else { return nil }
    return try? stored.decode(WaitingEvents.self)
  }

  /// Names of values that are the events that waited at an input.
  static let waitingPrefix = "waiting from "
}
