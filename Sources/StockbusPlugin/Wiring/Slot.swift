public import EventBus
internal import Synchronization

/// A component's place in a run: its inputs and its output, where it sleeps, what it has counted and remembers. Instances come and go in
/// it, one at a time; each goes on at the very event where the one before it has ended.
public final class Slot: Sendable {
  public let context: Context
  public let output: (any AnyTopic)?
  /// Where its instance sleeps for events; a processor's waits for room at the same place.
  @usableFromInline let parker: Parker
  /// Why an instance stops that is not at its end.
  @usableFromInline let stop = StopToken()
  private let state: Mutex<State>

  private struct State {
    var ports: [InputPort]
    /// Inputs that it has read and reads no more.
    var retired: [InputPort] = []
    /// The component of the present instance, once it has started.
    var component: (any Component)?
    var whenStarted: (@Sendable () -> Void)?
    var request = Request.none
  }

  /// What the instance is asked for.
  private enum Request {
    case none
    /// To leave, as another one is to go on.
    case leave
    /// To read from these from then on, and to say when.
    case rewire([Edge], done: @Sendable () -> Void)
  }

  /// Attaches the inputs; their topics' types were checked before. `output` is what the blueprint's `makeTopic` has made.
  public init(_ kind: Blueprint.Kind, _ context: Context, inputs: [Edge], output: (any AnyTopic)?) {
    self.context = context
    self.output = output
    let parker = if kind == .processor, let output { output.producer } else { Parker(context.waiting) }
    self.parker = parker
    state = Mutex(State(ports: inputs.map { InputPort($0, parker) }))
  }

  public var id: String { context.id }
  /// What it reads now, in the order of its inputs.
  public var ports: [InputPort] { state.withLock { $0.ports } }
  /// What it has read and reads no more; their counts stand still.
  public var retiredPorts: [InputPort] { state.withLock { $0.retired } }
  @usableFromInline var inlets: [any AnyInlet] { ports.map(\.inlet) }

  // MARK: Its owner's side

  /// Runs one instance: init, start, work, stop. Returns when all inputs have ended, a source has no more, or the instance was asked to
  /// hand over. One at a time.
  @discardableResult
  public func run(_ assembly: Blueprint.Assembly) async throws -> Ending { try await assembly.run(self) }

  /// Asks the instance to return, because another one is to go on where it ends: what it has in hand is finished, what waits stays. For
  /// components with inputs; a source is cancelled besides.
  public func quiesce() { ask(.leave) }

  /// Asks the instance to go on with other inputs, between two batches: an input that stays the same topic's goes on where it is, with
  /// other options where those are others. Then `done` is called.
  public func rewire(_ edges: [Edge], done: @escaping @Sendable () -> Void = {}) { ask(.rewire(edges, done: done)) }

  private func ask(_ request: Request) {
    // All under the lock: an instance that reacts at once finds the whole request, and none of it is set after the reaction.
    state.withLock { state in
      state.request = request
      for port in state.ports { port.inlet.hold() }
      stop.quiesce()
    }
    wake()
  }

  /// Lets the next instance go on where one has left.
  public func goOn() { state.withLock { goOn(&$0) } }

  private func goOn(_ state: inout State) {
    state.request = .none
    stop.goOn()
    for port in state.ports { port.inlet.letGo() }
  }

  /// Takes a rewiring back; false where it was carried out.
  public func withdraw() -> Bool {
    state.withLock { state in
      guard case .rewire = state.request else { return false }
      goOn(&state)
      return true
    }
  }

  /// True while the instance is asked to leave.
  var isLeaving: Bool { state.withLock { if case .leave = $0.request { true } else { false } } }

  /// Gives it other inputs, as `rewire` does, while no instance runs.
  public func reconnect(_ edges: [Edge]) {
    var old = ports
    let ports = edges.map { edge in
      guard let place = old.firstIndex(where: { $0.inlet.source === edge.topic }) else { return InputPort(edge, parker) }
      let port = old.remove(at: place)
      port.reattach(options: edge.options)
      return port
    }
    for port in old { port.retire() }
    state.withLock { state in
      state.ports = ports
      state.retired += old
    }
  }

  /// Gives it the memory back that `succeed` returned.
  public func restore(_ memory: Memory.Contents) { context.memory.contents = memory }

  /// Ends the instance at once, wherever it waits at a topic, and every later one; what waits stays where it is.
  public func cutOff() {
    stop.cutOff()
    wake()
  }

  public var isCutOff: Bool { stop.isCutOff }

  /// Nothing will come from this component any more, and it holds nobody back. Only while no instance runs.
  public func retire() {
    for port in ports { port.inlet.detach() }
    output?.close()
  }

  private func wake() {
    parker.wake()
    output?.producer.wake()
  }

  /// Calls `body` when an instance has started, once; at the latest `run` says so by returning.
  public func whenStarted(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenStarted = body } }

  /// Tells the living component something; throws where it takes no commands, does not know this one, or does not live now.
  public func perform(_ command: Command) async throws(CommandError) -> String {
    guard let component = state.withLock({ $0.component }) else { throw .notRunning(id) }
    guard let commandable = component as? any CommandableComponent else { throw .takesNoCommands(id) }
    return try await Self.perform(command, on: commandable)
  }

  private static func perform<C: CommandableComponent>(_ command: Command, on component: C) async throws(CommandError) -> String {
    guard C.commands.contains(where: { $0.verb == command.verb }) else {
      throw .unknownCommand(command.verb, known: C.commands.map(\.verb))
    }
    return try await component.perform(command)
  }

  // MARK: The instance's side

  /// Why the serving of the inputs has ended.
  @usableFromInline
  enum Pause {
    /// All inputs have.
    case ended
    /// There is more, perhaps from other inputs.
    case servingOn
    /// Another instance is to go on.
    case leaving
  }

  /// Asked when serving has ended; carries a rewiring out.
  @usableFromInline
  func pause() -> Pause {
    let (request, ports) = state.withLock { state in
      // A rewiring that is taken here is carried out, and cannot be withdrawn any more.
      let request = state.request
      if case .rewire = request { state.request = .none }
      return (request, state.ports)
    }
    switch request {
    case .leave: return .leaving
    case .rewire(let edges, let done):
      reconnect(edges)
      goOn()
      done()
      return .servingOn
    // A rewiring that was withdrawn ends the serving too.
    case .none: return ports.allSatisfy(\.inlet.isFinished) ? .ended : .servingOn
    }
  }

  @usableFromInline
  func began(_ component: any Component) {
    let news = state.withLock { state in
      state.component = component
      defer { state.whenStarted = nil }
      return state.whenStarted
    }
    news?()
  }

  @usableFromInline
  func ended() { state.withLock { $0.component = nil } }
}
