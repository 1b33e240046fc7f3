import StockbusLoading
import StockbusPlugin
import StockbusTestKit

/// Checks a process by running it as a component, as a run does, with the test kit's contract.
struct ProcessCheck: Sendable {
  let manifest: PluginManifest
  let folder: String
  let catalogue: Catalogue

  /// The parts of the contract that were not checked, one sentence each, if the process keeps the contract.
  func unreached(_ options: JSONValue?) async -> [String] {
    guard manifest.kind == .processor, let plugin = catalogue["program_processor"], let emitted = manifest.emits.flatMap({ type($0) })
    else {
      return []
    }
    func sent<Output: Event>(_: Output.Type, _ taken: String) async -> Int? {
      let events: [Output]? = try? await PluginHarness().output(
        of: plugin, options: common(taken) + (options.map(Self.text) ?? ""), feeds: feed(taken) ?? [])
      return events?.count
    }
    var sentences: [String] = []
    for taken in manifest.takes {
      guard await sent(emitted, taken) == 0 else { continue }
      sentences.append(
        "It has sent nothing for \(MadeUpEvents.count) made-up events of \(taken), so its output is not checked; give options with which it sends events (--options)."
      )
    }
    return sentences
  }

  /// One sentence for each violation. `options` are those of the process, as `PluginManifest.checked` has them; nil for the defaults.
  func violations(_ options: JSONValue?) async -> [String] {
    guard let plugin = catalogue["program_\(manifest.kind.rawValue)"] else {
      return ["This program cannot run processes: it has no plugin 'program_\(manifest.kind.rawValue)'."]
    }
    let unknown = (manifest.takes + [manifest.emits].compactMap(\.self)).filter { type($0) == nil }
    if !unknown.isEmpty {
      return unknown.map { "There is no event type \(shown($0))\(didYouMean($0, among: catalogue.events.map { $0.eventName }))." }
    }
    let required = manifest.options.entries.filter { $0.value.default == nil }.map(\.name)
    if options == nil, !required.isEmpty {
      return ["It has options without a default (\(required.joined(separator: ", "))); give them with --options."]
    }
    var violations: [String] = []
    // First without options, so that the process uses its own defaults, which must be the declared ones; then with these written out.
    var all = options.map { [Self.text($0)] } ?? [""]
    if options == nil, !manifest.options.entries.isEmpty { all.append(defaults) }
    for given in all {
      for taken in manifest.kind == .source ? [nil] : manifest.takes.map({ Optional($0) }) {
        let found = await checkContract(
          plugin, options: common(taken) + given, inputs: taken.flatMap(feed),
          // A source's events have the time of the day in them.
          isDeterministic: manifest.kind != .source)
        violations += found.filter { !violations.contains($0) }
      }
    }
    return violations
  }

  private func type(_ name: String) -> (any Event.Type)? { catalogue.events.first { $0.eventName == name } }

  private func feed(_ name: String) -> [Feed]? {
    func examples<E: Event>(_: E.Type) -> Feed { Feed(MadeUpEvents.of(E.self)) }
    return type(name).map { [examples($0)] }
  }

  /// The options of the component, as YAML.
  private func common(_ taken: String?) -> String {
    var lines = ["run: \(Self.yaml(.array(manifest.run.map { .string($0) })))", "folder: \(Self.yaml(.string(folder)))"]
    if let emits = manifest.emits, emits != taken { lines.append("emits: \(Self.yaml(.string(emits)))") }
    if !manifest.extraColumns.entries.isEmpty { lines.append("extra_columns: \(manifest.extraColumns.optionJSON)") }
    return lines.joined(separator: "\n") + "\n"
  }

  private var defaults: String {
    let members = manifest.options.entries.compactMap { name, option in option.default.map { JSONValue.Member(name, $0.json) } }
    return Self.text(.object(members))
  }

  private static func text(_ options: JSONValue) -> String { "options: \(yaml(options))\n" }

  /// JSON is YAML, but for variables.
  private static func yaml(_ value: JSONValue) -> String { "\(value)".replacing("$", with: "$$") }
}
