public import EventBus
public import Logging
public import MarketData

/// The whole run, for a component that shows or steers it: a screen, a control plane.
///
/// Everything is looked at when it is asked for, on the asker's own clock; while nobody asks, it costs nothing. Callable from anywhere.
public protocol RunView: Sendable {
  /// All components, upstream first.
  var components: [RunComponent] { get }
  /// All edges, with what has become of their events up to now.
  var edges: [RunEdge] { get }
  /// The last lines of the log whose number is above `number`, oldest first; some hundreds are kept.
  func log(after number: Int) -> [RunLogLine]
  /// Tells a component something; answers what it has done, in one sentence.
  func perform(_ command: Command, on id: String) async throws(CommandError) -> String
  /// Asks for a graceful stop: sources end, everything else drains. Asking twice is harmless.
  func stop()
  /// Returns when a graceful stop has been asked for, or the task is cancelled. For a component that has inputs and would otherwise
  /// wait for the world while they still come: it is not cancelled by a stop.
  func waitForStop() async
  /// When whatever has not ended is cut off, by the run's clock; nil while no stop has been asked for. Whoever waits for the world on
  /// the way to its end gives up before that, and says what it could not do.
  var cutOff: Duration? { get }
}

/// One component of a run.
public struct RunComponent: Sendable, Hashable {
  public var id: String
  public var kind: Blueprint.Kind
  /// The plugin's name.
  public var plugin: String
  /// What it reads, by name.
  public var inputs: [String]
  public var commands: [CommandInfo]
  /// False once it has ended.
  public var isRunning: Bool
  /// Events it has published; nil for a sink.
  public var published: Int?

  public init(
    id: String, kind: Blueprint.Kind, plugin: String, inputs: [String] = [], commands: [CommandInfo] = [], isRunning: Bool = true,
    published: Int? = nil
  ) {
    self.id = id
    self.kind = kind
    self.plugin = plugin
    self.inputs = inputs
    self.commands = commands
    self.isRunning = isRunning
    self.published = published
  }
}

/// One edge of a run.
public struct RunEdge: Sendable, Hashable {
  public var from: String
  public var to: String
  public var counts: EdgeCounts

  public init(from: String, to: String, counts: EdgeCounts) {
    self.from = from
    self.to = to
    self.counts = counts
  }
}

/// One line of a run's log.
public struct RunLogLine: Sendable, Hashable {
  /// Counts all lines of the run, from 1.
  public var number: Int
  public var time: Timestamp
  public var level: Logger.Level
  /// Who says it; nil for the run itself.
  public var component: String?
  public var message: String

  public init(number: Int, time: Timestamp, level: Logger.Level, component: String?, message: String) {
    self.number = number
    self.time = time
    self.level = level
    self.component = component
    self.message = message
  }
}

/// The view of a component that stands alone: there is no run around it.
public struct NoRun: RunView {
  public init() {}

  public var components: [RunComponent] { [] }
  public var edges: [RunEdge] { [] }
  public func log(after number: Int) -> [RunLogLine] { [] }
  public func perform(_ command: Command, on id: String) async throws(CommandError) -> String { throw .unknownComponent(id) }
  public func stop() {}
  public var cutOff: Duration? { nil }
  /// Waits until the task is cancelled, as nothing can ask for a stop.
  public func waitForStop() async { await Latch().wait() }
}
