internal import StockbusPlugin

// The columns beside the events of each output, known like the event types: upstream first.
extension TopologyChecker {
  /// The columns of all inputs of a component; reports those that have one name and are of different kinds.
  mutating func reading(_ component: ComponentDescription) -> ColumnLayout {
    var all = ColumnLayout()
    for input in component.inputs {
      guard let own = columns[input.from] ?? nil else { continue }
      for column in own.columns {
        guard let place = all.place(of: column.name) else { continue }
        let other = all.columns[place]
        if other.kind == column.kind { continue }
        config.report(
          "\(component.title): the column '\(column.name)' of \(shown(input.from)) is a \(column.kind.rawValue), and that of an input before it a \(other.kind.rawValue)",
          at: input.mark)
      }
      all = .union([all, own])
    }
    return all
  }

  /// - Parameter columns: nil if the component has mistakes.
  mutating func note(_ component: ComponentDescription, columns layout: ColumnLayout?) {
    guard let layout else {
      // Only a processor with the one option and a component with the other add any.
      let adds = component.section == .processor && component.options.has("columns") || component.options.has("extra_columns")
      if adds || lacksColumns(component) {
        columns[component.id] = .some(nil)
      }
      return
    }
    columns[component.id] = lacksColumns(component) ? .some(nil) : layout
  }

  /// True if an input has columns that are not known, so that a name that is not found may be no mistake.
  func lacksColumns(_ component: ComponentDescription) -> Bool {
    component.inputs.contains { input in if case .some(nil) = columns[input.from] { true } else { false } }
  }
}

extension ConfigNode {
  fileprivate func has(_ key: String) -> Bool {
    if case .map(let entries) = value { entries.contains { $0.key == key } } else { false }
  }
}
