public import StockbusPlugin

/// Checks the contract that every plugin must keep. Returns one sentence for each violation; empty if there is none.
///
/// ```swift
/// @Test func `keeps the contract`() async {
///   #expect(await checkContract(.myFilter, options: "symbols: [AAPL]") == [])
/// }
/// ```
///
/// - The declarations: names in snake_case, descriptions that end with a full stop, options whose defaults a user could write, event types
///   that declare every property and can read back what they write, as JSON and as CSV.
/// - The behaviour: there is no output without input; without events the component drains and ends; it ends when its inputs end, with every
///   event accounted for; a source ends when it is cancelled; a second instance continues where the first one ended; on request it hands
///   over to another instance, which continues at the next event; the same seed gives the same output; each door that it declares opens
///   while it runs.
/// - Time, for a component that gets watermarks: the output is the same if the events come one by one with watermarks between them, and
///   its receipts never decrease.
///
/// The component runs several times, one instance after another, with these options, so its effects outside the process happen as often.
///
/// - Parameters:
///   - options: valid options, as YAML.
///   - inputs: input events, one feed per input; by default the examples of the first types that the plugin takes.
///   - isDeterministic: false for a plugin whose output depends on more than its inputs, its seed and its clock.
///   - jumps: the longest jump of the clock, which advances by itself; shorter than a plugin's deadlines for a peer that answers by a socket.
///   - timeout: how long to wait for an instance that must end; the whole time is spent only if one does not end.
public func checkContract(
  _ plugin: Plugin, options: String = "", inputs: [Feed]? = nil, isDeterministic: Bool = true,
  jumps: Duration = .seconds(Int64.max), timeout: Duration = .seconds(20)
) async -> [String] {
  var violations = declarationFaults(of: plugin)
  let node: ConfigNode?
  do throws(Problems) { node = try OptionsYAML.node(options) } catch {
    return violations + error.sorted.map { "The options are not allowed: \($0)." }
  }
  guard let feeds = inputs ?? exampleFeeds(for: plugin, options: node) else {
    return violations + ["It has no blueprint for the types that it declares as taken (\(plugin.acceptedTypes))."]
  }
  guard let blueprint = plugin.blueprint(for: feeds.map { $0.type }, options: node) else {
    let names = feeds.map { $0.type.eventName }.joined(separator: ", ")
    return violations + ["It does not take these inputs (\(names))."]
  }
  violations += schemaFaults(of: plugin, blueprint) + doorFaults(of: blueprint)
  let assembly: Blueprint.Assembly
  do throws(Problems) {
    assembly = try blueprint.assembly(node, at: ConfigNode.Mark(file: OptionsYAML.file, line: 1, column: 1))
  } catch {
    return violations + error.sorted.map { "The options are not allowed: \($0)." }
  }
  if blueprint.output != nil { violations += writtenFiles(of: assembly.withoutEffects()) }
  let checks = LifecycleChecks(
    plugin: plugin, options: options, feeds: feeds, doors: blueprint.doors, hasOutput: blueprint.output != nil, isTimed: assembly.isTimed,
    isDeterministic: isDeterministic, jumps: jumps, timeout: timeout)
  return violations + (feeds.isEmpty ? await checks.checkSource() : await checks.checkReader())
}

/// The files that settings without effects write nevertheless.
private func writtenFiles(of assembly: Blueprint.Assembly) -> [String] {
  assembly.files.compactMap { file in
    switch file.use.access {
    case .read, .run: nil
    case .write, .keep: "Settings without effects still write \(shown(file.use.path))."
    }
  }
}

/// A few examples of each type; nil if the plugin takes none of them.
private func exampleFeeds(for plugin: Plugin, options: ConfigNode?) -> [Feed]? {
  func examples<E: Event>(_: E.Type) -> Feed { Feed(Array(repeating: E.schema.example, count: 5)) }
  guard case .types(let types) = plugin.accepts else { return [examples(Trade.self)] }
  if plugin.blueprint(for: types, options: options) != nil { return types.map { examples($0) } }
  guard let first = types.first(where: { plugin.blueprint(for: [$0], options: options) != nil }) else { return nil }
  return [examples(first)]
}
