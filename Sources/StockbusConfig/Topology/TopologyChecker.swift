internal import EventBus
public import StockbusPlugin

extension Topology {
  /// Checks a configuration against the plugins there are. Throws every problem at once, those of reading it among them.
  public static func check(_ config: LoadedConfig, catalogue: Catalogue) throws(Problems) -> Topology {
    var checker = TopologyChecker(config, catalogue)
    return try checker.check()
  }
}

/// Goes from names to things: plugins, inputs, order, types, options; every step reports what it finds and goes on.
struct TopologyChecker {
  var config: LoadedConfig
  let catalogue: Catalogue
  let byID: [String: ComponentDescription]
  /// What each component emits, as far as is known.
  var emitted: [String: any Event.Type] = [Topology.deadLetters: DeadLetter.self]

  init(_ config: LoadedConfig, _ catalogue: Catalogue) {
    self.config = config
    self.catalogue = catalogue
    byID = Dictionary(config.description.components.map { ($0.id, $0) }) { first, _ in first }
  }

  mutating func check() throws(Problems) -> Topology {
    let components = config.description.components
    var settings = RunSettings()
    do throws(Problems) { settings = try RunSettings.decode(config.description.runtime, at: Self.top) } catch { add(error, "runtime") }
    if components.isEmpty, config.problems.isEmpty {
      config.report(
        "there is nothing to run: no sources, processors or sinks",
        at: ConfigNode.Mark(file: config.files.first ?? Self.top.file, line: 1, column: 1))
    }
    for component in components { checkInputs(component) }
    checkReaders(components)
    var nodes: [PlannedNode] = []
    let edges = Dictionary(components.map { ($0.id, edgeSettings($0)) }) { first, _ in first }
    for component in sortedUpstreamFirst(components) {
      if let node = plan(component, edges) { nodes.append(node) }
    }
    guard config.problems.isEmpty else { throw config.problems }
    return Topology(nodes: nodes, settings: settings)
  }

  static var top: ConfigNode.Mark { ConfigNode.Mark(line: 1, column: 1) }

  mutating func add(_ problems: Problems, _ title: String) {
    for problem in problems.list { config.report("\(title): \(problem.message)", at: problem.mark) }
  }

  // MARK: Inputs

  /// Every input is the name of something that emits.
  private mutating func checkInputs(_ component: ComponentDescription) {
    for input in component.inputs where input.from != Topology.deadLetters {
      guard let upstream = byID[input.from] else {
        if config.isIncomplete || config.rejected.contains(input.from) { continue }
        let names = byID.values.filter { $0.section != .sink && $0.id != component.id }.map(\.id)
        let hint = suggestion(for: input.from, among: names).map { "; did you mean '\($0)'?" }
        let known = names.isEmpty ? "" : "; there are " + names.sorted().joined(separator: ", ")
        config.report("\(component.title): unknown input '\(input.from)'" + (hint ?? known), at: input.mark)
        continue
      }
      if upstream.section == .sink {
        config.report("\(component.title): its input '\(input.from)' is a sink; sinks emit nothing", at: input.mark)
      }
    }
  }

  /// What is emitted has a reader.
  private mutating func checkReaders(_ components: [ComponentDescription]) {
    if config.isIncomplete { return }
    let read = Set(components.flatMap { $0.inputs.map(\.from) })
    for component in components where component.section != .sink && !read.contains(component.id) {
      // A component that could not be understood may have been the reader.
      if !config.rejected.isEmpty { continue }
      config.report(
        "\(component.title): nothing reads it; name it in the 'inputs' of a processor or sink, or remove it", at: component.idMark)
    }
  }

  /// Upstream before downstream; otherwise in the written order. Components on a cycle, and behind one, are reported and left out.
  private mutating func sortedUpstreamFirst(_ components: [ComponentDescription]) -> [ComponentDescription] {
    var done: Set<String> = [Topology.deadLetters]
    var sorted: [ComponentDescription] = []
    var left = components
    while true {
      let ready = left.filter { $0.inputs.allSatisfy { done.contains($0.from) || byID[$0.from] == nil } }
      if ready.isEmpty { break }
      sorted += ready
      done.formUnion(ready.map(\.id))
      left.removeAll { done.contains($0.id) }
    }
    reportCycles(left)
    return sorted + left
  }

  private mutating func reportCycles(_ components: [ComponentDescription]) {
    var reported: Set<String> = []
    for component in components where !reported.contains(component.id) {
      guard let path = cycle(from: component) else { continue }
      reported.formUnion(path.map(\.id))
      // The arrow that the written order makes look like the one back.
      let last = path[path.count - 1]
      let mark = component.inputs.first { $0.from == last.id }?.mark ?? component.idMark
      let names = (path.map(\.id) + [component.id]).joined(separator: " → ")
      config.report("\(component.title): its inputs form a cycle: \(names)", at: mark)
    }
  }

  /// The way from a component along its readers back to itself: the shortest, or nil.
  private func cycle(from start: ComponentDescription) -> [ComponentDescription]? {
    var paths: [[ComponentDescription]] = [[start]]
    var seen: Set<String> = []
    while !paths.isEmpty {
      var next: [[ComponentDescription]] = []
      for path in paths {
        for reader in config.description.components where reader.inputs.contains(where: { $0.from == path[path.count - 1].id }) {
          if reader.id == start.id { return path }
          if seen.insert(reader.id).inserted { next.append(path + [reader]) }
        }
      }
      paths = next
    }
    return nil
  }

  // MARK: Edges

  private mutating func edgeSettings(_ component: ComponentDescription) -> [EdgeSettings] {
    component.inputs.map { input in
      do throws(Problems) { return try EdgeSettings.decode(input.edge, at: input.mark) } catch {
        add(error, "\(component.title): input '\(input.from)'")
        return EdgeSettings()
      }
    }
  }

  /// Conflation and `initial` are about symbols.
  private mutating func checkEdge(_ edge: EdgeSettings, _ input: InputDescription, _ component: ComponentDescription) {
    guard let type = emitted[input.from], !(type is any SymbolEvent.Type) else { return }
    let mark = input.edge?.mark ?? input.mark
    let wish = edge.overflow == .conflate ? "overflow: conflate" : edge.initial ? "initial" : nil
    guard let wish else { return }
    config.report(
      "\(component.title): '\(wish)' needs events about a symbol, but its input '\(input.from)' emits \(type.eventName)", at: mark)
  }

  // MARK: Components

  private mutating func plan(_ component: ComponentDescription, _ edges: [String: [EdgeSettings]]) -> PlannedNode? {
    guard let plugin = plugin(of: component) else { return nil }
    var supervision = SupervisionPolicy()
    do throws(Problems) { supervision = try SupervisionPolicy.decode(component.supervision, at: component.idMark) } catch {
      add(error, "\(component.title): supervision")
    }
    var output = OutputSettings()
    do throws(Problems) { output = try OutputSettings.decode(component.output, at: component.idMark) } catch {
      add(error, "\(component.title): output")
    }
    let own = edges[component.id] ?? []
    for (edge, input) in zip(own, component.inputs) { checkEdge(edge, input, component) }
    guard let blueprint = blueprint(plugin, component) else {
      // What it emits is unknown, so what stands downstream is not blamed; its options are checked all the same.
      do throws(Problems) { try plugin.checkOptions(component.options, at: component.idMark) } catch { add(error, component.title) }
      return nil
    }
    if let type = blueprint.output { emitted[component.id] = type }
    let readers = config.description.components.flatMap { reader in
      zip(reader.inputs, edges[reader.id] ?? []).filter { $0.0.from == component.id }.map(\.1)
    }
    let waiting = readers.filter { $0.overflow == .block }.compactMap(\.capacity)
    do throws(Problems) {
      return PlannedNode(
        id: component.id, plugin: plugin, blueprint: blueprint, assembly: try blueprint.assembly(component.options, at: component.idMark),
        inputs: zip(component.inputs, own).map { input, edge in
          PlannedEdge(
            from: input.from, options: InletOptions(overflow: edge.overflow, capacity: edge.capacity ?? 4096, initial: edge.initial))
        },
        topic: Blueprint.TopicPlan(
          name: component.id, capacity: max(output.capacity, waiting.max() ?? 0), keepsLatest: readers.contains { $0.initial }),
        supervision: supervision)
    } catch {
      add(error, component.title)
      return nil
    }
  }

  private mutating func plugin(of component: ComponentDescription) -> Plugin? {
    guard let plugin = catalogue[component.plugin] else {
      let names = catalogue.plugins.map(\.name)
      let hint = suggestion(for: component.plugin, among: names).map { "; did you mean '\($0)'?" }
      let known =
        "; there are " + catalogue.plugins.filter { $0.kind.rawValue == component.section.rawValue }.map(\.name).joined(separator: ", ")
      config.report("\(component.title): unknown plugin '\(component.plugin)'" + (hint ?? known), at: component.pluginMark)
      return nil
    }
    if plugin.kind.rawValue != component.section.rawValue {
      config.report(
        "\(component.title): plugin '\(plugin.name)' is a \(plugin.kind.rawValue); it belongs under '\(plugin.kind.rawValue)s'",
        at: component.pluginMark)
      return nil
    }
    return plugin
  }
}
