public import StockbusPlugin
internal import Synchronization

/// A component that runs during a test: the test sends events and commands, advances the clock, and reads the output.
///
/// ```swift
/// let running = try harness.start(Plugin.myFilter, options: "file: \(path)", taking: Trade.self, emitting: Trade.self)
/// try await running.send([trade])
/// #expect(await running.output(count: 1) == [trade])
/// try await running.stop()
/// ```
///
/// Dropping the object ends the component.
public final class RunningPlugin<Out: Event>: Sendable {
  private let component: WiredComponent
  private let collected: Watched<[Out]>
  private let subscription: Subscription?
  private let isSource: Bool
  private let present: Mutex<Present>

  /// The present instance.
  private struct Present {
    let assembly: Blueprint.Assembly
    /// Unstructured, because the running plugin is its scope: `stop` awaits it, dropping the object cancels it.
    let life: Task<Ending, any Error>
    /// True when it has started, or ended.
    let hasBegun: Watched<Bool>
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
    let hasBegun = Watched(false)
    slot.whenStarted { hasBegun.update { $0 = true } }
    return Present(
      assembly: assembly,
      life: Task {
        defer { hasBegun.update { $0 = true } }
        do {
          let ending = try await slot.run(assembly)
          if ending == .ended { slot.retire() }
          return ending
        } catch {
          slot.retire()
          throw error
        }
      },
      hasBegun: hasBegun)
  }

  private var now: Present { present.withLock { $0 } }

  deinit {
    component.slot.cutOff()
    now.life.cancel()
  }

  /// Replaces the instance by one with other options, as a run does when its configuration changes: the new one continues at the event
  /// after the last one of the old one. What was remembered under keys of Codable values is read from JSON, as after a restart of the
  /// program. Throws problems of the options, and the error of the old instance.
  public func replace(options: String) async throws {
    let (next, old, slot) = (try WiredComponent.assembly(of: component.blueprint, options), now, component.slot)
    slot.quiesce()
    if isSource { old.life.cancel() }
    guard try await old.life.value == .handedOver else { throw HarnessError("it has ended") }
    try slot.context.memory.write()
    _ = next.succeed(old.assembly, in: slot)
    slot.resume()
    present.withLock { $0 = Self.begin(next, in: slot) }
  }

  /// The events emitted so far.
  public var output: [Out] { collected.value }

  /// Waits until at least `count` events have been emitted, and returns them.
  public func output(count: Int) async -> [Out] {
    await collected.wait { $0.count >= count }
    return collected.value
  }

  /// Sends events to an input, waiting while there is no room.
  public func send<In: Event>(_ events: [In], toInput input: Int = 0) async throws {
    guard component.feeds.indices.contains(input), let topic = component.feeds[input].feed.topic as? Topic<In> else {
      throw HarnessError("it has no input \(input) of \(In.eventName)")
    }
    var outlet = Outlet(topic)
    for event in events { outlet.send(event) }
    try await outlet.flush()
  }

  /// Sends a watermark to an input: everything received up to `time` was sent. The component must be one that gets watermarks, or passes
  /// them on.
  public func advance(to time: Timestamp, input: Int = 0) async {
    let topic = component.feeds[input].feed.topic
    // There is no notification for this either.
    while !topic.isFollowed { await Task.yield() }
    topic.advance(to: time)
  }

  /// Returns when the component has processed everything that was sent, or has ended. Its output may still be on the way.
  public func delivered() async {
    let inlets = component.slot.ports
    // There is no notification for this, so it polls; every yield lets the component work.
    while inlets.contains(where: { $0.counts.inFlight > 0 }) { await Task.yield() }
  }

  /// The counts of each input.
  public var counts: [EdgeCounts] { component.slot.ports.map(\.counts) }

  /// Sends a command to the component, once it has started: `raise AAPL 10`.
  public func perform(_ line: String) async throws(CommandError) -> String {
    guard let command = Command(line: line) else { throw CommandError("an empty line is not a command") }
    await now.hasBegun.wait { $0 }
    return try await component.slot.perform(command)
  }

  /// What the component offers through a door of this type, once it has started.
  public func door<Offer: Sendable>(_ door: Offer.Type) async throws(CommandError) -> Offer {
    await now.hasBegun.wait { $0 }
    return try component.slot.door(door)
  }

  /// What the component says of a symbol, once it has started; see `ExplainingComponent`.
  public func explain(_ symbol: Symbol, last: (any Event)? = nil) async -> [Explanation] {
    await now.hasBegun.wait { $0 }
    return await component.slot.explain(symbol, last: last)
  }

  /// Ends it gracefully: a source is cancelled, any other component drains. Throws the instance's error. A second call has no effect.
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
