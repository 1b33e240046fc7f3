public import EventBus
public import Logging
public import MarketData

/// The whole run, for a component that shows or controls it, such as a screen.
///
/// Every value is computed when it is read, so it costs nothing while nothing reads it. Callable from any task.
public protocol RunView: Sendable {
  /// All components, upstream first.
  var components: [RunComponent] { get }
  /// All edges, former ones first, with the counts of their events so far; one for each pair of names.
  var edges: [RunEdge] { get }
  /// The lines of the log whose number is above `number`, oldest first; the last few hundred are kept.
  func log(after number: Int) -> [RunLogLine]
  /// Sends a command to a component; returns what it has done, in one sentence.
  func perform(_ command: Command, on id: String) async throws(CommandError) -> String
  /// What a component offers through a door of this type: `run.door((any PriceBoard).self, of: "board")`. Throws if it offers none or is not
  /// running. It belongs to the present instance, so look it up for each request.
  func door<Offer: Sendable>(_ door: Offer.Type, of id: String) throws(CommandError) -> Offer
  /// Asks for a graceful stop: sources end, all other components drain. A second call has no effect.
  func stop()
  /// Returns when a graceful stop has been asked for, or the task is cancelled. A stop does not cancel components that have inputs; this
  /// lets one of them end a long wait for something outside.
  func waitForStop() async
  /// When components that have not ended are cut off, by the run's clock; nil while no stop has been asked for. A component that waits for
  /// something outside while it ends gives up before that time, and reports what it could not do.
  var cutOff: Duration? { get }
  /// Why the run does not work as intended, one sentence each: components that fail or cannot work, and a configuration that was not
  /// reloaded. Empty if all is well.
  var problems: [String] { get }
}

extension RunView {
  public var problems: [String] { [] }
}

/// One component of a run.
public struct RunComponent: Sendable, Hashable {
  public var id: String
  public var kind: Blueprint.Kind
  /// The plugin's name.
  public var plugin: String
  /// The names of its inputs.
  public var inputs: [String]
  public var commands: [CommandInfo]
  /// The types of the doors that it offers; see `RunView.components(offering:)`.
  package var doors: [DoorID]
  /// False before the run has started, and once the component has ended.
  public var isRunning: Bool
  /// Events it has published; nil for a sink.
  public var published: Int?

  package init(
    id: String, kind: Blueprint.Kind, plugin: String, inputs: [String] = [], commands: [CommandInfo] = [], doors: [DoorID] = [],
    isRunning: Bool = true, published: Int? = nil
  ) {
    self.id = id
    self.kind = kind
    self.plugin = plugin
    self.inputs = inputs
    self.commands = commands
    self.doors = doors
    self.isRunning = isRunning
    self.published = published
  }
}

/// One edge of a run.
public struct RunEdge: Sendable, Hashable {
  public var from: String
  public var to: String
  public var counts: EdgeCounts

  package init(from: String, to: String, counts: EdgeCounts) {
    self.from = from
    self.to = to
    self.counts = counts
  }
}

extension [RunEdge] {
  /// Adds the counts of an edge to those with the same ends. It becomes the last one, so that former edges come first.
  package mutating func add(_ edge: RunEdge) {
    var sum = edge
    if let place = firstIndex(where: { $0.from == edge.from && $0.to == edge.to }) { sum.counts += remove(at: place).counts }
    append(sum)
  }
}

/// One line of a run's log.
public struct RunLogLine: Sendable, Hashable {
  /// The line's number among all lines of the run, from 1.
  public var number: Int
  public var time: Timestamp
  public var level: Logger.Level
  /// The component that logged it; nil for the run itself.
  public var component: String?
  public var message: String

  package init(number: Int, time: Timestamp, level: Logger.Level, component: String?, message: String) {
    self.number = number
    self.time = time
    self.level = level
    self.component = component
    self.message = message
  }
}

/// A view without a run, for a component that stands alone.
package struct NoRun: RunView {
  package init() {}

  package var components: [RunComponent] { [] }
  package var edges: [RunEdge] { [] }
  package func log(after number: Int) -> [RunLogLine] { [] }
  package func perform(_ command: Command, on id: String) async throws(CommandError) -> String { throw .unknownComponent(id) }
  package func door<Offer: Sendable>(_: Offer.Type, of id: String) throws(CommandError) -> Offer { throw .unknownComponent(id) }
  package func stop() {}
  package var cutOff: Duration? { nil }
  /// Waits until the task is cancelled, as nothing can ask for a stop.
  package func waitForStop() async { await Latch().wait() }
}
