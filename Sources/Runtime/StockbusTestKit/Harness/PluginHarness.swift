public import StockbusPlugin

/// Runs one plugin without a runtime: events in, events out, with a clock that the test controls.
///
/// ```swift
/// let harness = PluginHarness()
/// let passed: [Trade] = try await harness.output(of: Plugin.myFilter, options: "symbols: [AAPL]", inputs: [trades])
/// #expect(harness.counter("seen") == 3)
/// ```
///
/// The component runs once: every error, also one about a single event, is thrown to the test. Options are YAML; their problems are thrown
/// as `Problems`, located in `options.yaml`.
public final class PluginHarness: Sendable {
  /// The component's name.
  public let id: String
  /// Advances only when the test advances it; by itself only while the output of a source is collected.
  public let clock: ManualTimekeeper
  public let log = CapturedLog()
  /// The notices that the component has posted for the whole run; a test may wait for values.
  public let notices = CapturedNotices()
  private let registry = CounterRegistry()
  private let troubles = Guarded(String?.none)
  private let seed: UInt64
  private let run: any RunView
  private let services: Services

  /// - Parameters:
  ///   - seed: the run's seed; the component's own seed is derived from it and the component's name.
  ///   - run: the run that the component sees.
  ///   - services: the services for the component; by default only the fallbacks, so that nothing is written to the developer's terminal.
  public init(
    id: String = "plugin", seed: UInt64 = 42, clock: ManualTimekeeper = ManualTimekeeper(), run: (any RunView)? = nil,
    services: Services = Services()
  ) {
    self.run = run ?? NoRun()
    self.services = services
    self.id = id
    self.seed = seed
    self.clock = clock
  }

  /// The dead letters that the component has caused so far.
  public var deadLetters: [DeadLetter] { notices.letters.value }

  /// The component's counters by name.
  public var counters: [String: Int] { Dictionary(registry.entries.map { ($0.name, $0.counter.total) }) { first, _ in first } }

  /// How many events the component has reported as lost.
  public var lost: Int { registry.lost.total }

  /// Why the component cannot work at present, as it reports itself; nil if it can.
  public var trouble: String? { troubles.withLock { $0 } }

  /// A counter's total; nil if the component has no counter of this name.
  public func counter(_ name: String) -> Int? { counters[name] }

  /// The notes that the component has added for the end of the run.
  public var notes: [String] { registry.notes }

  /// A context for a component in this harness.
  public var context: Context {
    var shared = Context.Shared(clock: clock, logger: log.logger(), seed: seed, notices: notices)
    (shared.run, shared.services) = (run, services)
    return Context(id: id, shared, counters: registry) { [troubles] reason in troubles.withLock { $0 = reason } }
  }

  /// The output of a processor or relay for these inputs, one list per input, all of which wait when it starts.
  public func output<In: Event, Out: Event>(
    of subject: some Wireable, options: String = "", inputs: [[In]], as _: Out.Type = Out.self
  ) async throws -> [Out] {
    try await output(of: subject, options: options, feeds: inputs.map { Feed($0) })
  }

  /// As above, for inputs of several types.
  public func output<Out: Event>(
    of subject: some Wireable, options: String = "", feeds: [Feed], as _: Out.Type = Out.self
  ) async throws -> [Out] {
    let component = try WiredComponent(subject, options: options, feeds: feeds, context: context)
    let collected = Watched<[Out]>([])
    let subscription = try component.subscribe { event in collected.update { $0.append(event) } }
    defer { subscription.cancel() }
    for feed in component.feeds { feed.publishAll() }
    do { try await component.live() } catch {
      component.slot.retire()
      throw error
    }
    component.slot.retire()
    await subscription.finished()
    return collected.value
  }

  /// The output as JSON lines, with the columns beside the events.
  public func jsonOutput(of subject: some Wireable, options: String = "", feeds: [Feed]) async throws -> [String] {
    let component = try WiredComponent(subject, options: options, feeds: feeds, context: context)
    let collected = Watched<[String]>([])
    guard let subscription = component.subscribeToJSON({ line, _ in collected.update { $0.append(line) } }) else { return [] }
    defer { subscription.cancel() }
    for feed in component.feeds { feed.publishAll() }
    do { try await component.live() } catch {
      component.slot.retire()
      throw error
    }
    component.slot.retire()
    await subscription.finished()
    return collected.value
  }

  /// Passes events to a sink, one list per input, and lets it drain. The test checks the effects itself.
  public func consume<In: Event>(_ inputs: [[In]], by subject: some Wireable, options: String = "") async throws {
    try await consume(inputs.map { Feed($0) }, by: subject, options: options)
  }

  /// As above, for inputs of several types.
  public func consume(_ feeds: [Feed], by subject: some Wireable, options: String = "") async throws {
    let component = try WiredComponent(subject, options: options, feeds: feeds, context: context)
    for feed in component.feeds { feed.publishAll() }
    defer { component.slot.retire() }
    try await component.live()
  }

  /// The first `count` events of a source, or fewer if it ends earlier; then it is stopped gracefully. The clock advances by itself.
  public func first<Out: Event>(
    _ count: Int, of subject: some Wireable, options: String = "", as _: Out.Type = Out.self
  ) async throws -> [Out] {
    let component = try WiredComponent(subject, options: options, feeds: [], context: context)
    let collected = Watched<[Out]>([])
    let subscription = try component.subscribe { event in collected.update { if $0.count < count { $0.append(event) } } }
    defer { subscription.cancel() }
    try await clock.running {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          do { try await component.live() } catch is CancellationError {}
          component.slot.retire()
          await subscription.finished()
        }
        group.addTask { await collected.wait { $0.count >= count } }
        // Whichever is first: the source has ended, or there are enough events. Then both tasks are awaited.
        try await group.next()
        group.cancelAll()
        try await group.waitForAll()
      }
    }
    return collected.value
  }
}
