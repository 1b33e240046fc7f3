import StockbusPlugin

extension LoadedConfig {
  /// Recognises options that are indented as little as the id of their component, and so look like components of their own: reports them
  /// as what they are, and gives them to their component, which does not lack them then.
  mutating func adoptStrays(_ catalogue: Catalogue) {
    var former: Set<Problem> = []
    var found = Problems()
    for stray in strays {
      let (key, owner) = (stray.entry.key, description.components[stray.owner])
      let isReserved = ComponentReader.reserved.contains(key)
      guard isReserved || catalogue[owner.plugin]?.options.names.contains(key) == true else { continue }
      former.formUnion(stray.problems)
      let isInBraces = owner.pluginMark.line == owner.idMark.line
      let remedy = isInBraces ? "write it inside its '{…}'" : "indent it as far as 'plugin' there"
      found.add("\(shown(key)) is an option of \(owner.title) above: \(remedy)", at: stray.entry.mark)
      if key == "inputs" { description.components[stray.owner].hasAllInputs = false }
      if !isReserved, case .map(let entries) = owner.options.value {
        description.components[stray.owner].options = ConfigNode(.map(entries + [stray.entry]), at: owner.options.mark)
      }
    }
    if former.isEmpty { return }
    for problem in problems.list where !former.contains(problem) { found.add(problem.message, at: problem.mark) }
    problems = found
  }
}
