internal import StockbusPlugin

/// Inputs with `sample: 1s`: each becomes a component of the plugin `sample` between the output and its reader, which readers that want the
/// same share.
enum SampledEdges {
  private static let plugin = "sample"

  /// The components with the samples as their inputs, and behind them the samples, in the order of their first mention.
  static func insert(into components: [ComponentDescription]) -> [ComponentDescription] {
    if !components.contains(where: { $0.inputs.contains { $0.edge != nil } }) { return components }
    // A configuration that was made of a checked one has them already.
    let there = components.filter { $0.plugin == plugin && $0.id.contains(".") }
    var (changed, samples) = (components, [ComponentDescription]())
    for i in changed.indices {
      changed[i].inputs = changed[i].inputs.map { input in
        // Anything else is an error of the edge's own options.
        guard let every = input.edge?["sample"], case .scalar(let text) = every.value, (try? Duration(option: text)) != nil else {
          return input
        }
        let known = (there + samples).first { $0.inputs[0].from == input.from && ConfigNode.isLike($0.options["every"], every) }
        let sample = known ?? make(input, every, text, samples.count)
        if known == nil { samples.append(sample) }
        return InputDescription(from: sample.id, mark: input.mark, edge: input.edge, shownID: input.shownID)
      }
    }
    return changed + samples
  }

  private static func make(_ input: InputDescription, _ every: ConfigNode, _ text: String, _ number: Int) -> ComponentDescription {
    // The value of a variable is not shown.
    let id = "\(input.from).sample_" + (every.variables.isEmpty ? text.filter { $0 != " " } : "\(number + 1)")
    let options = ConfigNode(.map([.init(key: "every", mark: every.mark, value: every)]), at: every.mark)
    return ComponentDescription(
      id: id, idMark: input.mark, section: .processor, plugin: plugin, pluginMark: every.mark,
      inputs: [InputDescription(from: input.from, mark: input.mark, shownID: input.shownID)], inputsMark: input.mark, options: options)
  }
}
