internal import StockbusPlugin

extension TopologyChecker {
  /// The value of `merge`.
  mutating func mergeOrder(of component: ComponentDescription) -> MergeOrder {
    guard let node = component.merge else { return .arrival }
    if case .scalar(let text) = node.value, !node.isNull, let order = MergeOrder(rawValue: text) { return order }
    reportMerge(node, of: component)
    return .arrival
  }

  /// Reports a value of `merge` that is not an order.
  mutating func reportMerge(_ node: ConfigNode, of component: ComponentDescription) {
    let names = MergeOrder.allCases.map(\.rawValue)
    var (got, hint) = (node.kind, "")
    if case .scalar(let text) = node.value, !node.isNull {
      got = node.shownText
      hint = suggestion(for: text, among: names).map { "; did you mean '\($0)'?" } ?? ""
    }
    config.report("\(component.title): 'merge' must be one of \(names.joined(separator: ", ")), got \(got)\(hint)", at: node.mark)
  }

  /// Notes where the order of a component's input depends on timing, and reports a `merge` that has no effect.
  mutating func checkOrder(_ merge: MergeOrder, _ blueprint: Blueprint, _ component: ComponentDescription, _ edges: [EdgeSettings]) {
    if merge == .received, let mark = component.merge?.mark, !blueprint.canMerge {
      config.report("\(component.title): 'merge' is for plugins that take one type of event at a time", at: mark)
      return
    }
    let place = (component.inputsMark ?? component.idMark).place
    if !blueprint.isTimed, merge == .arrival, component.inputs.count > 1, blueprint.canMerge, !blueprint.hasLanes {
      let names = listed(component.inputs.map(\.shownID))
      notes.append(
        "\(place): note: \(component.title) takes \(names) as they come, so their order may differ from run to run; 'merge: received' makes it the same"
      )
    }
    guard component.section != .sink else { return }
    for (input, edge) in zip(component.inputs, edges) where edge.overflow != .block {
      notes.append(
        "\(input.mark.place): note: \(component.title): what '\(edge.overflow.rawValue)' leaves out of \(input.shownID) depends on timing")
    }
  }
}
