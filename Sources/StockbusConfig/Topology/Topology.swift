public import EventBus
public import StockbusPlugin

/// A checked pipeline: plugins exist, options are decoded, types agree on every edge, there is no cycle. Nothing has started.
public struct Topology: Sendable {
  /// Upstream before downstream.
  public let nodes: [PlannedNode]
  public let settings: RunSettings

  public init(nodes: [PlannedNode], settings: RunSettings = RunSettings()) {
    self.nodes = nodes
    self.settings = settings
  }
}

/// One component, ready to be made.
public struct PlannedNode: Sendable {
  public let id: String
  public let plugin: Plugin
  public let blueprint: Blueprint
  public let assembly: Blueprint.Assembly
  public let inputs: [PlannedEdge]
  public let topic: Blueprint.TopicPlan
  public let supervision: SupervisionPolicy

  public init(
    id: String, plugin: Plugin, blueprint: Blueprint, assembly: Blueprint.Assembly, inputs: [PlannedEdge],
    topic: Blueprint.TopicPlan, supervision: SupervisionPolicy
  ) {
    self.id = id
    self.plugin = plugin
    self.blueprint = blueprint
    self.assembly = assembly
    self.inputs = inputs
    self.topic = topic
    self.supervision = supervision
  }
}

/// One input of a component.
public struct PlannedEdge: Sendable {
  /// The component that emits, or a topic of the whole run such as `dead_letters`.
  public let from: String
  public let options: InletOptions

  public init(from: String, options: InletOptions = InletOptions()) {
    self.from = from
    self.options = options
  }
}
