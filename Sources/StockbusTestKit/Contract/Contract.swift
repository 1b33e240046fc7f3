public import StockbusPlugin

/// Checks what every plugin promises; one sentence for each promise that is broken, none for a plugin that keeps them all.
///
/// ```swift
/// @Test func `keeps the contract`() async {
///   #expect(await checkContract(.myFilter, options: "symbols: [AAPL]") == [])
/// }
/// ```
///
/// - The declarations: names in snake_case, sentences with a full stop, options whose defaults could be written by a user, event
///   types that declare every property and read back what they write, as JSON and as CSV.
/// - The lives: nothing comes out where nothing went in; without events the component drains and ends; it ends when its inputs
///   end, with every event accounted for; a source ends when it is cancelled; a second life goes on where the first ended; asked to make
///   room for another instance it does, and that goes on at the next event; the same seed gives the same output.
///
/// The component lives several times, one life after the other, with these options: what it does to the world is done as often.
///
/// - Parameters:
///   - options: options that are allowed, as YAML.
///   - inputs: events to work with, one feed an input; without them the examples of the first types that the plugin takes.
///   - isDeterministic: false for a plugin whose output depends on more than its inputs, its seed and its clock.
///   - timeout: how long a life may take that ought to end; it is only ever waited for where one does not.
public func checkContract(
  _ plugin: Plugin, options: String = "", inputs: [Feed]? = nil, isDeterministic: Bool = true, timeout: Duration = .seconds(20)
) async -> [String] {
  var violations = declarationFaults(of: plugin)
  let node: ConfigNode?
  do throws(Problems) { node = try OptionsYAML.node(options) } catch {
    return violations + error.sorted.map { "The options are not allowed: \($0)." }
  }
  guard let feeds = inputs ?? exampleFeeds(for: plugin, options: node) else {
    return violations + ["It has no blueprint for the types that it says it takes (\(plugin.acceptedTypes))."]
  }
  guard let blueprint = plugin.blueprint(for: feeds.map { $0.type }, options: node) else {
    let names = feeds.map { $0.type.eventName }.joined(separator: ", ")
    return violations + ["It does not take these inputs (\(names))."]
  }
  violations += schemaFaults(of: plugin, blueprint)
  do throws(Problems) { _ = try blueprint.assembly(node, at: ConfigNode.Mark(file: OptionsYAML.file, line: 1, column: 1)) } catch {
    return violations + error.sorted.map { "The options are not allowed: \($0)." }
  }
  let checks = LifecycleChecks(
    plugin: plugin, options: options, feeds: feeds, hasOutput: blueprint.output != nil, isDeterministic: isDeterministic,
    timeout: timeout)
  return violations + (feeds.isEmpty ? await checks.checkSource() : await checks.checkReader())
}

/// A few examples of each type; nil where the plugin takes none of them after all.
private func exampleFeeds(for plugin: Plugin, options: ConfigNode?) -> [Feed]? {
  func examples<E: Event>(_: E.Type) -> Feed { Feed(Array(repeating: E.schema.example, count: 5)) }
  guard case .types(let types) = plugin.accepts else { return [examples(Trade.self)] }
  if plugin.blueprint(for: types, options: options) != nil { return types.map { examples($0) } }
  guard let first = types.first(where: { plugin.blueprint(for: [$0], options: options) != nil }) else { return nil }
  return [examples(first)]
}
