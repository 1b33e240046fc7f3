internal import EventBus
internal import MarketData
internal import StockbusPlugin

extension TopologyChecker {
  /// The value of `merge`.
  mutating func mergeOrder(of component: ComponentDescription) -> MergeOrder {
    guard let node = component.merge else { return .arrival }
    let names = MergeOrder.allCases.map(\.rawValue)
    guard case .scalar(let text) = node.value, !node.isNull else {
      config.report("\(component.title): 'merge' must be one of \(names.joined(separator: ", ")), got \(node.kind)", at: node.mark)
      return .arrival
    }
    if let order = MergeOrder(rawValue: text) { return order }
    let hint = suggestion(for: text, among: names).map { "; did you mean '\($0)'?" } ?? ""
    config.report(
      "\(component.title): 'merge' must be one of \(names.joined(separator: ", ")), got \(node.shownText)\(hint)", at: node.mark)
    return .arrival
  }

  /// Notes where the order of a component's input depends on timing, and reports a `merge` that has no effect.
  mutating func checkOrder(_ merge: MergeOrder, _ blueprint: Blueprint, _ component: ComponentDescription, _ edges: [EdgeSettings]) {
    if merge == .received, let mark = component.merge?.mark, !blueprint.canMerge {
      config.report("\(component.title): 'merge' is for plugins that take one type of event at a time", at: mark)
      return
    }
    let place = (component.inputsMark ?? component.idMark).place
    if !blueprint.isTimed, merge == .arrival, component.inputs.count > 1, blueprint.canMerge {
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
