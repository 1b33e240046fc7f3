internal import EventBus
internal import StockbusPlugin

extension TopologyChecker {
  /// The blueprint for what stands upstream; nil, and a problem, where it does not fit.
  mutating func blueprint(_ plugin: Plugin, _ component: ComponentDescription) -> Blueprint? {
    let takesInputs = plugin.takesInputs
    if component.inputs.isEmpty, takesInputs {
      if component.section == .source { config.report("\(component.title): plugin '\(plugin.name)' needs 'inputs'", at: component.idMark) }
      return nil
    }
    if !component.inputs.isEmpty, !takesInputs {
      config.report("\(component.title): plugin '\(plugin.name)' takes no inputs", at: component.inputs[0].mark)
      return nil
    }
    var types: [any Event.Type] = []
    var areKnown = true
    for input in component.inputs {
      guard let type = emitted[input.from] else {
        areKnown = false
        continue
      }
      types.append(type)
      if !plugin.fits(type) {
        areKnown = false
        config.report(
          "\(component.title) consumes \(plugin.acceptedTypes), but its input '\(input.from)' emits \(type.eventName)"
            + fitting(plugin, besides: component), at: input.mark)
      }
    }
    guard areKnown else { return nil }
    if let blueprint = plugin.blueprint(for: types, options: component.options) { return blueprint }
    let list = zip(component.inputs, types).map { "'\($0.from)' emits \($1.eventName)" }.joined(separator: ", ")
    config.report("\(component.title) consumes events of one type at a time, but \(list)", at: component.inputs[0].mark)
    return nil
  }

  /// `; 'ticks' (trade) would fit`, or nothing.
  private func fitting(_ plugin: Plugin, besides component: ComponentDescription) -> String {
    let names = emitted.filter { $0.key != component.id && $0.key != Topology.deadLetters && plugin.fits($0.value) }
      .map { "'\($0.key)' (\($0.value.eventName))" }.sorted()
    return names.isEmpty ? "" : "; \(names.prefix(5).joined(separator: ", ")) would fit"
  }
}
