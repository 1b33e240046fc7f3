internal import StockbusPlugin

/// One component, wired to feeds.
struct WiredComponent: Sendable {
  struct Input: Sendable {
    let feed: OpenFeed
    let count: Int

    /// Publishes everything and ends the input.
    func publishAll() {
      feed.publish(0..<count)
      feed.topic.close()
    }
  }

  let slot: Slot
  let assembly: Blueprint.Assembly
  let feeds: [Input]
  let blueprint: Blueprint

  init(_ subject: some Wireable, options: String, feeds: [Feed], context: Context) throws {
    let node = try OptionsYAML.node(options)
    guard let blueprint = subject.blueprint(for: feeds.map(\.type), options: node) else {
      try (subject as? Plugin)?.checkOptions(node, at: Self.mark)
      let names = feeds.map { $0.type.eventName }.joined(separator: ", ")
      throw HarnessError(names.isEmpty ? "it needs inputs" : "it does not take \(names)")
    }
    if feeds.isEmpty, !blueprint.inputs.isEmpty { throw HarnessError("it needs inputs") }
    let columns = ColumnLayout.union(feeds.map(\.columns))
    assembly = try blueprint.assembly(node, at: Self.mark, reading: columns)
    let inputs = feeds.enumerated().map { Input(feed: $1.open("input\($0 + 1)"), count: $1.count) }
    var plan = Blueprint.TopicPlan(name: context.id, capacity: max(1 << 14, 4 * feeds.reduce(0) { $0 + $1.count }))
    plan.columns = assembly.columns
    let output = blueprint.makeTopic(plan)
    slot = Slot(blueprint.kind, context, inputs: inputs.map { Edge($0.feed.topic) }, output: output)
    self.feeds = inputs
    self.blueprint = blueprint
  }

  private static let mark = ConfigNode.Mark(file: OptionsYAML.file, line: 1, column: 1)

  static func assembly(of blueprint: Blueprint, _ options: String) throws -> Blueprint.Assembly {
    try blueprint.assembly(OptionsYAML.node(options), at: mark)
  }

  /// Runs one instance from start to end.
  @discardableResult
  func live() async throws -> Ending { try await slot.run(assembly) }

  /// Calls `body` with every event of the output.
  func subscribe<E: Event>(_ body: @escaping @Sendable (E) -> Void) throws -> Subscription {
    guard let output = slot.output else { throw HarnessError("it is a sink and emits nothing") }
    guard let topic = output as? Topic<E> else {
      throw HarnessError("it emits \(output.eventType.eventName), not \(E.eventName)")
    }
    return topic.subscribe(body)
  }

  /// Calls `body` with every event of the output as JSON, and its receipt; returns nil for a sink.
  func subscribeToJSON(_ body: @escaping @Sendable (String, Timestamp) -> Void) -> Subscription? {
    func open<E: Event>(_: E.Type) -> Subscription? {
      guard let topic = slot.output as? Topic<E> else { return nil }
      let encoder = EventEncoder<E>(columns: topic.columns)
      return topic.subscribeToRows { event, row in
        var text = ByteWriter(capacity: 256)
        encoder.encodeJSON(event, row: row, to: &text)
        body(text.string, E.schema.receipt(of: event))
      }
    }
    return slot.output.flatMap { open($0.eventType) }
  }
}
