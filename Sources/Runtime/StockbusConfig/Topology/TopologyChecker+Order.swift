internal import StockbusPlugin

extension TopologyChecker {
  /// The value of `merge`.
  mutating func mergeOrder(of component: ComponentDescription, _ plugin: Plugin?) -> MergeOrder {
    guard let node = component.merge else { return .arrival }
    if let order = node.word.flatMap(MergeOrder.init(rawValue:)) { return order }
    let names = MergeOrder.allCases.map(\.rawValue)
    var hint = node.word.map { didYouMean($0, among: names) } ?? ""
    if let word = node.word, Bool(word) != nil, let option = plugin?.options.names.first(where: { $0.hasPrefix("merge_") }) {
      hint = "; the plugin's option is called '\(option)': write '\(option): \(word)'"
    }
    config.report("\(component.title): 'merge' must be one of \(names.joined(separator: ", ")), got \(node.kind)\(hint)", at: node.mark)
    return .arrival
  }

  /// Notes where the order of a component's input depends on timing, and reports a `merge` that has no effect.
  mutating func checkOrder(
    _ merge: MergeOrder, _ blueprint: Blueprint, isTimed: Bool, _ component: ComponentDescription, _ edges: [EdgeSettings]
  ) {
    if merge == .received, let mark = component.merge?.mark, !blueprint.canMerge {
      config.report("\(component.title): 'merge' is for plugins that take one type of event at a time", at: mark)
      return
    }
    let place = (component.inputsMark ?? component.idMark).place
    if !isTimed, merge == .arrival, component.inputs.count > 1, blueprint.canMerge, !blueprint.hasLanes {
      let names = listed(component.inputs.map(\.shownID))
      notes.append(
        "\(place): note: \(component.title) reads \(names) as they arrive, so their order may differ from run to run; 'merge: received' makes it the same"
      )
    }
    guard component.section != .sink else { return }
    for (input, edge) in zip(component.inputs, edges) where edge.overflow != .block {
      notes.append(
        "\(input.mark.place): note: \(component.title): which events '\(edge.overflow.rawValue)' drops from \(input.shownID) depends on timing"
      )
    }
  }
}
