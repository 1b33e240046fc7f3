package import StockbusPlugin

/// The section of a configuration that contains a component, which determines its kind.
package enum Section: String, Sendable, Hashable, CaseIterable {
  case source, processor, sink

  /// The key of its mapping: `sources`.
  package var key: String { rawValue + "s" }

  /// The component in the words of a message: `processor 'mine'`.
  func title(of id: String) -> String { "\(rawValue) \(shown(id))" }
}

/// A pipeline as it was written: components with plugins, inputs and options by name, not yet checked against the plugins.
package struct PipelineDescription: Sendable {
  /// In the order of files, sections and lines; every id occurs once.
  package var components: [ComponentDescription] = []
  /// The options of all `runtime` mappings as one mapping; nil if there is none.
  package var runtime: ConfigNode?
  /// The values of all `calendars` keys.
  package var calendars: [ConfigNode] = []
  /// The values of all `instruments` keys.
  package var instruments: [ConfigNode] = []
  /// The values of all `plugin_path` keys.
  package var pluginPath: [ConfigNode] = []
  /// The value of `history`; nil if there is none.
  package var history: ConfigNode?
}

/// One component as it was written.
package struct ComponentDescription: Sendable {
  package let id: String
  package let idMark: ConfigNode.Mark
  package let section: Section
  package let plugin: String
  package let pluginMark: ConfigNode.Mark
  /// The plugin as messages show it: `'generator'`, or the variable that the name came from.
  package let shownPlugin: String
  /// The inputs in the written order; no component occurs twice.
  package internal(set) var inputs: [InputDescription]
  /// Where the value of `inputs` is written; nil if it is not.
  package let inputsMark: ConfigNode.Mark?
  /// False if some input could not be understood and is missing from `inputs`.
  package internal(set) var hasAllInputs: Bool
  /// The value of `merge`; nil if it is not written.
  package let merge: ConfigNode?
  /// The value of `supervision`; nil if it is not written.
  package let supervision: ConfigNode?
  /// The value of `output`; nil if it is not written.
  package let output: ConfigNode?
  /// The value of `isolation`; nil if it is not written.
  package let isolation: ConfigNode?
  /// The value of `past`; nil if it is not written.
  package let past: ConfigNode?
  /// A mapping of all keys except `plugin`, `inputs`, `merge`, `supervision`, `output`, `isolation` and `past`, with their places.
  package internal(set) var options: ConfigNode
  /// The component beside which it stands, as the rest of its output; nil for others.
  private(set) var whole: String?

  package init(
    id: String, idMark: ConfigNode.Mark, section: Section, plugin: String, pluginMark: ConfigNode.Mark, inputs: [InputDescription] = [],
    inputsMark: ConfigNode.Mark? = nil, hasAllInputs: Bool = true, merge: ConfigNode? = nil, supervision: ConfigNode? = nil,
    output: ConfigNode? = nil, isolation: ConfigNode? = nil, past: ConfigNode? = nil, options: ConfigNode, shownPlugin: String? = nil
  ) {
    self.id = id
    self.idMark = idMark
    self.section = section
    self.plugin = plugin
    self.pluginMark = pluginMark
    self.shownPlugin = shownPlugin ?? shown(plugin)
    self.inputs = inputs
    self.inputsMark = inputsMark
    self.hasAllInputs = hasAllInputs
    self.merge = merge
    self.supervision = supervision
    self.output = output
    self.isolation = isolation
    self.past = past
    self.options = options
  }

  /// The component in the words of a message: `processor 'mine'`. What stands beside a component has its words, so that a mistake in the
  /// options of both is told once.
  package var title: String { section.title(of: whole ?? id) }

  /// A component that stands beside this one: with its inputs and options, of another plugin, at the place that reads it.
  func beside(id: String, plugin: String, at mark: ConfigNode.Mark) -> ComponentDescription {
    var copy = ComponentDescription(
      id: id, idMark: mark, section: section, plugin: plugin, pluginMark: mark, inputs: inputs, inputsMark: inputsMark,
      hasAllInputs: hasAllInputs, merge: merge, supervision: supervision, output: output, isolation: isolation, options: options)
    copy.whole = self.id
    return copy
  }

  /// True if both are equal in everything except their inputs, wherever they are written.
  func isLike(_ other: ComponentDescription) -> Bool { differences(from: other).isEmpty }

  /// What differs except the inputs, as the keys under which it is written. Never values, which may be secrets.
  func differences(from other: ComponentDescription) -> [String] {
    var keys: [String] = []
    if section != other.section { keys.append("kind") }
    if plugin != other.plugin { keys.append("plugin") }
    keys += options.differingKeys(other.options)
    if !ConfigNode.isLike(merge, other.merge) { keys.append("merge") }
    if !ConfigNode.isLike(supervision, other.supervision) { keys.append("supervision") }
    if !ConfigNode.isLike(output, other.output) { keys.append("output") }
    if !ConfigNode.isLike(isolation, other.isolation) { keys.append("isolation") }
    return keys
  }
}

/// One input of a component as it was written.
package struct InputDescription: Sendable {
  /// The id of the component whose output it takes.
  package let from: String
  package let mark: ConfigNode.Mark
  /// A mapping of the edge's own options, which are all keys except `from`; nil if only an id was written.
  package let edge: ConfigNode?
  /// The id as messages show it: `'ticks'`, or the variable that the id came from.
  package let shownID: String

  package init(from: String, mark: ConfigNode.Mark, edge: ConfigNode? = nil, shownID: String? = nil) {
    self.from = from
    self.mark = mark
    self.edge = edge
    self.shownID = shownID ?? shown(from)
  }
}
