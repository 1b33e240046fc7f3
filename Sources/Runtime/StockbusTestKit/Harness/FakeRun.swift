public import StockbusPlugin

/// A simulated run around a component under test: it returns what the test has set, and records requests.
public final class FakeRun: RunView {
  private struct State: Sendable {
    var components: [RunComponent]
    var edges: [RunEdge]
    var lines: [RunLogLine]
    var commands: [String] = []
    /// By component.
    var offers: [String: [DoorID: any Sendable]] = [:]
    var isStopped = false
    var cutOff: Duration?
    var problems: [String] = []
  }

  private let state: Watched<State>
  private let reply: @Sendable (Command, String) throws(CommandError) -> String

  /// - Parameter reply: the result of a command to a component; by default `done`.
  public init(
    components: [RunComponent] = [], edges: [RunEdge] = [], log lines: [RunLogLine] = [],
    reply: @escaping @Sendable (Command, String) throws(CommandError) -> String = { _, _ in "done" }
  ) {
    state = Watched(State(components: components, edges: edges, lines: lines))
    self.reply = reply
  }

  /// The same run, in which this component offers this. One that was not set is a sink then.
  @discardableResult
  public func offering<Offer: Sendable>(_ door: Offer.Type, by id: String, _ offer: Offer) -> FakeRun {
    let kind = DoorID(door)
    state.update { state in
      if !state.components.contains(where: { $0.id == id }) { state.components.append(RunComponent(id: id, kind: .sink, plugin: id)) }
      for at in state.components.indices where state.components[at].id == id { state.components[at].doors.append(kind) }
      state.offers[id, default: [:]][kind] = offer
    }
    return self
  }

  public var components: [RunComponent] { state.value.components }
  public var edges: [RunEdge] { state.value.edges }
  public func log(after number: Int) -> [RunLogLine] { state.value.lines.filter { $0.number > number } }

  public var problems: [String] { state.value.problems }
  public func set(problems: [String]) { state.update { $0.problems = problems } }

  /// Sets the edges, with their counts.
  public func set(edges: [RunEdge]) { state.update { $0.edges = edges } }

  public func perform(_ command: Command, on id: String) async throws(CommandError) -> String {
    state.update { $0.commands.append(([id, command.verb] + command.arguments).joined(separator: " ")) }
    return try reply(command, id)
  }

  public func door<Offer: Sendable>(_ door: Offer.Type, of id: String) throws(CommandError) -> Offer {
    let (state, kind) = (state.value, DoorID(door))
    guard let component = state.components.first(where: { $0.id == id }) else { throw .unknownComponent(id) }
    guard component.isRunning else { throw .notRunning(id) }
    guard let offer = state.offers[id]?[kind] as? Offer else { throw .offersNo(id, door: "\(kind)") }
    return offer
  }

  public func stop() { state.update { $0.isStopped = true } }
  /// As `stop`, with the time of the run's clock at which late components are cut off.
  public func stop(cutOff: Duration) {
    state.update {
      $0.isStopped = true
      $0.cutOff = cutOff
    }
  }
  public var cutOff: Duration? { state.value.cutOff }

  /// The commands that were sent, such as `ticks raise AAPL`, in order.
  public var commands: [String] { state.value.commands }
  public var isStopped: Bool { state.value.isStopped }

  /// Returns when at least `count` commands have been sent, or the task is cancelled.
  public func waitForCommands(_ count: Int) async { await state.wait { $0.commands.count >= count } }
  /// Returns when a stop has been asked for, or the task is cancelled.
  public func waitForStop() async { await state.wait { $0.isStopped } }
}
