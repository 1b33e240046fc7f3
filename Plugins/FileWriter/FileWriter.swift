internal import MarketData
internal import StockbusFiles
public import StockbusPlugin

extension Plugin {
  /// Writes events to a file.
  public static let fileWriter = Plugin(
    "file_writer", "Writes events of any type to a file, as JSON lines or CSV.", FileWriterPlugin.self,
    hot: [.sink(FileWriter<Trade>.self), .sink(FileWriter<Quote>.self), .sink(FileWriter<Bar>.self), .sink(FileWriter<Ranked>.self)])
}

enum FileWriterPlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .sink(FileWriter<E>.self) }
}

/// Writes events to a file, one record an event.
public actor FileWriter<E: Event>: Sink, BackgroundComponent {
  private let executor = BlockingExecutor(label: "file_writer")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let settings: FileWriterSettings
  private let encoder: EventEncoder<E>
  /// Found out once: it looks at the path.
  private let isCSV: Bool
  private let file: PatientFile
  private var out = ByteWriter(capacity: 1 << 16)

  public static func faults(in settings: FileWriterSettings) -> [(option: String, message: String)] {
    let known = E.schema.fields.map(\.name)
    guard let fields = settings.fields else { return [] }
    if fields.isEmpty { return [("fields", "'fields' names no field; there are \(known.joined(separator: ", "))")] }
    var seen: Set<String> = []
    return fields.compactMap { name in
      if !known.contains(name) {
        let hint = suggestion(for: name, among: known).map { "; did you mean '\($0)'?" } ?? "; there are \(known.joined(separator: ", "))"
        return ("fields", "'fields': \(E.eventName) has no field '\(name)'\(hint)")
      }
      return seen.insert(name).inserted ? nil : ("fields", "'fields' names '\(name)' twice")
    }
  }

  public init(_ settings: FileWriterSettings, _ context: Context) throws {
    self.settings = settings
    isCSV = settings.isCSV
    let style = settings.times.style
    encoder = settings.fields.flatMap { EventEncoder(fields: $0, times: style) } ?? EventEncoder(times: style)
    file = PatientFile(path: settings.path, settings.file, context)
  }

  public func start() throws { try file.open(header: isCSV && settings.header ? Array((encoder.csvHeader + "\n").utf8) : []) }

  public func receive(_ events: Span<E>) async throws {
    file.beginRun()
    let chunk = file.chunk
    var held = 0
    out.clear()
    for i in events.indices {
      if isCSV { encoder.encodeCSV(events[i], to: &out) } else { encoder.encodeJSON(events[i], to: &out) }
      out.reserve(1)
      out.put(10)
      held += 1
      if out.count > chunk || i == events.count - 1 {
        try await file.write(out, count: held)
        out.clear()
        held = 0
      }
    }
    file.endRun(of: events.count)
  }

  public func drain() async throws { try await file.flush() }

  public func background() async { await file.flushRegularly() }

  public func stop() { file.close() }
}
