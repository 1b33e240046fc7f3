import ArgumentParser
import LibC
import StockbusConfig
import StockbusInstruments
import StockbusPlugin

struct Watch<Companion: RunCompanion>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "watch",
      abstract: "Watch a few symbols without editing a configuration.",
      discussion: """
        Runs the sources and processors of a configuration (by default plugins.yaml), without its sinks, and shows these symbols. \
        On a terminal they are the watchlist of the screen at the start; elsewhere, and in 'screen: inline', only they are shown. \
        Arguments that end in .yaml or .yml, or that are folders, are configurations. Without a configuration, prices are made up.

          \(Program.name) watch AAPL NVDA
          \(Program.name) watch BRK.B desk.yaml
        """)
  }

  @Argument(help: "Symbols, and configurations.", completion: .file(extensions: ["yaml", "yml"]))
  var words: [String]

  @OptionGroup var options: RunOptions<Companion>

  private var configs: [String] { words.filter(WatchPlan.isConfiguration) }

  /// The symbols by name, from links or names; throws for anything else.
  private func symbols() throws -> [String] {
    try words.filter { !WatchPlan.isConfiguration($0) }.map { try StockLink(argument: $0).symbol.description }
  }

  func validate() throws { if try symbols().isEmpty { throw ValidationError("name at least one symbol") } }

  func run() async throws {
    let symbols = try symbols()
    RunSession<Companion>.prepare(options)
    let topology: Topology
    do throws(Problems) { topology = try WatchPlan.topology(configs, symbols: symbols, outerFiles: options.files) } catch {
      StandardError.write(ConfigArguments.report(error, "; nothing was started"))
      throw ExitStatus.config
    }
    for warning in WatchPlan.warnings(symbols, topology) { StandardError.write(warning) }
    try await RunSession(options: options, command: "watch", notes: WatchPlan.isMadeUp(configs) ? MadeUp.notes(topology) : []).run(topology)
  }
}

/// The topology for `watch`.
enum WatchPlan {
  static func isConfiguration(_ word: String) -> Bool {
    var info = stat()
    return word.hasSuffix(".yaml") || word.hasSuffix(".yml") || (stat(word, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR)
  }

  static func topology(
    _ configs: [String], symbols: [String], outerFiles: [RunFiles.Reader] = []
  ) throws(Problems) -> Topology {
    var config = load(configs, symbols)
    config.description.components = reduced(config.description.components, to: symbols)
    return try Program.current.topology(config, outerFiles: outerFiles)
  }

  /// True if there is no configuration, so that prices of these symbols are made up.
  static func isMadeUp(_ configs: [String]) -> Bool { configs.isEmpty && access(ConfigLoader.usual, F_OK) != 0 }

  private static func load(_ configs: [String], _ symbols: [String]) -> LoadedConfig {
    if isMadeUp(configs) { return ConfigLoader().load(text: madeUp(symbols), file: "made up") }
    return ConfigLoader().load(paths: configs.isEmpty ? [ConfigLoader.usual] : configs)
  }

  /// Warnings about symbols that no source has.
  static func warnings(_ symbols: [String], _ topology: Topology) -> [String] {
    guard let viewer = topology.nodes.first(where: { $0.plugin.name == viewerPlugin }),
      let known = topology.symbols(reaching: viewer.id), !known.isEmpty
    else { return [] }
    return symbols.filter { !known.contains($0) }.map { name in
      let near = MissingSymbols.meant(by: name, among: known.sorted()).map { "; did you mean \(shown($0))?" } ?? ""
      return "warning: no source has \(shown(name))\(near)"
    }
  }

  /// A configuration with generated prices, for use without a configuration file.
  static func madeUp(_ symbols: [String]) -> String {
    let names = symbols.map { "\"\($0)\"" }.joined(separator: ", ")
    return """
      sources: { made-up: { plugin: generator, symbols: [\(names)], interval: 1s } }
      processors: { ranked: { plugin: sorting_feed, inputs: [made-up], by: percent } }
      sinks: { screen: { plugin: console_viewer, inputs: [ranked, connections] } }
      """
  }

  /// One viewer of these symbols and everything upstream of it: the configuration's first viewer, or a new one on the first ranking, or on
  /// all sources.
  static func reduced(_ components: [ComponentDescription], to symbols: [String]) -> [ComponentDescription] {
    let viewer = components.first { $0.section == .sink && $0.plugin == viewerPlugin } ?? newViewer(components)
    guard let viewer else { return components }
    var needed = Set(viewer.inputs.map(\.from))
    // Adds upstream components until no new one is found.
    while true {
      let more = components.filter { needed.contains($0.id) }.flatMap { $0.inputs.map(\.from) }
      if needed.isSuperset(of: more) { break }
      needed.formUnion(more)
    }
    return components.filter { needed.contains($0.id) } + [watching(symbols, viewer)]
  }

  /// The viewer with these symbols in place of its own.
  private static func watching(_ symbols: [String], _ viewer: ComponentDescription) -> ComponentDescription {
    let mark = ConfigNode.Mark(file: "command line", line: 1, column: 1)
    let list = ConfigNode(.list(symbols.map { ConfigNode(.scalar($0), at: mark, isQuoted: true) }), at: mark)
    // Options that are not a mapping are reported elsewhere.
    guard case .map(let written) = viewer.options.value else { return viewer }
    let entries = written.filter { $0.key != "watch" } + [.init(key: "watch", mark: mark, value: list)]
    return ComponentDescription(
      id: viewer.id, idMark: viewer.idMark, section: viewer.section, plugin: viewer.plugin, pluginMark: viewer.pluginMark,
      inputs: viewer.inputs, inputsMark: viewer.inputsMark, hasAllInputs: viewer.hasAllInputs, supervision: viewer.supervision,
      output: viewer.output, options: ConfigNode(.map(entries), at: viewer.options.mark), shownPlugin: viewer.shownPlugin)
  }

  private static func newViewer(_ components: [ComponentDescription]) -> ComponentDescription? {
    let ranking = components.first { $0.plugin == "sorting_feed" }
    let read = ranking.map { [$0] } ?? components.filter { $0.section == .source }
    guard let first = read.first else { return nil }
    let id = components.contains { $0.id == "screen" } ? "watch-screen" : "screen"
    return ComponentDescription(
      id: id, idMark: first.idMark, section: .sink, plugin: viewerPlugin, pluginMark: first.pluginMark,
      inputs: read.map { InputDescription(from: $0.id, mark: $0.idMark) }, inputsMark: first.idMark,
      options: ConfigNode(.map([]), at: first.idMark))
  }
}
