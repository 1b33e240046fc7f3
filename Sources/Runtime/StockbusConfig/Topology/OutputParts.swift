internal import StockbusPlugin

/// Components that a configuration reads by a name such as `broker.fills` without defining them: each passes on one part of an output, or
/// stands beside the component that it is named after.
enum OutputParts {
  /// One component for each part that is named as an input and not there yet, in the order of their first mention.
  static func components(readBy components: [ComponentDescription], _ catalogue: Catalogue) -> [ComponentDescription] {
    var whole: [String: ComponentDescription] = [:]
    for component in components where whole[component.id] == nil { whole[component.id] = component }
    var made: [ComponentDescription] = []
    var names: Set<String> = []
    for input in components.lazy.flatMap(\.inputs) where input.from.contains(".") && !names.contains(input.from) && whole[input.from] == nil
    {
      let words = input.from.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let source = whole[words[0]], let plugin = catalogue[source.plugin],
        let part = plugin.parts.first(where: { $0.name == "\(plugin.name).\(words[1])" })
      else { continue }
      names.insert(input.from)
      if part.standsBeside {
        made.append(source.beside(id: input.from, plugin: part.name, at: input.mark))
        continue
      }
      made.append(
        ComponentDescription(
          id: input.from, idMark: input.mark, section: .processor, plugin: part.name, pluginMark: input.mark,
          inputs: [InputDescription(from: source.id, mark: input.mark)], inputsMark: input.mark,
          options: ConfigNode(.map([]), at: input.mark)))
    }
    return made
  }

  /// The names of all parts that could be read.
  static func names(of component: ComponentDescription, _ catalogue: Catalogue) -> [String] {
    guard let plugin = catalogue[component.plugin] else { return [] }
    return plugin.parts.map { component.id + $0.name.dropFirst(plugin.name.count) }
  }
}

extension TopologyChecker {
  /// Reports an input that may lose other events for the one component than for the other beside it.
  mutating func checkBeside(_ component: ComponentDescription, _ edges: [EdgeSettings]) {
    guard component.whole != nil else { return }
    for (input, edge) in zip(component.inputs, edges) where edge.overflow != .block {
      config.report(
        "\(component.title): \(shown(component.id)) has to get the same events, so its input \(input.shownID) needs 'overflow: block'",
        at: input.mark)
    }
  }
}
