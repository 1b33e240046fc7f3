package import StockbusPlugin

/// Makes a plugin of an installed process: it has its own name, and is run by `program_source`, `program_processor` or `program_sink`.
package enum ProcessPlugin {
  /// - Parameters:
  ///   - folder: the bundle's folder, which contains the program's files.
  ///   - catalogue: contains the plugin that runs the process, and the event types.
  /// - Throws: one sentence without a full stop.
  package static func make(_ manifest: PluginManifest, in folder: String, _ catalogue: Catalogue) throws(BundleFault) -> Plugin {
    guard let base = catalogue["program_\(manifest.kind.rawValue)"] else {
      throw BundleFault("this program cannot run processes: it has no plugin 'program_\(manifest.kind.rawValue)'")
    }
    func type(_ name: String) throws(BundleFault) -> any Event.Type {
      if let type = catalogue.events.first(where: { $0.eventName == name }) { return type }
      throw BundleFault("there is no event type \(shown(name))\(didYouMean(name, among: catalogue.events.map { $0.eventName }))")
    }
    var taken: [any Event.Type] = []
    for name in manifest.takes { taken.append(try type(name)) }
    if let emits = manifest.emits { _ = try type(emits) }
    let own = ProcessOptions(manifest: manifest, run: manifest.run.map { path($0, in: folder) })
    let upstreams: [[any Event.Type]] = manifest.kind == .source ? [[]] : taken.map { [$0] }
    var blueprints: [Blueprint] = []
    for upstream in upstreams {
      let options = own.emitting(upstream.first?.eventName, at: ConfigNode.Mark(file: folder, line: 1, column: 1))
      guard let blueprint = base.blueprint(for: upstream, options: options) else {
        throw BundleFault("a process cannot take or emit these types")
      }
      if let emits = manifest.emits, blueprint.output?.eventName != emits {
        throw BundleFault("a process cannot emit \(shown(emits))")
      }
      if let output = blueprint.output, let fault = manifest.extraColumns.faults(beside: output).first {
        throw BundleFault("\(fault.message)")
      }
      blueprints.append(
        blueprint.adapted(options: ProcessPluginSettings.self) { node, mark throws(Problems) in
          try own.adapt(node, takes: upstream.first?.eventName, at: mark)
        })
    }
    let made = blueprints
    return Plugin(manifest.name, manifest.doc, compiled: made).holding(manifest.options.entries.map { $1.info($0) })
  }

  /// The path of a word that is a file of the bundle; other words unchanged.
  private static func path(_ word: String, in folder: String) -> String {
    if word.isEmpty || word.hasPrefix("/") || word.hasPrefix("-") { return word }
    let path = folder + "/" + word
    return FolderCopy.isFile(path) ? path : word
  }
}

/// The options of an installed process, in a configuration.
package struct ProcessPluginSettings: Options {
  @Setting("The program's own options; see its README and 'plugin list'.") package var options: Mapping<FreeValue> = [:]
  @Setting("Variables for the program besides PATH, HOME, LANG, LC_ALL and TZ.", count: 0...1000)
  package var environment: Mapping<Secret> = [:]
  @Setting("How long a reply may take; then the process is killed.", in: .milliseconds(10) ... .seconds(86_400))
  package var timeout = Duration.seconds(10)
  @Setting("Limits of the system for the process, as for 'program_processor'.") package var limits: Mapping<FreeValue> = [:]
  package init() {}
}

/// Turns the options of an installed process into those of the plugin that runs it.
private struct ProcessOptions: Sendable {
  let manifest: PluginManifest
  /// The program and its arguments, with the paths of the bundle's files.
  let run: [String]

  /// The option that sets the output type, where it differs from the input type.
  func emitting(_ takes: String?, at mark: ConfigNode.Mark) -> ConfigNode { ConfigNode(.map(emitted(takes, mark)), at: mark) }

  private func emitted(_ takes: String?, _ mark: ConfigNode.Mark) -> [ConfigNode.Entry] {
    let columns = manifest.extraColumns.entries.map { entry($0.name, .scalar($0.value.rawValue), mark) }
    let extra = columns.isEmpty ? [] : [entry("extra_columns", .map(columns), mark)]
    guard let emits = manifest.emits, emits != takes else { return extra }
    return [entry("emits", .scalar(emits), mark)] + extra
  }

  func adapt(_ node: ConfigNode?, takes: String?, at mark: ConfigNode.Mark) throws(Problems) -> ConfigNode {
    // Unknown keys and wrong values are reported in the words of the process's own options.
    _ = try ProcessPluginSettings.decode(node, at: mark)
    let place = node?.mark ?? mark
    var entries = emitted(takes, place)
    entries.append(entry("run", .list(run.map { ConfigNode(.scalar($0), at: place, isQuoted: true) }), place))
    if case .map(let written)? = node?.value { entries += written.filter { $0.key != "options" && !$0.value.isNull } }
    entries.append(
      ConfigNode.Entry(key: "options", mark: place, value: try manifest.checked(node?["options"], at: place)))
    return ConfigNode(.map(entries), at: place)
  }

  private func entry(_ key: String, _ value: ConfigNode.Value, _ mark: ConfigNode.Mark) -> ConfigNode.Entry {
    .init(key: key, mark: mark, value: ConfigNode(value, at: mark, isQuoted: true))
  }
}

/// The problem of a bundle: a sentence without a full stop, which does not name the bundle.
package struct BundleFault: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
