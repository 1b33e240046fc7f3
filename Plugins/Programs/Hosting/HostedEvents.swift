internal import StockbusPacking
internal import StockbusPlugin

/// The events of a hosted plugin that were published and not yet sent to the host, of any type.
protocol HostedEventList: AnyObject {
  /// Writes all of it in frames.
  func take(to out: inout ByteWriter)
}

/// Reads a topic for a task that polls it.
final class HostedEvents<E: Event>: HostedEventList {
  private let inlet: Inlet<E>
  private let columns: BatchColumns
  private var packer: EventPacker

  init(_ topic: Topic<E>, _ waiting: Waiting) {
    packer = EventPacker(PackedLayout(E.self), columns: topic.columns)
    inlet = topic.attach(Parker(waiting))
    columns = BatchColumns(topic.columns)
  }

  func take(to out: inout ByteWriter) {
    while true {
      let batch = inlet.nextBatch(limit: HostedFrames.most)
      if batch.count == 0 { return }
      if !columns.layout.isEmpty { columns.enter(batch, of: inlet) }
      HostedFrames.put(Span(_unsafeElements: batch), columns, &packer, to: &out)
      inlet.finish(batch.count)
    }
  }
}

enum HostedFrames {
  /// The most events of one frame: 1 MiB is the most that a host accepts.
  static let most = 1024
  private static let mostWithColumns = 256

  /// Writes the batch in hand, with its columns if there are any.
  static func put<E: Event>(_ events: Span<E>, _ columns: BatchColumns, _ packer: inout EventPacker, to out: inout ByteWriter) {
    var next = 0
    while next < events.count {
      let frame = Frame.begin(.events, in: &out)
      Frame.put(last: 0, in: &out)
      let part = next..<min(next + (columns.layout.isEmpty ? most : mostWithColumns), events.count)
      next += packer.pack(events.extracting(part), rows: columns.rows(part).span, from: 0, most: part.count, to: &out)
      Frame.end(frame, in: &out)
    }
  }
}

/// Sends the events of a hosted source to the host, as they are published.
actor HostedOutput<E: Event>: Sink {
  private let life: HostedLife
  private let columns: BatchColumns
  private var packer: EventPacker
  private var out = ByteWriter(capacity: 64 << 10)

  init(_: NoOptions, _ context: Context) throws {
    guard let life = HostedOutputs.life else { throw HostWire.Broken() }
    self.life = life
    columns = context.columns
    packer = EventPacker(PackedLayout(E.self), columns: columns.layout)
  }

  func receive(_ events: Span<E>) {
    out.clear()
    life.reports.report(life.context, isUrgent: false, to: &out)
    HostedFrames.put(events, columns, &packer, to: &out)
    life.voice.write(out)
  }
}

enum HostedOutputs {
  /// Set while a sink for the host is made.
  @TaskLocal static var life: HostedLife?

  /// The reader of a topic of any type.
  static func list(of topic: any AnyTopic, _ context: Context) -> any HostedEventList {
    func open<Output: Event>(_: Output.Type) -> any HostedEventList {
      guard let topic = topic as? Topic<Output> else { preconditionFailure("a topic has events of its type") }
      return HostedEvents<Output>(topic, context.waiting)
    }
    return open(topic.eventType)
  }

  /// Attaches a sink for the host to a topic; the returned closure runs it to the topic's end.
  static func sink(of topic: any AnyTopic, _ life: HostedLife) throws -> @Sendable () async throws -> Void {
    func blueprint<E: Event>(_: E.Type) -> Blueprint { .sink(HostedOutput<E>.self) }
    let assembly = try blueprint(topic.eventType).assembly(
      nil, at: ConfigNode.Mark(file: life.context.id, line: 1, column: 1), reading: topic.columns)
    let slot = Slot(.sink, life.context, inputs: [Edge(topic)], output: nil)
    return { try await $life.withValue(life) { _ = try await slot.run(assembly) } }
  }
}
