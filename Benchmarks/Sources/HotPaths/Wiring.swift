internal import Logging
internal import StockbusPlugin

/// Wires one plugin by hand: all of its input is published before it starts, and its output has no reader, so that one thread runs its
/// resident loop without waiting.
struct Subject {
  let slot: Slot
  private let assembly: Blueprint.Assembly

  /// - Parameters:
  ///   - options: its options by name.
  ///   - outputCapacity: how many events its output has room for.
  init(
    _ plugin: Plugin, options: KeyValuePairs<String, ConfigNode.Value> = [:], reading inputs: [any AnyTopic] = [],
    outputCapacity: Int = 1 << 13
  ) throws {
    let given = ConfigNode(.options(options), at: ConfigNode.Mark(line: 1, column: 1))
    try self.init(plugin, given, reading: inputs, outputCapacity: outputCapacity)
  }

  init(_ plugin: Plugin, _ given: ConfigNode, reading inputs: [any AnyTopic], outputCapacity: Int) throws {
    guard let blueprint = plugin.blueprint(for: inputs.map(\.eventType), options: given) else {
      throw HotPathError("\(plugin.name) does not fit")
    }
    let logger = Logger(label: "hot") { _ in SwiftLogNoOpLogHandler() }
    var shared = Context.Shared(clock: SystemTimekeeper(), logger: logger, seed: 42, notices: NoNotices())
    let columns = ColumnLayout.union(inputs.map(\.columns))
    assembly = try blueprint.assembly(given, at: given.mark, reading: columns)
    shared.watermarkClock = WatermarkClock(isUsed: assembly.isTimed)
    let context = Context(id: "subject", shared)
    var output = Blueprint.TopicPlan(name: "subject", capacity: outputCapacity)
    output.columns = assembly.columns
    slot = Slot(blueprint.kind, context, inputs: inputs.map { Edge($0) }, output: blueprint.makeTopic(output))
  }

  /// Runs one instance, from its start to its end.
  func live() async throws { try await slot.run(assembly) }

  /// The number of events of its inputs that it has finished.
  var done: Int { slot.ports.reduce(0) { $0 + $1.counts.delivered + $1.counts.filtered } }
}

/// Options of a plugin, made here so that the loader of configurations need not be built.
extension ConfigNode.Value {
  static func options(_ options: KeyValuePairs<String, Self>) -> Self {
    let mark = ConfigNode.Mark(line: 1, column: 1)
    return .map(options.map { ConfigNode.Entry(key: $0, mark: mark, value: ConfigNode($1, at: mark)) })
  }

  static func list(_ texts: [String]) -> Self { .list(texts.map { ConfigNode(.scalar($0), at: ConfigNode.Mark(line: 1, column: 1)) }) }
}

struct HotPathError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

struct NoNotices: NoticePublisher {
  func post(_: DeadLetter) {}
  func post(_: ConnectionStatus) {}
  func post(_: Gap) {}
}

/// A topic with room for all of these events; after `fill` it has them and has ended. Each column of event `n` is `n`.
func filled<E: Event>(_ events: [E], columns: ColumnLayout = ColumnLayout()) -> (topic: Topic<E>, fill: () -> Void) {
  let topic = Topic<E>("input", capacity: max(2, events.count), columns: columns)
  return (
    topic,
    {
      var outlet = Outlet(topic)
      let all = columns.names.compactMap { outlet.column($0) }
      for (n, event) in events.enumerated() {
        outlet.send(event)
        for column in all { outlet.set(column, Int64(n)) }
      }
      outlet.commit()
      topic.close()
    }
  )
}
