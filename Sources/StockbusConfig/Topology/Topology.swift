public import EventBus
public import StockbusPlugin

/// A checked pipeline: plugins exist, options are decoded, types agree on every edge, there is no cycle. Nothing has started.
public struct Topology: Sendable {
  /// Upstream before downstream.
  public let nodes: [PlannedNode]
  public let settings: RunSettings
  /// Files that the run reads beside those of its components.
  public let outerFiles: [RunFiles.Reader]
  /// Warnings, such as those about files that are read, one line each with its place.
  let doubts: [String]
  /// What was written as `runtime`; nil where nothing was.
  let runtime: ConfigNode?

  public init(
    nodes: [PlannedNode], settings: RunSettings = RunSettings(), outerFiles: [RunFiles.Reader] = [], doubts: [String] = [],
    runtime: ConfigNode? = nil
  ) {
    self.runtime = runtime
    self.nodes = nodes
    self.settings = settings
    self.outerFiles = outerFiles
    self.doubts = doubts
  }

  /// All files that are read.
  public var files: RunFiles {
    RunFiles(
      outerFiles
        + nodes.flatMap { node in
          node.assembly.files.filter { $0.use.access == .read }.map {
            RunFiles.Reader(path: $0.use.path, words: "\(node.blueprint.kind.rawValue) \(shown(node.id)) of this run reads it")
          }
        })
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
  /// As it was written; nil where no configuration has it.
  public let description: ComponentDescription?
  /// Its place among all components as they were written, counted from 0.
  public let place: Int

  public init(
    id: String, plugin: Plugin, blueprint: Blueprint, assembly: Blueprint.Assembly, inputs: [PlannedEdge],
    topic: Blueprint.TopicPlan, supervision: SupervisionPolicy, description: ComponentDescription? = nil, place: Int = .max
  ) {
    self.id = id
    self.plugin = plugin
    self.blueprint = blueprint
    self.assembly = assembly
    self.inputs = inputs
    self.topic = topic
    self.supervision = supervision
    self.description = description
    self.place = place
  }
}

extension PlannedNode {
  /// True where both are the same plugin with the same options and supervision, wherever they are written and whatever they read.
  public func isLike(_ other: PlannedNode) -> Bool {
    guard let description, let before = other.description else { return false }
    return id == other.id && description.isLike(before)
  }

  /// True where both read the same topics in the same order and in the same way.
  public func readsLike(_ other: PlannedNode) -> Bool { inputs == other.inputs }
}

/// One input of a component.
public struct PlannedEdge: Sendable, Hashable {
  /// The component that emits, or a topic of the whole run such as `dead_letters`.
  public let from: String
  public let options: InletOptions

  public init(from: String, options: InletOptions = InletOptions()) {
    self.from = from
    self.options = options
  }
}
