import LibC
import MarketData
import StockbusConfig
import StockbusFiles
import StockbusPlugin
import StockbusViewing

/// Recorded events that take the place of a source.
struct Recording: Hashable {
  /// The source; nil for those of its event type.
  let source: String?
  let path: String
  /// True if the program has written it, with the usual names of fields, whatever the source reads otherwise.
  var isOwn = false

  init(of source: String, path: String, isOwn: Bool = false) { (self.source, self.path, self.isOwn) = (source, path, isOwn) }

  /// `monday.csv`, or `trades=monday.csv`.
  init(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
    if parts.count == 2, parts[0].allSatisfy({ $0.isLowercase || $0.isNumber || $0 == "_" || $0 == "-" }) {
      (source, path) = (parts[0], parts[1])
    } else {
      (source, path) = (nil, argument)
    }
  }
}

/// Why a configuration cannot be rehearsed over these recordings: a mistake on the command line.
struct RehearsalMistake: Error, CustomStringConvertible {
  let description: String
}

/// What recordings are played for.
enum RehearsalPurpose {
  /// To see what would have been: sources that replay files need no recording.
  case rehearsal
  /// A test, which has an input for every source.
  case test
  /// To begin a run with what it would have learned. Sources without a recording give nothing, and nothing is traded. What was before these
  /// times is left out, by source.
  case past(since: [String: Timestamp])

  fileprivate var mayReplay: Bool { if case .rehearsal = self { true } else { false } }

  /// True if inputs wait for their readers, and leave no event out.
  fileprivate var waits: Bool { if case .test = self { false } else { true } }

  fileprivate var since: [String: Timestamp]? { if case .past(let since) = self { since } else { nil } }
}

/// A configuration whose sources are recordings, and which has no effects outside of the run.
struct RehearsalPlan {
  let topology: Topology
  /// The rules of its dispatchers.
  let rules: [WatchedRule]
  /// The components that send alerts.
  let dispatchers: [String]
  /// The parts of the output of each paper broker that say what it does, in the order of the brokers.
  private(set) var brokers: [(broker: String, parts: [String])] = []
  /// What each component that publishes nothing reads.
  let sinks: [String: [String]]
  /// What recordings do not say and was assumed, one line each.
  let assumptions: [String]
  /// The names of the sources.
  let sources: [String]
  /// The symbols of sources whose descriptions name them. Events of others do not come from a recording in the place of the source.
  let symbols: [String: [String]]

  /// The plugin that reads recordings.
  static var replay: String { "file_replay" }

  /// - Parameters:
  ///   - sink: what takes the place of a component that publishes nothing; nil leaves it out.
  /// - Throws: a `RehearsalMistake`, or the `Problems` of the configuration.
  init(
    _ config: LoadedConfig, over recordings: [Recording], for purpose: RehearsalPurpose = .rehearsal,
    sink: (ComponentDescription, PlannedNode) -> ComponentDescription? = { _, _ in nil }, _ program: Program
  ) throws {
    // What the sources read is not read here.
    let whole = try program.topology(config, looksAtFiles: false)
    let sources = try RecordedSources(whole, recordings, for: purpose, look: program.fileGuess)
    var rehearsed = config
    rehearsed.description.components = try config.description.components.compactMap { component in
      guard let node = whole.nodes.first(where: { $0.id == component.id }) else { return component }
      if component.section == .source { return try sources.component(for: component, node) }
      // Its events do not go on, so that all it does is outside of the run.
      if node.blueprint.output == nil { return sink(component, node) }
      return component.inOwnProcess
    }
    // Parts of an output, such as `broker.fills`, are there although their readers are left out.
    rehearsed.description.components += whole.nodes.filter { $0.id.contains(".") }.compactMap(\.description)
    // A file that a sink of the configuration makes may not be there yet, and neither is the sink.
    if let past = whole.past, access(past.path, F_OK) != 0 { rehearsed.description.history = nil }
    let topology = try program.topology(rehearsed, mayBeUnread: true)
    var nodes = try topology.nodes.flatMap { node in
      let keepsEnd = purpose.since != nil && sources.isRecorded(node.id)
      return keepsEnd || sources.symbols[node.id] != nil ? try node.passing(sources.symbols[node.id] ?? [], keepsEnd: keepsEnd) : [node]
    }
    if purpose.since != nil {
      nodes = try nodes.map { node in
        let isMute = node.blueprint.kind == .source ? node.plugin.name != Self.replay : try !node.accountParts().isEmpty
        return isMute ? node.with(node.assembly.silent()) : node
      }
    }
    for node in topology.nodes where purpose.mayReplay {
      let parts = try node.accountParts()
      if parts.isEmpty { continue }
      brokers.append((node.id, parts.map(\.id)))
      let known = nodes.map(\.id)
      nodes += parts.filter { !known.contains($0.id) }
    }
    self.topology = topology.with(nodes.map { $0.withoutEffects.mergingByReceipt(waiting: purpose.waits) })
    self.sources = topology.nodes.filter { $0.blueprint.kind == .source }.map(\.id)
    symbols = sources.symbols
    rules = topology.nodes.flatMap { node in
      (node.assembly.component as? any RuleKeepingComponent.Type)?.rules(inAny: node.assembly.settings, of: node.id) ?? []
    }
    assumptions = sources.assumptions
    sinks = Dictionary(whole.nodes.filter { $0.blueprint.output == nil }.map { ($0.id, $0.inputs.map(\.from)) }) { first, _ in first }
    dispatchers = topology.nodes.filter { $0.blueprint.output == Alert.self }.map(\.id)
  }
}

/// Puts recordings in the places of sources.
private struct RecordedSources {
  private let recordings: [Recording]
  private let guesses: [FileGuess?]
  /// The recordings of each source.
  private var places: [String: [Int]] = [:]
  private let purpose: RehearsalPurpose
  /// What sources that replay files are, also for relays of theirs.
  private var replays: [String: ComponentDescription] = [:]
  /// The sources in whose places recordings are; of a relay that from which its events come.
  private var origins: [String: PlannedNode] = [:]
  /// The symbols of these sources, if their descriptions name them.
  private(set) var symbols: [String: [String]] = [:]

  init(_ whole: Topology, _ recordings: [Recording], for purpose: RehearsalPurpose, look: ((String) -> FileGuess)?) throws(RehearsalMistake)
  {
    for recording in recordings {
      let name = shown(recording.path, limit: 4096)
      // It is looked at before it is read, and read once more by another configuration.
      if InputDescriptor.isStream(recording.path) {
        throw RehearsalMistake(description: "\(name) is a pipe or a device, which can be read only once: write what it gives to a file")
      }
      if access(recording.path, R_OK) != 0 { throw RehearsalMistake(description: "\(name): \(String(cString: strerror(errno)))") }
    }
    self.recordings = recordings
    self.purpose = purpose
    // A file that is no table says itself what its events are.
    guesses = recordings.map { recording in look?(recording.path) }.map { $0?.problem == nil || $0?.isCapture == true ? $0 : nil }
    let sources = whole.nodes.filter { $0.blueprint.kind == .source && $0.inputs.isEmpty }
    let named = Set(recordings.compactMap(\.source))
    for number in recordings.indices { places[try source(of: number, among: sources, named: named), default: []].append(number) }
    for node in sources where places[node.id] != nil { origins[node.id] = node }
    // What a relay sends is what it reads.
    for node in whole.nodes where node.blueprint.kind == .source && places[node.id] == nil {
      if let input = node.inputs.first {
        places[node.id] = places[input.from]
        replays[node.id] = replays[input.from]
        origins[node.id] = origins[input.from]
      } else if purpose.mayReplay, node.plugin.name == RehearsalPlan.replay {
        replays[node.id] = node.description
      }
    }
    symbols = origins.compactMapValues { node in
      guard let known = node.assembly.knownSymbols(), let written = node.description?.options.texts else { return nil }
      // Names that nobody has written, such as those of so many symbols, mean no choice.
      return known.allSatisfy(written.contains) ? known : nil
    }
  }

  func isRecorded(_ source: String) -> Bool { places[source] != nil }

  /// `monday.csv: assumed zone: America/New_York`.
  var assumptions: [String] {
    zip(recordings, guesses).flatMap { recording, guess in
      (guess?.questions ?? []).compactMap { question in
        let value = guess?.options.first { $0.name == question.option }?.value
        return value.map { "\(visible(recording.path)): assumed \(question.option): \($0); \(question.text)" }
      }
    }
  }

  /// The source that a recording stands in for: that of its name, or the only one that sends its type of event.
  private func source(of number: Int, among sources: [PlannedNode], named: Set<String>) throws(RehearsalMistake) -> String {
    let recording = recordings[number]
    let names = sources.map(\.id)
    if let source = recording.source {
      if names.contains(source) { return source }
      throw RehearsalMistake(
        description: (purpose.mayReplay ? "--over \(source)=\(recording.path): " : "") + "there is no source \(shown(source))"
          + didYouMean(source, among: names, otherwise: "; there are \(names.joined(separator: ", "))"))
    }
    let isCapture = guesses[number]?.isCapture == true
    let type = isCapture ? nil : guesses[number].map { $0.options.first { $0.name == "event" }?.value ?? Trade.eventName }
    let fitting = sources.filter { source in
      !named.contains(source.id)
        && (isCapture ? source.replaysCaptures : type == nil || source.blueprint.output?.eventName == type)
    }
    // A source that replays a file already has its recording.
    let needy = fitting.filter { $0.plugin.name != RehearsalPlan.replay }
    let candidates = needy.isEmpty ? fitting : needy
    if candidates.count == 1 { return candidates[0].id }
    let events = isCapture ? "messages of a venue" : type.map { "\($0)s" } ?? "events"
    if candidates.isEmpty {
      throw RehearsalMistake(
        description:
          "--over \(recording.path): it has \(events), which no source \(isCapture ? "takes" : "sends"); there are "
          + names.joined(separator: ", "))
    }
    throw RehearsalMistake(
      description:
        "--over \(recording.path): \(listed(candidates.map { shown($0.id) })) \(isCapture ? "take" : "send") \(events); write which, --over \(candidates[0].id)=\(recording.path)"
    )
  }

  /// The events that can be recorded.
  private static let recorded = [Trade.eventName, Quote.eventName, Bar.eventName, raw]
  /// Messages as a venue sends them.
  static let raw = "raw_message"

  /// The replay of captures of the messages of `origin`, decoded by its own description.
  private func decoding(_ paths: [String], as source: ComponentDescription, _ node: PlannedNode, by origin: PlannedNode) throws(Problems)
    -> ComponentDescription
  {
    guard let type = origin.assembly.component as? any DecodingComponent.Type, let given = origin.description?.options,
      case .map(let entries) = given.value
    else {
      let mark = (origin.description ?? source).pluginMark
      var problems = Problems()
      problems.add("\(shown(paths[0])) is a raw capture, and source \(shown(origin.id)) does not say how messages are decoded", at: mark)
      throw problems
    }
    func word(_ text: String) -> ConfigNode { ConfigNode(.scalar(text), at: given.mark, isQuoted: true) }
    var options = entries.filter { type.decodingOptions.contains($0.key) }
    options.append(.init(key: "event", mark: given.mark, value: word(node.blueprint.output?.eventName ?? "")))
    options.append(.init(key: "format", mark: given.mark, value: word("raw")))
    options.append(.init(key: "path", mark: given.mark, value: ConfigNode(.list(paths.map(word)), at: given.mark)))
    if let since = purpose.since?[source.id] { options.append(.init(key: "from", mark: given.mark, value: word("\(since)"))) }
    return source.with(plugin: RehearsalPlan.replay, ConfigNode(.map(options), at: given.mark))
  }

  /// The source as the replay of its recordings.
  func component(for source: ComponentDescription, _ node: PlannedNode) throws -> ComponentDescription {
    guard let own = places[source.id] else {
      if let replay = replays[source.id] { return replay.atFullSpeed(as: source.id) }
      if purpose.since != nil { return source }
      let given = node.blueprint.output.map { "\($0.eventName)s" } ?? "events"
      throw RehearsalMistake(
        description:
          "source \(shown(node.id)) has no \(purpose.mayReplay ? "recording: name the file with its \(given), --over \(node.id)=FILE" : "input: write its \(given) under 'input'")"
      )
    }
    let paths = own.map { recordings[$0].path }
    let captures = own.filter { guesses[$0]?.isCapture == true }
    if let capture = captures.first, let row = own.first(where: { !captures.contains($0) }) {
      throw RehearsalMistake(
        description:
          "--over \(source.id)=\(recordings[row].path): it has rows, and \(recordings[capture].path) messages; one source reads one of both"
      )
    }
    // A source that replays a file knows how its files are read.
    if node.plugin.name == RehearsalPlan.replay, !recordings[own[0]].isOwn { return source.replaying(paths) }
    if let type = node.blueprint.output?.eventName, !Self.recorded.contains(type) {
      throw RehearsalMistake(description: "source \(shown(node.id)) gives \(type) events, which no recording has")
    }
    if !captures.isEmpty, node.blueprint.output?.eventName != Self.raw {
      return try decoding(paths, as: source, node, by: origins[source.id] ?? node)
    }
    // What the source sends, whatever the file looks like.
    var options = guesses[own[0]]?.options.filter { $0.name != "event" }.map { "\($0.name): \($0.value)" } ?? []
    if let type = node.blueprint.output?.eventName, type != Trade.eventName { options.append("event: \(type == Self.raw ? "raw" : type)") }
    if let since = purpose.since?[source.id] { options.append("from: \"\(since)\"") }
    let columns = node.assembly.columns.columns.map { "\($0.name): \($0.kind.rawValue)" }
    if !columns.isEmpty { options.append("extra_columns: { \(columns.joined(separator: ", ")) }") }
    options.append("path: [\(paths.map(\.optionText).joined(separator: ", "))]")
    let text = "sources: { \(source.id): { plugin: \(RehearsalPlan.replay), \(options.joined(separator: ", ")) } }"
    let place = purpose.since == nil ? "--over" : PastRun.place(of: source.id)
    let loaded = ConfigLoader(environment: { _ in nil }).load(text: text, file: place)
    guard let replay = try loaded.checked().components.first else { return source }
    return replay
  }
}

extension PlannedNode {
  /// True if a raw capture may take its place.
  fileprivate var replaysCaptures: Bool {
    assembly.component is any DecodingComponent.Type || plugin.name == RehearsalPlan.replay
      || blueprint.output?.eventName == RecordedSources.raw
  }

  /// The same with its inputs in the order of their receipts, in which a live run gets them; at full speed they come in any.
  ///
  /// - Parameter waiting: whether its inputs wait for it and leave no event out: at full speed it would be late for most.
  fileprivate func mergingByReceipt(waiting: Bool) -> PlannedNode {
    let edges = inputs.map { input in
      var options = input.options
      if waiting { options.overflow = .block }
      return PlannedEdge(from: input.from, options: options)
    }
    return reading(edges, merge: inputs.count > 1 ? .received : merge)
  }
}

extension ConfigNode {
  /// All scalars in it.
  fileprivate var texts: Set<String> {
    switch value {
    case .scalar(let text): [text]
    case .list(let items): items.reduce(into: []) { $0.formUnion($1.texts) }
    case .map(let entries): entries.reduce(into: []) { $0.formUnion($1.value.texts) }
    }
  }
}

extension ComponentDescription {
  /// The same in the process of the run.
  fileprivate var inOwnProcess: ComponentDescription { with(options) }

  /// A replay as fast as it can be read.
  fileprivate func atFullSpeed(as id: String) -> ComponentDescription {
    guard case .map(let entries) = options.value else { return self }
    return with(id: id, ConfigNode(.map(entries.filter { $0.key != "speed" }), at: options.mark))
  }

  /// A replay of other files.
  fileprivate func replaying(_ paths: [String]) -> ComponentDescription {
    guard case .map(let entries) = options.value else { return self }
    let mark = options.mark
    let list = ConfigNode(.list(paths.map { ConfigNode(.scalar($0), at: mark, isQuoted: true) }), at: mark)
    let kept = entries.filter { $0.key != "speed" && $0.key != "path" }
    return with(ConfigNode(.map(kept + [.init(key: "path", mark: mark, value: list)]), at: mark))
  }

  /// Of another plugin it reads nothing.
  func with(id: String? = nil, plugin: String? = nil, _ options: ConfigNode) -> ComponentDescription {
    ComponentDescription(
      id: id ?? self.id, idMark: idMark, section: section, plugin: plugin ?? self.plugin, pluginMark: pluginMark,
      inputs: plugin == nil ? inputs : [], inputsMark: inputsMark, hasAllInputs: hasAllInputs, merge: merge, supervision: supervision,
      output: output, options: options, shownPlugin: plugin.map { shown($0) } ?? shownPlugin)
  }
}
