package import StockbusConfig
public import StockbusPlugin
public import StockbusRuntime
internal import Synchronization

/// A whole pipeline from its YAML text, with a clock that the test controls and captured log lines.
///
/// ```swift
/// let harness = try PipelineHarness("sources: { ticks: { plugin: my_source } } …", plugins: [.mySource, .nullSink])
/// let report = await harness.run()
/// #expect(report.exitStatus == 0)
/// ```
public final class PipelineHarness: Sendable {
  /// The topology at the beginning of the run.
  package let topology: Topology
  private let catalogue: Catalogue
  private let present: Mutex<Topology>
  package let pipeline: Pipeline
  public let clock: ManualTimekeeper
  public let log: CapturedLog

  /// Parses, checks and wires, without starting anything. Throws all problems at once, located in `plugins.yaml`. Components find
  /// `services` in their contexts; by default only the fallbacks, so that nothing is written to the developer's terminal. With
  /// `watchesStalls` one more task sleeps on the clock, and looks for components that hang.
  package init(
    _ text: String, catalogue: Catalogue, clock: ManualTimekeeper = ManualTimekeeper(), log: CapturedLog = CapturedLog(),
    services: Services = Services(), watchesStalls: Bool = false
  ) throws(Problems) {
    topology = try Topology.check(ConfigLoader().load(text: text), catalogue: catalogue)
    self.catalogue = catalogue
    present = Mutex(topology)
    pipeline = Pipeline(topology, clock: clock, logger: log.logger(), services: services, watchesStalls: watchesStalls)
    self.clock = clock
    self.log = log
  }

  /// As above, with a list of plugins that the text may name. Two of one name are a problem of the text.
  public convenience init(
    _ text: String, plugins: [Plugin], clock: ManualTimekeeper = ManualTimekeeper(), log: CapturedLog = CapturedLog(),
    services: Services = Services(), watchesStalls: Bool = false
  ) throws(Problems) {
    let catalogue: Catalogue
    do throws(CatalogueError) { catalogue = try Catalogue(checking: plugins) } catch {
      var problems = Problems()
      for fault in error.faults { problems.add(fault, at: ConfigNode.Mark(line: 1, column: 1)) }
      throw problems
    }
    try self.init(text, catalogue: catalogue, clock: clock, log: log, services: services, watchesStalls: watchesStalls)
  }

  /// Runs until everything has ended; time advances only when the test advances it. May be called only once.
  public func run() async -> RunReport { await pipeline.run() }

  /// Runs until everything has ended while the clock advances by itself.
  public func runThroughTime() async -> RunReport {
    // While the end is still at work, the run says so after times that double: without a limit the clock would come to the end of time.
    await clock.running(within: .seconds(365 * 86_400)) { await pipeline.run() }
  }

  /// Asks for a graceful end: sources end, everything else drains. Returns at once.
  public func stop() { pipeline.stop() }

  /// Changes the running pipeline to the configuration in another text: components that differ are replaced or rewired one by one, in
  /// upstream order. Throws the text's problems, or why a component could not be changed; components before that one stay changed.
  public func change(to text: String) async throws {
    let next = try Topology.check(ConfigLoader().load(text: text), catalogue: catalogue)
    let difference = present.withLock { $0 }.difference(to: next)
    let (added, removed) = (difference.ids(.added), difference.ids(.removed))
    if !added.isEmpty { throw HarnessError("added: \(added.joined(separator: ", "))") }
    if !removed.isEmpty { throw HarnessError("removed: \(removed.joined(separator: ", "))") }
    for entry in difference.entries where entry.step != .kept {
      if let plan = next.nodes.first(where: { $0.id == entry.id }) { try await pipeline.replace(plan) }
    }
    present.withLock { $0 = next }
  }

  /// Turns the running pipeline into that of another text, as a whole. Throws the text's problems, or why nothing was changed.
  @discardableResult
  package func apply(_ text: String) async throws -> TopologyDifference {
    let next = try Topology.check(ConfigLoader().load(text: text), catalogue: catalogue)
    let difference = try await pipeline.apply(next)
    present.withLock { $0 = next }
    return difference
  }

  /// Sends a command to a component: `perform("ticks raise AAPL 10")`. Returns the component's result.
  public func perform(_ line: String) async throws(CommandError) -> String {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    guard let id = words.first, words.count == 2, let command = Command(line: words[1]) else {
      throw CommandError("a line is COMPONENT COMMAND …, got '\(line)'")
    }
    return try await pipeline.perform(command, on: id)
  }

  /// What a component offers through a door of this type.
  public func door<Offer: Sendable>(_ door: Offer.Type, of id: String) throws(CommandError) -> Offer { try pipeline.door(door, of: id) }
}
