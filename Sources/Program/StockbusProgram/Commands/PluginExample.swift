import StockbusConfig
import StockbusPlugin

/// A configuration that shows a plugin at work: its component, what it reads, and a sink that shows what it emits.
struct PluginExample {
  private let catalogue: Catalogue
  private var sections: [Section: [String]] = [:]
  /// False if no component of the program emits what the plugin takes.
  private(set) var isWhole = true

  init(_ plugin: Plugin, in catalogue: Catalogue) {
    self.catalogue = catalogue
    let id = "my_\(plugin.name)"
    let input = plugin.takesInputs ? addInput(of: plugin) : nil
    if plugin.takesInputs, input == nil { isWhole = false }
    let blueprint = plugin.blueprint(for: [input?.type].compactMap(\.self), options: nil)
    let more = input == nil ? [] : addInputs(of: plugin, (blueprint?.leastInputs ?? 1) - 1)
    add(id, plugin, inputs: plugin.takesInputs ? [input?.id ?? "something"] + more : [], inBlock: true)
    if plugin.kind != .sink, let output = blueprint?.output {
      addViewer(of: output, from: id, plugin)
    }
  }

  /// The lines, without an empty one between the sections.
  var lines: [String] { Section.allCases.flatMap { section in sections[section].map { ["\(section.key):"] + $0 } ?? [] } }

  /// Adds a component whose output the plugin takes.
  private mutating func addInput(of plugin: Plugin) -> (id: String, type: any Event.Type)? {
    if let (source, type) = source(of: plugin) { return (add("ticks", source), type) }
    for processor in catalogue.plugins where processor.kind == .processor && processor.name != plugin.name {
      guard let type = processor.fixedOutput, plugin.fits(type), let (source, _) = source(of: processor) else { continue }
      return (add("made", processor, inputs: [add("ticks", source)]), type)
    }
    return RunTopic.allCases.first { plugin.fits($0.eventType) }.map { ($0.rawValue, $0.eventType) }
  }

  /// Adds further sources of the events of the first one, and returns their ids.
  private mutating func addInputs(of plugin: Plugin, _ count: Int) -> [String] {
    guard count > 0, let (source, _) = source(of: plugin) else { return [] }
    return (2..<count + 2).map { add("ticks_\($0)", source) }
  }

  /// A source whose events the plugin takes; the generator, which needs neither a file nor a network, if it is among them.
  private func source(of plugin: Plugin) -> (Plugin, any Event.Type)? {
    let sources = catalogue.plugins.filter { $0.kind == .source && !$0.takesInputs }
    for source in sources.filter({ $0.name == "generator" }) + sources {
      if let type = source.fixedOutput, plugin.fits(type) { return (source, type) }
    }
    return nil
  }

  /// Adds a sink that shows these events, or the parts of the output that it takes.
  private mutating func addViewer(of output: any Event.Type, from id: String, _ plugin: Plugin) {
    guard let screen = catalogue[viewerPlugin] ?? catalogue["file_writer"] else { return }
    let parts = plugin.parts.filter { $0.fixedOutput.map(screen.fits) ?? false }.map { "my_\($0.name)" }
    if screen.fits(output) {
      add("screen", screen, inputs: [id])
    } else if !parts.isEmpty {
      add("screen", screen, inputs: Array(parts.suffix(1)))
    } else if let lines = catalogue["file_writer"], lines.fits(output) {
      sections[.sink, default: []].append("  lines: { plugin: \(lines.name), inputs: [\(id)], path: \"-\" }")
    }
  }

  /// Adds a component with the options that its plugin needs, and returns its id.
  @discardableResult private mutating func add(_ id: String, _ plugin: Plugin, inputs: [String] = [], inBlock: Bool = false) -> String {
    let reads = inputs.isEmpty ? [] : ["inputs: [\(inputs.joined(separator: ", "))]"]
    let needsOptions = !plugin.optionInfos.requiredExample.isEmpty
    let entries = ["plugin: \(plugin.name)"] + reads + (inBlock || needsOptions ? plugin.exampleOptions : [])
    let line = "  \(id): { \(entries.joined(separator: ", ")) }"
    let isShort = !inBlock && !needsOptions && line.count <= 56
    guard let section = Section.allCases.first(where: { $0.rawValue == plugin.kind.rawValue }) else { return id }
    sections[section, default: []] += isShort ? [line] : ["  \(id):"] + entries.map { "    \($0)" }
    return id
  }
}
