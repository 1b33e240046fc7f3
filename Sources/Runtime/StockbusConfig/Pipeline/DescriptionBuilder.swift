import StockbusPlugin

/// Merges documents into one description: sections, ids and `runtime`.
struct DescriptionBuilder {
  private(set) var config = LoadedConfig()
  private let limits: ConfigLimits
  private let environment: (String) -> String?
  /// Where each id was first written.
  private var ids: [String: ConfigNode.Mark] = [:]
  private var runtime: [ConfigNode.Entry] = []
  private var runtimePlaces: [String: ConfigNode.Mark] = [:]
  private var runtimeMark: ConfigNode.Mark?

  init(limits: ConfigLimits, environment: @escaping (String) -> String?) {
    self.limits = limits
    self.environment = environment
  }

  mutating func fail(_ problem: Problem) {
    config.problems.add(problem.message, at: problem.mark)
    config.isIncomplete = true
  }

  /// Adds the contents of one file; `document` includes the problems of parsing it.
  mutating func add(_ document: YAMLDocument, file: String) {
    config.files.append(file)
    config.standIns.formUnion(document.standIns)
    guard let root = document.root else {
      for problem in document.problems.list {
        // Without a source, more than the YAML is wrong with the file, which goes without saying.
        let rest = document.source == nil ? "" : "; nothing else in \(file) was checked"
        config.problems.add(problem.message + rest, at: problem.mark)
      }
      config.isIncomplete = true
      return
    }
    config.problems.add(document.problems)
    guard case .map(let entries) = root.value else {
      config.isIncomplete = true
      config.report("expected a mapping with \(Self.expected), got \(root.kind)", at: root.mark)
      return
    }
    if config.standIns.contains(root.mark) { config.isIncomplete = true }
    if document.doubled.contains(root.mark) { config.lacksInputs = true }
    var variables = Interpolation(document, limits: limits, environment: environment)
    for entry in entries where !entry.key.hasPrefix("x-") {
      if let section = Section.allCases.first(where: { $0.key == entry.key }) {
        add(section, entry, document.doubled, &variables)
      } else if entry.key == "runtime" {
        addRuntime(entry, &variables)
      } else if entry.key == "calendars" {
        if let node = given(entry, &variables) { config.description.calendars.append(node) }
      } else if entry.key == "instruments" {
        if let node = given(entry, &variables) { config.description.instruments.append(node) }
      } else if entry.key == "plugin_path" {
        if let node = given(entry, &variables) { addPluginPath(node) }
      } else if entry.key == "history" {
        if let node = given(entry, &variables) { addHistory(node, at: entry.mark) }
      } else {
        let near = didYouMean(entry.key, among: Self.keys)
        config.report("unknown key \(shown(entry.key))" + (near.isEmpty ? "; expected \(Self.expected)" : near), at: entry.mark)
        // The value of any other unknown key may contain components.
        let meant = suggestion(for: entry.key, among: Self.keys)
        if !Self.otherKeys.contains(where: { $0 == meant }) { config.isIncomplete = true }
      }
    }
    config.problems.add(variables.problems)
  }

  /// Adds components that a program has defined in code.
  mutating func add(_ components: [(section: Section, entry: ConfigNode.Entry)], runtime: ConfigNode.Entry?) {
    let document = YAMLDocument(root: nil, problems: Problems(), standIns: [], doubled: [], source: nil)
    var variables = Interpolation(document, limits: limits, environment: environment)
    variables.isUsed = false
    for component in components { add(component.entry, to: component.section, &variables) }
    if let runtime { addRuntime(runtime, &variables) }
  }

  /// The result of everything that was added.
  consuming func finish() -> LoadedConfig {
    if let runtimeMark { config.description.runtime = ConfigNode(.map(runtime), at: runtimeMark) }
    return config
  }

  /// The keys that hold no components.
  private static let otherKeys = ["runtime", "instruments", "calendars", "history", "plugin_path"]
  private static let keys = Section.allCases.map(\.key) + otherKeys
  private static let expected = "'sources', 'processors', 'sinks', 'runtime', 'instruments', 'calendars', 'history' or 'plugin_path'"

  private mutating func add(
    _ section: Section, _ entry: ConfigNode.Entry, _ doubled: Set<ConfigNode.Mark>, _ variables: inout Interpolation
  ) {
    if entry.value.isNull {
      if config.standIns.contains(entry.value.mark) { config.isIncomplete = true }
      return
    }
    guard case .map(let components) = entry.value.value else {
      config.isIncomplete = true
      config.report("'\(section.key)' must be a mapping of ids to components, got \(entry.value.kind)", at: entry.value.mark)
      return
    }
    if config.standIns.contains(entry.value.mark) { config.isIncomplete = true }
    for mark in [entry.value.mark] + components.map(\.value.mark) where doubled.contains(mark) { config.lacksInputs = true }
    var owner: Int?
    for component in components {
      let (known, count) = (config.problems.list.count, config.description.components.count)
      add(component, to: section, &variables)
      if config.description.components.count > count {
        owner = count
      } else if let owner, component.value["plugin"] == nil {
        config.strays.append(
          .init(entry: component, problems: Array(config.problems.list[known...]), owner: owner))
      }
    }
  }

  private mutating func add(_ entry: ConfigNode.Entry, to section: Section, _ variables: inout Interpolation) {
    let title = section.title(of: entry.key)
    if let mistake = ComponentID.mistake(in: entry.key) { config.report("\(title): \(mistake)", at: entry.mark) }
    if let first = ids[entry.key] {
      config.report("\(title): the id is given twice, first at \(first.place)", at: entry.mark)
      config.lacksInputs = true
      return
    }
    ids[entry.key] = entry.mark
    let node = interpolated(entry.value, &variables)
    var reader = ComponentReader(id: entry.key, idMark: entry.mark, section: section, standIns: config.standIns)
    let component = reader.read(node)
    config.problems.add(reader.problems)
    if let component { config.description.components.append(component) } else { config.rejected.insert(entry.key) }
  }

  private mutating func addRuntime(_ entry: ConfigNode.Entry, _ variables: inout Interpolation) {
    if entry.value.isNull { return }
    guard case .map(let options) = interpolated(entry.value, &variables).value else {
      config.report("'runtime' must be a mapping of options, got \(entry.value.kind)", at: entry.value.mark)
      return
    }
    runtimeMark = runtimeMark ?? entry.value.mark
    for option in options {
      if let first = runtimePlaces[option.key] {
        config.report("runtime: the option \(shown(option.key)) is given twice, first at \(first.place)", at: option.mark)
      } else {
        runtimePlaces[option.key] = option.mark
        runtime.append(option)
      }
    }
  }

  /// A folder, or a list of folders.
  private mutating func addPluginPath(_ node: ConfigNode) {
    var folders = [node]
    if case .list(let items) = node.value { folders = items }
    for folder in folders {
      guard case .scalar(let path) = folder.value, !path.isEmpty else {
        config.report("'plugin_path' must be a folder or a list of folders, got \(folder.kind)", at: folder.mark)
        continue
      }
      if config.description.pluginPath.count == limits.filesPerFolder {
        config.report("'plugin_path' names more than \(ConfigLimits.grouped(limits.filesPerFolder)) folders, the limit", at: folder.mark)
        return
      }
      config.description.pluginPath.append(folder)
    }
  }

  private mutating func addHistory(_ node: ConfigNode, at mark: ConfigNode.Mark) {
    if let first = config.description.history {
      config.report("'history' is given twice, first at \(first.mark.place)", at: mark)
    } else {
      config.description.history = node
    }
  }

  /// The value of a key; nil if nothing is written.
  private mutating func given(_ entry: ConfigNode.Entry, _ variables: inout Interpolation) -> ConfigNode? {
    if entry.value.isNull { return nil }
    return interpolated(entry.value, &variables)
  }

  private mutating func interpolated(_ node: ConfigNode, _ variables: inout Interpolation) -> ConfigNode {
    let result = variables.apply(to: node)
    config.standIns.formUnion(variables.takeStandIns())
    return result
  }
}
