package import EventBus
package import MarketData
internal import Synchronization

/// A component's place in a run: its inputs and output, its parker, its counters and its memory. Instances run in it one at a time; each
/// continues at the event after the last one that the instance before it has finished.
@usableFromInline package final class Slot: Sendable {
  @usableFromInline package let context: Context
  @usableFromInline package let output: (any AnyTopic)?
  /// Where its instance sleeps for events. A processor waits for room there too.
  @usableFromInline let parker: Parker
  /// Why an instance stops before its inputs have ended.
  @usableFromInline let stop = StopToken()
  /// Fires when it is decided whether the component becomes part of the run: at once, or with the change that it comes with.
  private let decided = Latch()
  private let state: Mutex<State>

  private struct State {
    var ports: [InputPort]
    var mergesInputs: Bool
    /// Inputs that are held until the slot is rewired to them.
    var arriving: [InputPort] = []
    /// What has become of the events of former inputs. The inputs themselves are not kept, because each would keep its topic.
    var retired: [RunEdge] = []
    /// True if an instance waits for other inputs where it would end with those that it has.
    var awaitsInputs: Bool
    /// True if it does not become part of the run.
    var isRefused = false
    /// True while an instance is here, from before its start until after its end.
    var isOccupied = false
    /// The columns that the present instance reads.
    var columns = BatchColumns()
    /// The component of the present instance, once it has started.
    var component: (any Component)?
    var whenStarted: (@Sendable () -> Void)?
    var request = Request.none
  }

  /// A request to the instance.
  private enum Request {
    case none
    /// To return, because another instance is to continue.
    case leave
    /// To call `reached` between two batches, and to take no further one until `resume`.
    case halt(reached: @Sendable () -> Void)
    /// To read from these edges from then on, and then to call `done`.
    case rewire([Edge], done: @Sendable () -> Void)
  }

  /// Attaches the inputs, whose event types the caller has checked. `output` is a topic made by the blueprint's `makeTopic`.
  ///
  /// - Parameters:
  ///   - awaitsInputs: the inputs come later, by `rewire`.
  ///   - isOnTrial: instances start, but a source does not run until `join`.
  package init(
    _ kind: Blueprint.Kind, _ context: Context, inputs: [Edge], output: (any AnyTopic)?, mergesInputs: Bool = false,
    awaitsInputs: Bool = false, isOnTrial: Bool = false
  ) {
    if !isOnTrial { decided.fire() }
    self.context = context
    self.output = output
    let parker = if kind == .processor, let output { output.producer } else { Parker(context.waiting) }
    self.parker = parker
    context.nudge.attach(parker)
    context.output.withLock { $0 = output }
    state = Mutex(State(ports: inputs.map { InputPort($0, parker) }, mergesInputs: mergesInputs, awaitsInputs: awaitsInputs))
  }

  package var id: String { context.id }
  /// The present inputs, in the order of the configuration.
  package var ports: [InputPort] { state.withLock { $0.ports } }
  /// True for a source without inputs.
  package var isPureSource: Bool { state.withLock { $0.ports.isEmpty && !$0.awaitsInputs } }
  /// The inputs that are held until the slot is rewired to them.
  package var arrivingPorts: [InputPort] { state.withLock { $0.arriving } }
  /// All edges into the component, former ones first, each with the counts of all inputs that it has had from there.
  package var edges: [RunEdge] {
    var (edges, ports) = state.withLock { ($0.retired, $0.ports + $0.arriving) }
    for port in ports { edges.add(edge(port)) }
    return edges
  }

  private func edge(_ port: InputPort) -> RunEdge { RunEdge(from: port.name, to: id, counts: port.counts) }
  @usableFromInline var inlets: [any AnyInlet] { ports.map(\.inlet) }
  /// True if the events of several inputs come in the order of their receipts, also for a component that gets no watermarks. A change
  /// concerns the next instance.
  package var mergesInputs: Bool {
    get { state.withLock { $0.mergesInputs } }
    set { state.withLock { $0.mergesInputs = newValue } }
  }

  // MARK: The owner's side

  /// Runs one instance: init, start, work, stop. Returns when all inputs have ended, a source has no more events, or the instance was asked
  /// to hand over. One instance at a time.
  @discardableResult
  package func run(_ assembly: Blueprint.Assembly) async throws -> Ending {
    state.withLock { state in
      state.isOccupied = true
      state.columns = BatchColumns(assembly.reads)
    }
    defer { state.withLock { $0.isOccupied = false } }
    return try await assembly.run(self)
  }

  /// The columns that the present instance reads. An instance of its own for each, as a change may give the inputs other columns.
  @usableFromInline var columns: BatchColumns { state.withLock { $0.columns } }

  /// The context for the present instance.
  @usableFromInline var contextOfInstance: Context { context.reading(columns) }

  /// True while an instance is here, from before its start until after its end.
  package var isOccupied: Bool { state.withLock { $0.isOccupied } }

  /// Asks the instance to return, because another one is to continue: the batch in hand is finished, waiting events stay. For components
  /// with inputs; a source must be cancelled too.
  package func quiesce() { ask(.leave) }

  /// Asks the instance to continue with other inputs, between two batches, and then calls `done`. An input with the same topic continues at
  /// its position, with new options if they differ.
  package func rewire(_ edges: [Edge], done: @escaping @Sendable () -> Void = {}) { ask(.rewire(edges, done: done)) }

  /// Asks the instance to halt: `reached` is called when it is between two batches, perhaps twice. Until `resume` neither it nor a later one
  /// gets events.
  package func halt(reached: @escaping @Sendable () -> Void) {
    ask(.halt(reached: reached))
    if !isOccupied { reached() }
  }

  /// True if the instance, which is asked to halt, is in the middle of its last batch before that. False says nothing.
  package var isInLastBatch: Bool { inlets.contains(where: \.isInBatch) }

  /// Where new inlets of it sleep.
  package func newReader(_ options: SubscriptionOptions) -> NewReader { NewReader(parker, options: options) }

  /// Adds an inlet that stays held until the slot is rewired to its topic.
  package func adopt(_ inlet: any AnyInlet) {
    let port = InputPort(inlet)
    state.withLock { $0.arriving.append(port) }
  }

  /// Lets a source that was on trial run. What it reads in its outside world before that would be lost with a change that is refused.
  package func join() { decided.fire() }

  /// The change that the component came with is refused: its source does not run. Without effect after `join`.
  package func refuse() {
    state.withLock { state in if !decided.hasFired { state.isRefused = true } }
    decided.fire()
  }

  /// Gives the inlets back to which it was not rewired.
  package func disown() {
    let arriving = state.withLock { state in
      defer { state.arriving = [] }
      return state.arriving
    }
    for port in arriving { port.retire() }
  }

  /// From now on the instance waits for other inputs where it would end with those that it has.
  package func awaitInputs() { state.withLock { $0.awaitsInputs = true } }

  /// Ends that waiting.
  package func endWaitingForInputs() {
    state.withLock { $0.awaitsInputs = false }
    wake()
  }

  /// From now on the end of the inputs is no end of the data, because another run goes on there: the instance leaves what it holds back to
  /// that run.
  package func handOverAtEnd() { context.memory.isForAnotherRun = true }

  /// What the component would leave to another run now, with the events that wait at the readers of its output. Only while these readers and
  /// the component itself are halted; a source without inputs goes on. Throws if that is not possible at present.
  package func legacy(readers: [any AnyInlet]) async throws -> Legacy {
    let (component, isOccupied) = state.withLock { ($0.component, $0.isOccupied) }
    if let component { return try await component.legacy(in: self, readers) }
    let legacy = Legacy(memory: context.memory.entries, waiting: readers.map(\.waiting))
    // One that is about to start may already work.
    if isOccupied || self.isOccupied { throw Busy(description: "is being started") }
    return legacy
  }

  private func ask(_ request: Request) {
    // All under the lock: an instance that reacts at once finds the whole request, and none of it is set after the reaction.
    state.withLock { state in
      state.request = request
      for port in state.ports { port.inlet.hold() }
      stop.quiesce()
    }
    wake()
  }

  /// Lets the next instance continue after one has left.
  package func resume() { state.withLock { resume(&$0) } }

  private func resume(_ state: inout State) {
    state.request = .none
    stop.resume()
    for port in state.ports { port.inlet.release() }
  }

  /// Withdraws a rewiring or a halt; returns false if the instance has already begun to carry it out, or if none was asked for.
  package func withdraw() -> Bool {
    state.withLock { state in
      switch state.request {
      case .rewire, .halt: resume(&state)
      case .none, .leave: return false
      }
      return true
    }
  }

  /// True while the instance is asked to return because another one is to continue.
  @usableFromInline package var isLeaving: Bool { state.withLock { if case .leave = $0.request { true } else { false } } }

  /// Replaces the inputs at once. Only the instance may call, between two batches, or the owner while no instance runs.
  package func reconnect(_ edges: [Edge]) {
    var old = state.withLock { $0.ports + $0.arriving }
    let ports = edges.map { edge in
      guard let place = old.firstIndex(where: { $0.inlet.source === edge.topic }) else { return InputPort(edge, parker) }
      let port = old.remove(at: place)
      port.reattach(options: edge.options)
      port.inlet.resume()
      return port
    }
    for port in old { port.retire() }
    state.withLock { state in
      state.ports = ports
      state.arriving = []
      for port in old { state.retired.add(edge(port)) }
      state.awaitsInputs = false
    }
  }

  /// Restores the memory that `succeed` returned.
  package func restore(_ memory: Memory.Contents) { context.memory.contents = memory }

  /// Ends the instance, and every later one, at once, wherever it waits at a topic. Waiting events stay.
  package func cutOff() {
    stop.cutOff()
    wake()
  }

  package var isCutOff: Bool { stop.isCutOff }

  /// Ends the component for good: its output is closed and its inputs are detached, so that nothing waits for it. Only while no instance
  /// runs.
  package func retire() {
    for port in ports + arrivingPorts { port.inlet.detach() }
    output?.close()
  }

  private func wake() {
    parker.wake()
    output?.producer.wake()
  }

  /// Calls `body` once, when an instance has started. If none starts, `run` returns or throws without the call.
  package func whenStarted(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenStarted = body } }

  /// Sends a command to the present instance; throws if it takes no commands, does not know this one, or is not running.
  package func perform(_ command: Command) async throws(CommandError) -> String {
    guard let component = state.withLock({ $0.component }) else { throw .notRunning(id) }
    guard let commandable = component as? any CommandableComponent else { throw .takesNoCommands(id) }
    return try await Self.perform(command, on: commandable)
  }

  /// What the present instance offers through a door; throws if it has none of this type, or is not running.
  package func door<Offer: Sendable>(_ door: Offer.Type) throws(CommandError) -> Offer {
    let id = DoorID(door)
    guard let offer = try offer(id) as? Offer else { throw .offersNo(self.id, door: "\(id)") }
    return offer
  }

  package func offer(_ door: DoorID) throws(CommandError) -> any Sendable {
    guard let component = state.withLock({ $0.component }) else { throw .notRunning(id) }
    guard let offer = (component as? any OfferingComponent)?.offer(door) else { throw .offersNo(id, door: "\(door)") }
    return offer
  }

  /// What the present instance says of a symbol; empty if it says nothing, or if none has started.
  package func explain(_ symbol: Symbol, last: (any Event)?) async -> [Explanation] {
    guard let component = state.withLock({ $0.component }) as? any ExplainingComponent else { return [] }
    return await Self.explain(symbol, last, by: component)
  }

  /// Has the present instance look at the files that it writes; see `FileWritingComponent`. Nil if it writes none, or if none has started.
  package var fileRenewal: (@Sendable () async -> [String])? {
    guard let component = state.withLock({ $0.component }) as? any FileWritingComponent else { return nil }
    return { await Self.renewFiles(of: component) }
  }

  private static func renewFiles(of component: some FileWritingComponent) async -> [String] { await component.renewFiles() }

  private static func explain(_ symbol: Symbol, _ last: (any Event)?, by component: some ExplainingComponent) async -> [Explanation] {
    await component.explain(symbol, last: last)
  }

  private static func perform<C: CommandableComponent>(_ command: Command, on component: C) async throws(CommandError) -> String {
    guard (component as? any CommandRelay)?.relaysCommands == true || C.commands.contains(where: { $0.verb == command.verb }) else {
      throw .unknownCommand(command.verb, known: C.commands.map(\.verb))
    }
    return try await component.perform(command)
  }

  // MARK: The instance's side

  /// Why serving the inputs has ended.
  @usableFromInline
  enum Pause {
    /// All inputs have ended.
    case ended
    /// There is more to serve, perhaps from other inputs.
    case servingOn
    /// Another instance is to continue.
    case leaving
  }

  /// Returns why serving has ended; carries out a rewiring or a halt. While it waits for its inputs, so does this.
  @usableFromInline
  nonisolated(nonsending) func pause() async throws(CancellationError) -> Pause {
    while true {
      if let pause = takeRequest() { return pause }
      if stop.isCutOff || Task.isCancelled { throw CancellationError() }
      await parker.sleepCancellably()
    }
  }

  /// Nil if there is nothing to do before inputs come.
  private func takeRequest() -> Pause? {
    let (request, ports, awaitsInputs) = state.withLock { state in
      // What is taken here is carried out, and cannot be withdrawn any more.
      let request = state.request
      switch request {
      case .rewire, .halt: state.request = .none
      case .leave, .none: break
      }
      return (request, state.ports, state.awaitsInputs)
    }
    switch request {
    case .leave: return .leaving
    case .halt(let reached):
      // The inputs stay held.
      stop.resume()
      reached()
      return .servingOn
    case .rewire(let edges, let done):
      reconnect(edges)
      resume()
      done()
      return .servingOn
    // What was withdrawn also ends the serving.
    case .none:
      if !ports.allSatisfy(\.inlet.isFinished) { return .servingOn }
      return awaitsInputs ? nil : context.goesOnInAnotherRun ? .leaving : .ended
    }
  }

  /// Waits until the component is part of the run; returns false if it does not become so.
  @usableFromInline
  nonisolated(nonsending) func joins() async throws(CancellationError) -> Bool {
    await decided.wait()
    if !decided.hasFired { throw CancellationError() }
    return state.withLock { !$0.isRefused }
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

/// What a component leaves to another run.
package struct Legacy: Sendable {
  package let memory: [Memory.Entry]
  /// The events that wait at the readers of its output.
  package let waiting: [WaitingEvents]
}

/// A component that is in the middle of what cannot be interrupted.
private struct Busy: Error, CustomStringConvertible {
  let description: String
}

extension Component {
  /// Isolated and without waiting: what a source remembers, and what it has published, are of one moment.
  fileprivate func legacy(in slot: Slot, _ readers: [any AnyInlet]) throws -> Legacy {
    if slot.output?.isSpilling == true { throw Busy(description: "has no room for what it sends") }
    let memory = slot.context.memory
    // A next instance must not find in there what this one goes on with.
    let before = memory.contents
    defer { memory.contents = before }
    try keepMemory()
    return Legacy(memory: memory.entries, waiting: readers.map(\.waiting))
  }
}
