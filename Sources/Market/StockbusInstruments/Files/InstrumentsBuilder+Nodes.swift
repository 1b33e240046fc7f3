package import StockbusPlugin

extension InstrumentsBuilder {
  /// Adds instruments written in YAML as a list of mappings.
  package mutating func add(_ node: ConfigNode) {
    guard case .list(let items) = node.value else {
      return report("instruments must be a list of mappings with 'symbol', got \(node.kind)", at: node.mark)
    }
    for item in items { add(instrument: item) }
  }

  /// Adds one instrument written as a mapping.
  package mutating func add(instrument node: ConfigNode) {
    guard case .map(let entries) = node.value else {
      if case .scalar(let text) = node.value, let slip = missingBlank(text, among: InstrumentField.names) {
        return report(slip, at: node.mark)
      }
      return report("an instrument must be a mapping with 'symbol', got \(node.kind)", at: node.mark)
    }
    for entry in entries where !InstrumentField.names.contains(entry.key) {
      let near = didYouMean(entry.key, among: InstrumentField.names)
      let known = "; known are \(InstrumentField.names.joined(separator: ", "))"
      report("unknown key \(shown(entry.key))" + (near.isEmpty ? known : near), at: entry.mark)
    }
    guard let symbol = node["symbol"], !symbol.isNull else {
      return report("an instrument needs 'symbol'", at: node["symbol"]?.mark ?? node.mark)
    }
    guard case .scalar(let name) = symbol.value else {
      return report("'symbol' must be a symbol, got \(symbol.kind)", at: symbol.mark)
    }
    guard var instrument = begin(name, shown: symbol.shownText, at: symbol.mark) else { return }
    for field in InstrumentField.all {
      guard let value = node[field.name], !value.isNull else { continue }
      guard case .scalar(let text) = value.value else {
        report("'\(field.name)' must be \(field.phrase), got \(value.kind)", at: value.mark)
        continue
      }
      set(field, of: &instrument, to: text, shown: value.shownText, isFromVariable: !value.variables.isEmpty, at: value.mark)
    }
    if let splits = node["splits"], !splits.isNull { add(splits: splits, to: &instrument) }
    add(instrument, at: node.mark)
  }

  private mutating func add(splits node: ConfigNode, to instrument: inout Instrument) {
    let items = if case .list(let items) = node.value { items } else { [node] }
    for item in items {
      guard case .scalar(let text) = item.value, !item.isNull else {
        report("'splits' must be a list of splits such as 2014-06-09 7:1, got \(item.kind)", at: item.mark)
        continue
      }
      add(split: text, to: &instrument, shown: item.shownText, isFromVariable: !item.variables.isEmpty, at: item.mark)
    }
  }
}
