public import StockbusConfig
public import StockbusPlugin
public import StockbusRuntime
internal import Synchronization

/// A whole pipeline from its YAML text, with a clock that is moved by hand and its log lines kept.
///
/// ```swift
/// let harness = try PipelineHarness("sources: { ticks: { plugin: my_source } } …", plugins: [.mySource, .nullSink])
/// let report = await harness.run()
/// #expect(report.exitStatus == 0)
/// ```
public final class PipelineHarness: Sendable {
  /// As it was when the run began.
  public let topology: Topology
  private let catalogue: Catalogue
  private let present: Mutex<Topology>
  public let pipeline: Pipeline
  public let clock: ManualTimekeeper
  public let log: CapturedLog

  /// Reads, checks and wires; nothing starts. Throws every problem at once, located in `plugins.yaml`.
  /// Components find `services` in their contexts; without them the fallbacks, so that nothing reaches the developer's screen.
  public init(
    _ text: String, catalogue: Catalogue, clock: ManualTimekeeper = ManualTimekeeper(), log: CapturedLog = CapturedLog(),
    services: Services = Services()
  ) throws(Problems) {
    topology = try Topology.check(ConfigLoader().load(text: text), catalogue: catalogue)
    self.catalogue = catalogue
    present = Mutex(topology)
    pipeline = Pipeline(topology, clock: clock, logger: log.logger(), services: services)
    self.clock = clock
    self.log = log
  }

  /// As above, with the plugins that the text may name.
  public convenience init(
    _ text: String, plugins: [Plugin], clock: ManualTimekeeper = ManualTimekeeper(), log: CapturedLog = CapturedLog(),
    services: Services = Services()
  ) throws(Problems) {
    try self.init(text, catalogue: Catalogue(plugins), clock: clock, log: log, services: services)
  }

  /// Runs until everything has ended; the clock stands still unless the test moves it. Once only.
  public func run() async -> RunReport { await pipeline.run() }

  /// Runs until everything has ended while time goes by itself.
  public func runThroughTime() async -> RunReport { await clock.running { await pipeline.run() } }

  /// Changes the running pipeline to what another text says: components that differ are replaced or rewired, one after the other, upstream
  /// first. Throws what is wrong with the text, and why a component could not be changed; those before it were.
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

  /// Tells a component something: `perform("ticks raise AAPL 10")`. Answers what it says.
  public func perform(_ line: String) async throws(CommandError) -> String {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    guard let id = words.first, words.count == 2, let command = Command(line: words[1]) else {
      throw CommandError("a line is COMPONENT COMMAND …, got '\(line)'")
    }
    return try await pipeline.perform(command, on: id)
  }
}
