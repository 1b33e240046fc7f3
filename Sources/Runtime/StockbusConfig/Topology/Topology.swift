package import StockbusInstruments
package import StockbusPlugin

/// A checked pipeline: plugins exist, options are decoded, the types of all edges match, and there is no cycle. Nothing has been started.
package struct Topology: Sendable {
  /// In upstream order: each component after those that it reads.
  package let nodes: [PlannedNode]
  package let settings: RunSettings
  /// Files that the run reads in addition to those of its components.
  package let outerFiles: [RunFiles.Reader]
  /// Warnings, such as those about files that are read, one line each with its place.
  let doubts: [String]
  /// Why the output depends on timing, one line each with its place.
  package let notes: [String]
  /// The instruments of the run, with their calendars; to be provided as a service.
  package let instruments: Instruments
  /// The file with the prices before the run; nil if none is named.
  package let past: PastFile?
  /// The value of `runtime`; nil if it is not written.
  let runtime: ConfigNode?
  /// The values of `calendars`, `instruments` and `history`.
  let written: [ConfigNode]
  /// The configuration from which it was made; nil if it was not made from one.
  package let config: LoadedConfig?

  package init(
    nodes: [PlannedNode], settings: RunSettings = RunSettings(), outerFiles: [RunFiles.Reader] = [], doubts: [String] = [],
    notes: [String] = [], runtime: ConfigNode? = nil, instruments: Instruments = Instruments(), past: PastFile? = nil,
    written: [ConfigNode] = [], config: LoadedConfig? = nil
  ) {
    self.notes = notes
    self.runtime = runtime
    self.instruments = instruments
    self.past = past
    self.written = written
    self.config = config
    self.nodes = nodes
    self.settings = settings
    self.outerFiles = outerFiles
    self.doubts = doubts
  }

  /// This topology with other components, and other settings if they are given.
  package func with(_ nodes: [PlannedNode], _ settings: RunSettings? = nil) -> Topology {
    Topology(
      nodes: nodes, settings: settings ?? self.settings, outerFiles: outerFiles, doubts: doubts, notes: notes, runtime: runtime,
      instruments: instruments, past: past, written: written, config: config)
  }

  /// Where `memory` is named.
  package var memoryMark: ConfigNode.Mark { runtime?.deepest(on: "memory")?.mark ?? ConfigNode.Mark(line: 1, column: 1) }

  /// All files that the run reads.
  package var files: RunFiles {
    RunFiles(
      outerFiles
        + nodes.flatMap { node in
          node.assembly.files.filter { $0.use.access == .read }.map {
            RunFiles.Reader(path: $0.use.path, words: "\(node.plugin.kind.rawValue) \(shown(node.id)) of this run reads it")
          }
        })
  }
}

/// One component, ready to be created.
package struct PlannedNode: Sendable {
  package let id: String
  package let plugin: Plugin
  package let blueprint: Blueprint
  package let assembly: Blueprint.Assembly
  package let inputs: [PlannedEdge]
  package let topic: Blueprint.TopicPlan
  package let supervision: SupervisionPolicy
  /// The order in which the component gets the events of several inputs.
  package let merge: MergeOrder
  /// The component as it was written; nil if it is from no configuration.
  package let description: ComponentDescription?
  /// The component's position among all components as they were written, counted from 0.
  package let place: Int
  /// What is played before a source begins; nil if nothing is.
  package let past: PlannedPast?

  package init(
    id: String, plugin: Plugin, blueprint: Blueprint, assembly: Blueprint.Assembly, inputs: [PlannedEdge],
    topic: Blueprint.TopicPlan, supervision: SupervisionPolicy, merge: MergeOrder = .arrival, description: ComponentDescription? = nil,
    place: Int = .max, past: PlannedPast? = nil
  ) {
    self.id = id
    self.plugin = plugin
    self.blueprint = blueprint
    self.assembly = assembly
    self.inputs = inputs
    self.topic = topic
    self.supervision = supervision
    self.merge = merge
    self.description = description
    self.place = place
    self.past = past
  }
}

/// Recordings that are played before a live source begins.
package struct PlannedPast: Sendable {
  /// Existing files, in the order of their names.
  package let paths: [String]
  /// How far back it goes; nil for all of it.
  package let last: Duration?
  package let mark: ConfigNode.Mark
}

extension PlannedNode {
  /// True if the component is notified of the time, or gets its inputs in the order of their receipt times.
  package var worksWithTime: Bool { assembly.isTimed || merge == .received }

  /// True if the component runs in a separate process.
  package var hasProcess: Bool {
    switch description?.isolation?.value {
    case .map: true
    case .scalar(let word): word == "process"
    case .list, nil: false
    }
  }

  /// The same, with other inputs, and in another order if it is given.
  package func reading(_ inputs: [PlannedEdge], merge: MergeOrder? = nil) -> PlannedNode { with(inputs, assembly, merge: merge) }

  /// The same, without effects outside of the run.
  package var withoutEffects: PlannedNode { with(assembly.withoutEffects()) }

  /// The same with an assembly made of its own.
  package func with(_ assembly: Blueprint.Assembly) -> PlannedNode { with(inputs, assembly) }

  private func with(_ inputs: [PlannedEdge], _ assembly: Blueprint.Assembly, merge: MergeOrder? = nil) -> PlannedNode {
    PlannedNode(
      id: id, plugin: plugin, blueprint: blueprint, assembly: assembly, inputs: inputs, topic: topic, supervision: supervision,
      merge: merge ?? self.merge, description: description, place: place, past: past)
  }

  /// True if both have the same plugin, options and supervision, wherever they are written and whatever their inputs are.
  package func isLike(_ other: PlannedNode) -> Bool {
    guard let description, let before = other.description else { return false }
    return id == other.id && plugin.revision == other.plugin.revision && description.isLike(before)
  }

  /// True if both read the same topics in the same order with the same options.
  package func readsLike(_ other: PlannedNode) -> Bool { inputs == other.inputs }
}

/// One input of a component.
package struct PlannedEdge: Sendable, Hashable {
  /// The component that emits, or a topic of the run such as `dead_letters`.
  package let from: String
  package let options: SubscriptionOptions

  package init(from: String, options: SubscriptionOptions = SubscriptionOptions()) {
    self.from = from
    self.options = options
  }
}
