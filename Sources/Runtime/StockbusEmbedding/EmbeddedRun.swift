internal import StockbusConfig
internal import StockbusInstruments
public import StockbusPlugin
public import StockbusRuntime

/// A run inside another program: from a configuration's text or from code, with the plugins that it is given. It needs no network.
///
/// ```swift
/// let run = try EmbeddedRun(yaml: text, plugins: [.generator, .sortingFeed, .nullSink])
/// let ranked = try run.events(of: "ranked", as: Ranked.self)
/// async let report = run.run()
/// for await move in ranked { print(move.rank, move.symbol) }
/// print(await report)
/// ```
///
/// Nothing starts before `run`. What a component emits need not have a reader. The process's signals, its streams and its exit status are left
/// alone. The file under `history` cannot be read.
public final class EmbeddedRun: Sendable {
  private let pipeline: Pipeline
  /// Nil if nothing outlives the run.
  private let keeper: MemoryKeeper?
  private let outcome = WaitableValue<Outcome>(.none)

  private enum Outcome: Sendable {
    case none
    case begun
    case ended(RunReport)
  }

  /// Checks and wires a configuration.
  ///
  /// - Parameters:
  ///   - yaml: its text. Variables are those of the process's environment.
  ///   - file: what the text is called in problems.
  ///   - plugins: what it may name.
  ///   - logger: gets the run's log lines, with the component in the metadata.
  /// - Throws: all problems at once, each with its place.
  public convenience init(
    yaml: String, file: String = "plugins.yaml", plugins: [Plugin], logger: Logger = Logger(label: "stockbus")
  ) throws(RunError) {
    try self.init(ConfigLoader().load(text: yaml, file: file), plugins, logger)
  }

  /// Checks and wires components.
  ///
  /// - Parameters:
  ///   - nodes: in any order; their plugins need not be named elsewhere.
  ///   - runtime: an object with the options of `runtime` in a configuration, such as `["seed": 42]`.
  /// - Throws: all problems at once; each names the component and the option, at the line where the component is made.
  public convenience init(
    _ nodes: [RunNode], runtime: JSONValue = [:], logger: Logger = Logger(label: "stockbus")
  ) throws(RunError) {
    if nodes.isEmpty { throw RunError("there is nothing to run: no components") }
    let faults = nodes.flatMap(\.faults)
    guard faults.isEmpty else { throw RunError(faults) }
    var plugins: [Plugin] = []
    for node in nodes where !plugins.contains(where: { $0.isSame(as: node.plugin) }) { plugins.append(node.plugin) }
    let mark = ConfigNode.Mark(file: "runtime", line: 1, column: 1)
    let config = ConfigLoader().load(
      components: nodes.map(\.written), runtime: ConfigNode.Entry(key: "runtime", mark: mark, value: ConfigNode(runtime, at: mark)))
    try self.init(config, plugins, logger)
  }

  private init(_ config: LoadedConfig, _ plugins: [Plugin], _ logger: Logger) throws(RunError) {
    let (catalogue, topology): (Catalogue, Topology)
    do throws(CatalogueError) { catalogue = try Catalogue(checking: plugins) } catch { throw RunError(error.faults) }
    do throws(Problems) {
      topology = try Topology.check(
        config, catalogue: catalogue, mayBeUnread: true, historyFault: { _ in "cannot be read by a run inside another program" })
    } catch { throw RunError(error.sorted.map(\.description)) }
    do throws(MemoryFile.Failure) {
      keeper = try topology.settings.memory.map { path throws(MemoryFile.Failure) in try MemoryKeeper(path) }
    } catch { throw RunError("runtime: 'memory': \(error)") }
    pipeline = Pipeline(topology, logger: logger, services: Services(topology.instruments), memory: keeper)
  }

  /// Runs until all components have ended, at the end of their data or after `stop`; cancelling the task ends them at once. A second call
  /// returns the report of the first.
  public func run() async -> RunReport {
    let isFirst = outcome.update { outcome in
      guard case .none = outcome else { return false }
      outcome = .begun
      return true
    }
    if isFirst {
      let report = await pipeline.run()
      keepMemory()
      outcome.update { $0 = .ended(report) }
      return report
    }
    // To its end even if this task is cancelled: there is no report before.
    while true {
      if case .ended(let report) = outcome.value { return report }
      await Task { await outcome.wait { if case .ended = $0 { true } else { false } } }.value
    }
  }

  private func keepMemory() {
    guard let keeper else { return }
    defer { keeper.release() }
    guard let memory = pipeline.leftMemory else {
      return pipeline.logger.error("\(keeper.path): the run was cut off: the next one goes on at the last memory before")
    }
    do throws(MemoryFile.Failure) {
      let left = try keeper.keep(memory)
      if !left.isEmpty { pipeline.logger.error("\(keeper.path): this cannot be written, and begins anew: \(left.joined(separator: ", "))") }
    } catch { pipeline.logger.error("the memory of the run was not kept: \(error)") }
  }

  /// Returns once every component has started or ended, or the task is cancelled.
  public func started() async { await pipeline.waitForStart() }

  /// What a component, or a topic of the run such as `dead_letters`, publishes from now on: all of it, if it is asked before the run starts.
  ///
  /// - Parameter options: what happens if the events are not read as fast as they come. By default the run waits for the
  ///   reader, so that nothing is lost, and does not end before everything is read or the sequence is dropped.
  /// - Throws: there is nothing of this name, or its events are of another type.
  public func events<E: Event>(
    of name: String, as _: E.Type = E.self, options: SubscriptionOptions = .new
  ) throws(RunError) -> RunEvents<E> {
    guard let topic = pipeline.topic(name) else {
      let names = pipeline.topology.nodes.filter { $0.blueprint.output != nil }.map(\.id) + RunTopic.allCases.map(\.rawValue)
      if pipeline.components.contains(where: { $0.id == name }) { throw RunError("\(shown(name)) is a sink and emits nothing") }
      throw RunError(
        "there is no component or topic \(shown(name))"
          + didYouMean(name, among: names, otherwise: "; there are " + names.joined(separator: ", ")))
    }
    guard let topic = topic as? Topic<E> else {
      throw RunError("\(shown(name)) emits \(topic.eventType.eventName), and not \(E.eventName) (\(String(reflecting: E.self)))")
    }
    if options.initial, !E.schema.hasKinds { throw RunError("\(E.eventName) has no symbol, so there is no last event of each symbol") }
    return RunEvents(topic, options)
  }

  /// Sends a command to a component, such as `perform("raise AAPL 10", on: "ticks")`; returns its answer. The component must have started.
  @discardableResult
  public func perform(_ line: String, on id: String) async throws(CommandError) -> String {
    guard let command = Command(line: line) else { throw CommandError("an empty line is not a command") }
    return try await pipeline.perform(command, on: id)
  }

  /// What a component offers through a door of this type, such as `door((any PriceBoard).self, of: "board")`. The component must have started;
  /// look the door up for each request.
  public func door<Offer: Sendable>(_ door: Offer.Type, of id: String) throws(CommandError) -> Offer { try pipeline.door(door, of: id) }

  /// Asks for a graceful end: sources end, everything else drains, at most as long as `drain` of `runtime` says. Returns at once.
  public func stop() { pipeline.stop() }
}
