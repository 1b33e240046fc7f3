public import EventBus
public import StockbusPlugin
internal import Synchronization

/// A component that lives while the test goes on: events are sent to it, time is moved, commands are given, its output is read.
///
/// ```swift
/// let running = try harness.start(Plugin.myFilter, options: "file: \(path)", taking: Trade.self, emitting: Trade.self)
/// try await running.send([trade])
/// #expect(await running.output(count: 1) == [trade])
/// try await running.stop()
/// ```
///
/// Dropping it ends it.
public final class RunningPlugin<Out: Event>: Sendable {
  private let component: WiredComponent
  private let collected: Watched<[Out]>
  private let subscription: Subscription?
  private let isSource: Bool
  private let present: Mutex<Present>

  /// What runs now.
  private struct Present {
    let assembly: Blueprint.Assembly
    /// Unstructured, because the running plugin is its scope: `stop` waits for its end, dropping the object cancels it.
    let life: Task<Ending, any Error>
  }

  init(_ component: WiredComponent) throws {
    self.component = component
    let collected = Watched<[Out]>([])
    self.collected = collected
    subscription = component.slot.output == nil ? nil : try component.subscribe { event in collected.update { $0.append(event) } }
    isSource = component.feeds.isEmpty
    present = Mutex(Self.begin(component.assembly, in: component.slot))
  }

  private static func begin(_ assembly: Blueprint.Assembly, in slot: Slot) -> Present {
    Present(
      assembly: assembly,
      life: Task {
        do {
          let ending = try await slot.run(assembly)
          if ending == .ended { slot.retire() }
          return ending
        } catch {
          slot.retire()
          throw error
        }
      })
  }

  private var now: Present { present.withLock { $0 } }

  deinit {
    component.slot.cutOff()
    now.life.cancel()
  }

  /// Lets an instance with other options go on in its place, as a run does whose configuration changes: at the very event where this one
  /// ends. Throws what is wrong with the options, and what this instance's life has thrown.
  public func replace(options: String) async throws {
    let (next, old, slot) = (try WiredComponent.assembly(of: component.blueprint, options), now, component.slot)
    slot.quiesce()
    if isSource { old.life.cancel() }
    guard try await old.life.value == .handedOver else { throw HarnessError("it has ended") }
    _ = next.succeed(old.assembly, in: slot)
    slot.goOn()
    present.withLock { $0 = Self.begin(next, in: slot) }
  }

  /// What it has emitted so far.
  public var output: [Out] { collected.value }

  /// What it has emitted, once that is `count` events or more.
  public func output(count: Int) async -> [Out] {
    await collected.wait { $0.count >= count }
    return collected.value
  }

  /// Sends events to an input, at once; waits for room where there is none.
  public func send<In: Event>(_ events: [In], toInput input: Int = 0) async throws {
    guard component.feeds.indices.contains(input), let topic = component.feeds[input].feed.topic as? Topic<In> else {
      throw HarnessError("it has no input \(input) of \(In.eventName)")
    }
    var outlet = Outlet(topic)
    for event in events { outlet.send(event) }
    try await outlet.flush()
  }

  /// Returns when the component is done with everything that was sent, or has ended; what it emits for that may still be on its way.
  public func delivered() async {
    let inlets = component.slot.ports
    // Nobody is told of this moment, so it is looked for; every look lets the component work.
    while inlets.contains(where: { $0.counts.inFlight > 0 }) { await Task.yield() }
  }

  /// What became of the events of each input.
  public var counts: [EdgeCounts] { component.slot.ports.map(\.counts) }

  /// Tells the component something: `raise AAPL 10`.
  public func perform(_ line: String) async throws(CommandError) -> String {
    guard let command = Command(line: line) else { throw CommandError("an empty line is no command") }
    return try await component.slot.perform(command)
  }

  /// Ends it gracefully: a source is cancelled, everything else drains. Throws what its life has thrown; twice is harmless.
  public func stop() async throws {
    for feed in component.feeds { feed.feed.topic.close() }
    let life = now.life
    if isSource { life.cancel() }
    do { _ = try await life.value } catch is CancellationError {}
    await subscription?.finished()
  }
}

extension PluginHarness {
  /// Starts a source.
  public func start<Out: Event>(_ source: some Wireable, options: String = "", emitting _: Out.Type) throws -> RunningPlugin<Out> {
    try RunningPlugin(WiredComponent(source, options: options, feeds: [], context: context))
  }

  /// Starts a sink with an input of each of these types.
  public func start(_ sink: some Wireable, options: String = "", taking types: [any Event.Type]) throws -> RunningPlugin<Trade> {
    func feed<E: Event>(_: E.Type) -> Feed { Feed([E](), capacity: 1 << 14) }
    return try RunningPlugin(WiredComponent(sink, options: options, feeds: types.map { feed($0) }, context: context))
  }

  /// Starts a processor or relay with `inputs` inputs of one type.
  public func start<In: Event, Out: Event>(
    _ subject: some Wireable, options: String = "", taking _: In.Type, inputs: Int = 1, emitting _: Out.Type
  ) throws -> RunningPlugin<Out> {
    try RunningPlugin(
      WiredComponent(subject, options: options, feeds: (0..<inputs).map { _ in Feed([In](), capacity: 1 << 14) }, context: context))
  }
}
