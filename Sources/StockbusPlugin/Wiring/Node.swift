public import EventBus
internal import Synchronization

/// A wired component: the runtime calls `life` as often as the supervision policy allows. Places in the inputs live outside the
/// lives, so that each goes on where the last one ended.
public struct Node: Sendable {
  public let id: String
  public let inlets: [any AnyInlet]
  public let output: (any AnyTopic)?
  /// The component's sleeping places.
  public let parkers: [Parker]
  /// One life: init, start, work, stop.
  public let life: @Sendable () async throws -> Void
  /// The living component, for commands.
  let current: CurrentComponent

  @usableFromInline
  init(
    _ id: String, inlets: [any AnyInlet], output: (any AnyTopic)?, parkers: [Parker], current: CurrentComponent,
    life: @escaping @Sendable () async throws -> Void
  ) {
    self.id = id
    self.inlets = inlets
    self.output = output
    self.parkers = parkers
    self.current = current
    self.life = life
  }

  /// Nothing will come from this component any more, and it holds nobody back. Only while no life runs.
  public func retire() {
    for inlet in inlets { inlet.detach() }
    output?.close()
  }

  /// Calls `body` when a component of this node has started, once; at the latest `life` says so by returning.
  public func whenStarted(_ body: @escaping @Sendable () -> Void) { current.whenStarted(body) }

  /// Tells the living component something; throws where it takes no commands, does not know this one, or does not live now.
  public func perform(_ command: Command) async throws(CommandError) -> String {
    guard let component = current.component else { throw CommandError("'\(id)' is not running") }
    guard let commandable = component as? any CommandableComponent else { throw CommandError("'\(id)' takes no commands") }
    return try await Self.perform(command, on: commandable)
  }

  private static func perform<C: CommandableComponent>(_ command: Command, on component: C) async throws(CommandError) -> String {
    guard C.commands.contains(where: { $0.verb == command.verb }) else {
      let verbs = C.commands.map(\.verb)
      throw CommandError(
        "unknown command '\(command.verb)'" + didYouMean(command.verb, among: verbs) + "; known are " + verbs.joined(separator: ", "))
    }
    return try await component.perform(command)
  }
}

/// The component of the present life.
@usableFromInline
final class CurrentComponent: Sendable {
  private struct State {
    var component: (any Component)?
    var whenStarted: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  @usableFromInline init() {}

  var component: (any Component)? { state.withLock { $0.component } }

  @usableFromInline
  func set(_ component: (any Component)?) {
    let news = state.withLock { state in
      state.component = component
      guard component != nil else { return nil as (@Sendable () -> Void)? }
      defer { state.whenStarted = nil }
      return state.whenStarted
    }
    news?()
  }

  func whenStarted(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenStarted = body } }
}

/// One life: start, work, and stop whatever happened.
@inlinable
nonisolated(nonsending) func live<P: Component>(
  _ component: P, _ current: CurrentComponent, _ work: () async throws -> Void
) async throws {
  do {
    try await component.start()
    current.set(component)
    let background = startBackground(component)
    do { try await work() } catch {
      await endBackground(background)
      throw error
    }
    await endBackground(background)
  } catch {
    current.set(nil)
    await component.stop()
    throw error
  }
  current.set(nil)
  await component.stop()
}

/// Unstructured only in form: `live` starts it and awaits its end on every path.
@usableFromInline
func startBackground(_ component: any Component) -> Task<Void, Never>? {
  guard let component = component as? any BackgroundComponent else { return nil }
  return Task { await component.background() }
}

@usableFromInline
func endBackground(_ background: Task<Void, Never>?) async {
  background?.cancel()
  await background?.value
}
