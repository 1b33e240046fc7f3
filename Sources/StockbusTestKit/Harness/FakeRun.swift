public import StockbusPlugin

/// A run around a component under test: says what the test has set, and keeps what it was asked.
public final class FakeRun: RunView {
  private struct State: Sendable {
    var components: [RunComponent]
    var edges: [RunEdge]
    var lines: [RunLogLine]
    var commands: [String] = []
    var isStopped = false
    var cutOff: Duration?
  }

  private let state: Watched<State>
  private let reply: @Sendable (Command, String) throws(CommandError) -> String

  /// - Parameter reply: what a component says to a command; it says `done` unless told.
  public init(
    components: [RunComponent] = [], edges: [RunEdge] = [], log lines: [RunLogLine] = [],
    reply: @escaping @Sendable (Command, String) throws(CommandError) -> String = { _, _ in "done" }
  ) {
    state = Watched(State(components: components, edges: edges, lines: lines))
    self.reply = reply
  }

  public var components: [RunComponent] { state.value.components }
  public var edges: [RunEdge] { state.value.edges }
  public func log(after number: Int) -> [RunLogLine] { state.value.lines.filter { $0.number > number } }

  /// From now on this is what has become of the events.
  public func set(edges: [RunEdge]) { state.update { $0.edges = edges } }

  public func perform(_ command: Command, on id: String) async throws(CommandError) -> String {
    state.update { $0.commands.append(([id, command.verb] + command.arguments).joined(separator: " ")) }
    return try reply(command, id)
  }

  public func stop() { state.update { $0.isStopped = true } }
  /// As `stop`, with the moment of the run's clock at which what is late is cut off.
  public func stop(cutOff: Duration) {
    state.update {
      $0.isStopped = true
      $0.cutOff = cutOff
    }
  }
  public var cutOff: Duration? { state.value.cutOff }

  /// What was asked, as `ticks raise AAPL`, in order.
  public var commands: [String] { state.value.commands }
  public var isStopped: Bool { state.value.isStopped }

  /// Returns when at least `count` commands have come, or the task is cancelled.
  public func waitForCommands(_ count: Int) async { await state.wait { $0.commands.count >= count } }
  /// Returns when it was asked to stop, or the task is cancelled.
  public func waitForStop() async { await state.wait { $0.isStopped } }
}
