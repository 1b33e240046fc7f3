internal import StockbusInstruments
package import StockbusPlugin

extension Topology {
  /// Checks a configuration against the available plugins. Throws all problems at once, including those of reading it.
  ///
  /// - Parameters:
  ///   - looksAtFiles: true to check that files to be read exist, and that outputs do not conflict with each other or with inputs.
  ///   - outerFiles: files that the run reads in addition to those of its components and its configuration.
  ///   - mayBeUnread: true if outputs may have no reader in the configuration.
  ///   - historyFault: why the file at a path cannot be read as a history, as the end of a sentence that names it; nil if it can.
  package static func check(
    _ config: LoadedConfig, catalogue: Catalogue, looksAtFiles: Bool = true, outerFiles: [RunFiles.Reader] = [],
    mayBeUnread: Bool = false, historyFault: @escaping (String) -> String? = { _ in nil }
  ) throws(Problems) -> Topology {
    var checker = TopologyChecker(config, catalogue)
    checker.looksAtFiles = looksAtFiles
    checker.historyFault = historyFault
    checker.mayBeUnread = mayBeUnread
    checker.outerFiles = config.files.map { RunFiles.Reader(path: $0, words: "it is a file of the configuration") } + outerFiles
    return try checker.check()
  }
}

/// Resolves names: inputs, order, plugins, types, options. Every step reports its problems and continues, and reports no mere consequences
/// of earlier problems.
struct TopologyChecker {
  var config: LoadedConfig
  let catalogue: Catalogue
  let components: [ComponentDescription]
  /// The index in `components` by id.
  let places: [String: Int]
  /// The options of each component's inputs, in the same order.
  var edges: [[EdgeSettings]] = []
  /// The names that an input may have, in order.
  var readable: [String] = []
  /// The event type that each component emits, as far as it is known.
  var emitted: [String: any Event.Type] = RunTopic.allCases.reduce(into: [:]) { $0[$1.rawValue] = $1.eventType }
  /// The columns of each component's output; nil if they are not known because of a mistake that has been reported.
  var columns: [String: ColumnLayout?] = [:]
  /// The emitters of each type, for suggestions.
  var emitters: [Emitters] = []
  /// Components that are unread because of a mistake that has been reported.
  var excused: Set<String> = []
  /// True if an input is missing because of a mistake that has been reported, so that it is not certain which components are read.
  var lacksInputs: Bool
  /// Whether files are checked.
  var looksAtFiles = true
  /// Files that the run reads in addition to its components' files.
  var outerFiles: [RunFiles.Reader] = []
  /// Whether outputs may have no reader.
  var mayBeUnread = false
  /// Why a file cannot be read as a history.
  var historyFault: (String) -> String? = { _ in nil }
  /// The components' files.
  var files: [NamedFile] = []
  /// Recordings of pasts that are not there, by the title of the source.
  var missingPasts: [(source: String, file: PlacedFile)] = []
  /// Warnings, one line each with its place.
  var doubts: [String] = []
  /// Why the output depends on timing, one line each with its place.
  var notes: [String] = []
  /// Names in folders, for suggestions.
  var folders: [String: [String]] = [:]
  /// How many more names may be compared for suggestions; bounds the time for configurations with many mistakes.
  var comparisons = 20_000

  init(_ config: LoadedConfig, _ catalogue: Catalogue) {
    self.config = config
    self.catalogue = catalogue
    self.config.adoptStrays(catalogue)
    let written = SampledEdges.insert(into: self.config.description.components)
    components = written + OutputParts.components(readBy: written, catalogue)
    places = Dictionary(components.enumerated().map { ($1.id, $0) }) { first, _ in first }
    lacksInputs = config.isIncomplete || config.lacksInputs || !config.rejected.isEmpty
  }

  mutating func check() throws(Problems) -> Topology {
    muteRules()
    var instruments = readInstruments()
    let settings = decode(RunSettings.self, config.description.runtime, "runtime") ?? RunSettings()
    instruments.zone = settings.dateZone
    if let node = config.description.runtime {
      files += PlacedFile.of(settings.files, node, node.mark).map {
        NamedFile(title: "runtime", file: $0, options: node, fault: { nil }, doubt: { nil })
      }
    }
    checkIsSomething()
    readable = readableNames()
    edges = components.map { component in component.inputs.map { edgeSettings($0, of: component) } }
    let order = UpstreamOrder(resolveInputs())
    reportCycles(order.cycles)
    let readers = readersOfEach()
    let nodes = order.order.compactMap { plan($0, readers[$0]) }
    for problem in OriginCheck([nodes]).problems.list { config.report(problem.message, at: problem.mark) }
    checkReaders()
    let past = readHistory()
    checkMissingPasts()
    if looksAtFiles { checkFiles() }
    guard config.problems.isEmpty else { throw config.problems }
    return Topology(
      nodes: nodes, settings: settings, outerFiles: outerFiles, doubts: doubts, notes: notes, runtime: config.description.runtime,
      instruments: instruments, past: past,
      written: config.description.calendars + config.description.instruments + (config.description.history.map { [$0] } ?? []),
      config: config)
  }

  private static var top: ConfigNode.Mark { ConfigNode.Mark(line: 1, column: 1) }

  private mutating func checkIsSomething() {
    guard components.isEmpty, config.rejected.isEmpty, !config.isIncomplete else { return }
    let file = config.files.first ?? Self.top.file
    config.report(
      "there is nothing to run: no sources, processors or sinks", at: ConfigNode.Mark(file: file, line: 1, column: 1))
  }

  /// The options at `node`, or the defaults without a node; if options are wrong, reports all problems and returns nil. None is required.
  mutating func decode<O: Options>(_: O.Type, _ node: ConfigNode?, _ title: String) -> O? {
    guard let node else { return O() }
    do throws(Problems) { return try O.decode(node, at: node.mark) } catch {
      add(error.redacted(node), title)
      return nil
    }
  }

  mutating func add(_ problems: Problems, _ title: String) {
    for problem in problems.list { config.report("\(title): \(problem.message)", at: problem.mark) }
  }

  /// Rules over several options report at an option's key. This mutes keys whose value holds a variable that is not set, which has been
  /// reported.
  private mutating func muteRules() {
    if config.standIns.isEmpty { return }
    var muted: Set<ConfigNode.Mark> = []
    let standIns = config.standIns
    func holdsStandIn(_ node: ConfigNode) -> Bool {
      var holds = standIns.contains(node.mark)
      switch node.value {
      case .scalar: break
      case .list(let items): for item in items where holdsStandIn(item) { holds = true }
      case .map(let entries):
        for entry in entries where holdsStandIn(entry.value) {
          muted.insert(entry.mark)
          holds = true
        }
      }
      return holds
    }
    for component in components { _ = holdsStandIn(component.options) }
    for node in config.description.calendars + config.description.instruments { _ = holdsStandIn(node) }
    config.standIns.formUnion(muted)
  }

  // MARK: Components

  private mutating func plan(_ place: Int, _ readers: [Reader]) -> PlannedNode? {
    let component = components[place]
    let plugin = plugin(of: component)
    let supervision = own(SupervisionPolicy.self, component.supervision, "supervision", of: component)
    let output = own(OutputSettings.self, component.output, "output", of: component)
    if component.section == .sink, emitsNothing(component), let output = component.output {
      config.report("\(component.title): 'output' is for sources and processors; a sink emits nothing", at: output.mark)
    }
    checkPast(of: component, plugin)
    let isPlaced = plugin.map { $0.kind.rawValue == component.section.rawValue } ?? true
    let merge = mergeOrder(of: component, plugin)
    let options = ownOptions(of: component, plugin)
    if isPlaced { checkHasInputs(component, plugin) }
    for (edge, input) in zip(edges[place], component.inputs) { checkEdge(edge, input, component) }
    checkBeside(component, edges[place])
    guard let plugin else { return nil }
    let blueprint = isPlaced ? blueprint(plugin, component) : nil
    if isPlaced, let type = blueprint?.output ?? plugin.fixedOutput { note(component.id, emits: type) }
    do throws(Problems) {
      guard let blueprint else {
        // The options are checked even without a blueprint.
        try plugin.checkOptions(options, at: component.idMark)
        return nil
      }
      let assembly = try blueprint.assembly(options, at: component.idMark, reading: reading(component))
      files += assembly.files.map { file in
        NamedFile(
          title: component.title, file: file, options: component.options, fault: { assembly.fault(file.use) },
          doubt: { assembly.doubt(file.use) })
      }
      checkOrder(merge, blueprint, isTimed: assembly.isTimed, component, edges[place])
      guard let (blueprint, assembly) = try isolated(component, plugin, blueprint, assembly, options) else { return nil }
      note(component, columns: assembly.columns)
      return PlannedNode(
        id: component.id, plugin: plugin, blueprint: blueprint, assembly: assembly, inputs: plannedInputs(place),
        topic: topic(component.id, output ?? OutputSettings(), assembly.columns, readers), supervision: supervision ?? SupervisionPolicy(),
        merge: merge, description: component, place: place, past: past(of: component))
    } catch {
      note(component, columns: nil)
      if !lacksColumns(component) { add(error.redacted(component.options), component.title) }
      return nil
    }
  }

  private mutating func plugin(of component: ComponentDescription) -> Plugin? {
    let kind = component.section.rawValue
    guard let plugin = catalogue[component.plugin] else {
      let fitting = catalogue.plugins.filter { $0.kind.rawValue == kind }.map(\.name)
      var hint = "; there are " + fitting.joined(separator: ", ")
      if let near = suggestion(for: component.plugin, among: fitting) {
        hint = "; did you mean '\(near)'?"
      } else if let near = suggestion(for: component.plugin, among: catalogue.plugins.map(\.name)), let other = catalogue[near] {
        hint = "; did you mean '\(near)', a \(other.kind.rawValue)?"
      } else if fitting.isEmpty {
        hint = "; there is no plugin for a \(kind)"
      }
      config.report("\(component.title): unknown plugin \(component.shownPlugin)\(hint)", at: component.pluginMark)
      return nil
    }
    if plugin.kind.rawValue != kind {
      let belongs = plugin.kind.rawValue
      config.report(
        "\(component.title): plugin '\(plugin.name)' is a \(belongs); it belongs under '\(belongs)s'",
        at: component.pluginMark)
    }
    return plugin
  }

  /// The value of a key of the component itself, such as `supervision`.
  mutating func own<O: Options>(_: O.Type, _ node: ConfigNode?, _ key: String, of component: ComponentDescription) -> O? {
    guard let node else { return O() }
    guard case .map = node.value else {
      config.report("\(component.title): '\(key)' must be a mapping of options, got \(node.kind)", at: node.mark)
      return nil
    }
    return decode(O.self, node, "\(component.title): \(key)")
  }

  /// The plugin's options, without keys that were probably meant for the component itself, such as `input` or `supervison`; these are
  /// reported.
  private mutating func ownOptions(of component: ComponentDescription, _ plugin: Plugin?) -> ConfigNode {
    guard case .map(let entries) = component.options.value, !entries.isEmpty else { return component.options }
    // If the plugin is unknown, any key may be an option.
    guard plugin != nil || (component.inputsMark == nil && component.section != .source) else { return component.options }
    let names = plugin?.options.names ?? []
    var keys =
      plugin == nil
      ? []
      : [
        component.merge == nil ? "merge" : nil, component.supervision == nil ? "supervision" : nil,
        component.output == nil ? "output" : nil, component.past == nil && component.section == .source ? "past" : nil,
        component.isolation == nil && catalogue.isolation != nil ? "isolation" : nil,
      ]
    if component.inputsMark == nil, plugin?.takesInputs ?? true { keys.append("inputs") }
    var own: [ConfigNode.Entry] = []
    for entry in entries {
      if entry.key == "past", plugin?.takesPast == true {
        config.report("\(component.title): 'past' must be a mapping with 'from', got \(entry.value.kind)", at: entry.value.mark)
      } else if !names.contains(entry.key), suggestion(for: entry.key, among: names) == nil,
        let near = suggestion(for: entry.key, among: keys.compactMap(\.self)), near != "past" || plugin?.takesPast == true
      {
        config.report("\(component.title): unknown key \(shown(entry.key)); did you mean '\(near)'?", at: entry.mark)
        if near == "inputs" { misspeltInputs.insert(component.id) }
      } else {
        own.append(entry)
      }
    }
    return ConfigNode(.map(own), at: component.options.mark)
  }

  /// Components with a key that was meant to be `inputs`.
  private var misspeltInputs: Set<String> = []

  /// Checks that a component has inputs if its plugin takes inputs.
  private mutating func checkHasInputs(_ component: ComponentDescription, _ plugin: Plugin?) {
    guard component.inputs.isEmpty, plugin?.takesInputs ?? (component.section != .source) else { return }
    lacksInputs = true
    if misspeltInputs.contains(component.id) || !component.hasAllInputs { return }
    let who = component.section == .source ? "plugin \(shown(component.plugin))" : "a \(component.section.rawValue)"
    if let mark = component.inputsMark {
      config.report("\(component.title): 'inputs' is empty; \(who) needs at least one", at: mark)
    } else {
      config.report("\(component.title) is missing 'inputs'; \(who) needs at least one", at: component.idMark)
    }
  }

  // MARK: Edges

  private func plannedInputs(_ place: Int) -> [PlannedEdge] {
    zip(components[place].inputs, edges[place]).map { PlannedEdge(from: $0.from, options: $1.subscription) }
  }

  /// The plan of a component's topic: a ring with the largest capacity that its output or a blocking reader asks for, and the last values
  /// if a reader asks for them.
  private mutating func topic(
    _ id: String, _ output: OutputSettings, _ columns: ColumnLayout, _ readers: [Reader]
  ) -> Blueprint.TopicPlan {
    warnOfEnlarging(of: id, capacity: output.capacity, by: readers)
    let waiting = readers.filter { $0.edge.overflow == .block }.compactMap(\.edge.capacity).max() ?? 0
    var plan = Blueprint.TopicPlan(name: id, capacity: max(output.capacity, waiting), keepsLatest: readers.contains { $0.edge.initial })
    plan.memory = output.memory.bytes
    plan.columns = columns
    return plan
  }
}
