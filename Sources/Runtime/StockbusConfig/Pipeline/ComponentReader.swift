import StockbusPlugin

/// Reads one component's mapping and collects its problems.
struct ComponentReader {
  let id: String
  let idMark: ConfigNode.Mark
  let section: Section
  /// Places whose problem has been reported.
  let standIns: Set<ConfigNode.Mark>
  private(set) var problems = Problems()
  private var lacksInputs = false

  init(id: String, idMark: ConfigNode.Mark, section: Section, standIns: Set<ConfigNode.Mark>) {
    self.id = id
    self.idMark = idMark
    self.section = section
    self.standIns = standIns
  }

  private var title: String { section.title(of: id) }
  static let reserved: Set<String> = ["plugin", "inputs", "merge", "supervision", "output", "isolation"]

  /// The component; nil if it is not a mapping or names no plugin.
  mutating func read(_ node: ConfigNode) -> ComponentDescription? {
    guard case .map(let entries) = node.value else {
      if case .scalar(let text) = node.value, let slip = missingBlank(text, among: Self.reserved) {
        report("\(title): \(slip)", at: node.mark)
      } else {
        report("\(title) must be a mapping with 'plugin', got \(node.kind)", at: node.mark)
      }
      return nil
    }
    // A mapping is a stand-in if something could not be merged into it, which has been reported.
    let isWhole = !standIns.contains(node.mark)
    // The past of a live source is a mapping; another `past` is an option of the plugin.
    let past = node["past"].flatMap { if case .map = $0.value { $0 } else { nil } }
    let options = entries.filter { !Self.reserved.contains($0.key) && ($0.key != "past" || past == nil) }
    let inputs = readInputs(node["inputs"])
    guard let (plugin, pluginMark) = readPlugin(node, options, isWhole: isWhole) else {
      // The plugin decides whether a component needs inputs; without a plugin its section does.
      if section != .source, isWhole, node["inputs"] == nil {
        report("\(title) is missing 'inputs'" + misspelt("inputs", options), at: idMark)
      }
      return nil
    }
    return ComponentDescription(
      id: id, idMark: idMark, section: section, plugin: plugin, pluginMark: pluginMark, inputs: inputs,
      inputsMark: node["inputs"]?.mark, hasAllInputs: lacksInputs == false && (isWhole || node["inputs"] != nil),
      merge: given(node["merge"]), supervision: given(node["supervision"]), output: given(node["output"]),
      isolation: given(node["isolation"]), past: past, options: ConfigNode(.map(options), at: node.mark),
      shownPlugin: node["plugin"]?.shownText)
  }

  private func given(_ node: ConfigNode?) -> ConfigNode? { node?.isNull == true ? nil : node }

  private mutating func report(_ message: String, at mark: ConfigNode.Mark) {
    if !standIns.contains(mark) { problems.add(message, at: mark) }
  }

  private mutating func readPlugin(
    _ node: ConfigNode, _ options: [ConfigNode.Entry], isWhole: Bool
  ) -> (String, ConfigNode.Mark)? {
    guard let plugin = node["plugin"] else {
      let slips = options.compactMap { entry in
        entry.value.isNull ? missingBlank(entry.key, among: Self.reserved).map { (text: $0, mark: entry.mark) } : nil
      }
      if let slip = slips.first {
        report("\(title): \(slip.text)", at: slip.mark)
      } else if isWhole {
        report("\(title) is missing 'plugin'" + misspelt("plugin", options), at: idMark)
      }
      return nil
    }
    guard case .scalar(let name) = plugin.value, !plugin.isNull, !name.isEmpty, !standIns.contains(plugin.mark) else {
      report("\(title): 'plugin' must be the name of a plugin, got \(plugin.kind)", at: plugin.mark)
      return nil
    }
    return (name, plugin.mark)
  }

  private mutating func readInputs(_ inputs: ConfigNode?) -> [InputDescription] {
    guard let inputs else { return [] }
    let items: [ConfigNode]
    switch inputs.value {
    case .list(let list): items = list
    case .scalar where inputs.isNull && !standIns.contains(inputs.mark): items = []
    case .scalar: items = [inputs]
    case .map:
      lacksInputs = true
      report("\(title): 'inputs' must be a list of ids, got a mapping", at: inputs.mark)
      return []
    }
    var found: [InputDescription] = []
    var places: [String: ConfigNode.Mark] = [:]
    for item in items {
      guard let input = readInput(item) else {
        lacksInputs = true
        continue
      }
      if let first = places[input.from] {
        report("\(title): the input \(input.shownID) is given twice, first at \(first.place)", at: input.mark)
        continue
      }
      places[input.from] = input.mark
      found.append(input)
    }
    return found
  }

  private mutating func readInput(_ node: ConfigNode) -> InputDescription? {
    switch node.value {
    case .scalar(let id):
      if !node.isNull, !id.isEmpty {
        return standIns.contains(node.mark) ? nil : InputDescription(from: id, mark: node.mark, shownID: node.shownText)
      }
      report("\(title): an input must be the id of a component, got \(node.kind)", at: node.mark)
    case .list: report("\(title): an input must be the id of a component, got a list", at: node.mark)
    case .map(let entries):
      let edge = entries.filter { $0.key != "from" }
      guard let from = node["from"] else {
        report("\(title): an input's mapping is missing 'from', the id of a component" + misspelt("from", edge), at: node.mark)
        return nil
      }
      if case .scalar(let id) = from.value, !from.isNull, !id.isEmpty {
        guard !standIns.contains(from.mark) else { return nil }
        return InputDescription(from: id, mark: from.mark, edge: ConfigNode(.map(edge), at: node.mark), shownID: from.shownText)
      }
      report("\(title): 'from' must be the id of a component, got \(from.kind)", at: from.mark)
    }
    return nil
  }

  /// A hint at the key that was probably misspelt.
  private func misspelt(_ key: String, _ entries: [ConfigNode.Entry]) -> String {
    if let near = suggestion(for: key, among: entries.map(\.key)) { return "; did you misspell it as \(shown(near))?" }
    return entries.first { !$0.value.isNull && suggestion(for: $0.key, among: [key]) != nil }.map {
      "; what \(shown($0.key)) is elsewhere is '\(key)' here"
    }
      ?? ""
  }
}
