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

/// Writes events to a file, one record an event; what waits in memory is written at least every `flush`.
///
/// Where writing fails, as on a full disk, it waits and tries again, and the bus waits with it; what cannot be written in the end
/// is counted as lost.
public actor FileWriter<E: Event>: Sink, BackgroundComponent {
  private let settings: FileWriterSettings
  private let context: Context
  private let encoder: EventEncoder<E>
  private var file: RotatingFile?
  private var out = ByteWriter(capacity: 1 << 16)
  /// Records of finished runs that may still wait in the file's buffer; those of the present run come again where it fails.
  private var unwritten = 0
  private let records: Counter
  private let bytes: Counter

  public static func faults(in settings: FileWriterSettings) -> [(option: String, message: String)] {
    let known = E.schema.fields.map(\.name)
    return (settings.fields ?? []).filter { !known.contains($0) }.map { name in
      let hint = suggestion(for: name, among: known).map { "; did you mean '\($0)'?" } ?? "; there are \(known.joined(separator: ", "))"
      return ("fields", "'fields': \(E.eventName) has no field '\(name)'\(hint)")
    }
  }

  public init(_ settings: FileWriterSettings, _ context: Context) throws {
    self.settings = settings
    self.context = context
    let style = settings.times.style
    encoder = settings.fields.flatMap { EventEncoder(fields: $0, times: style) } ?? EventEncoder(times: style)
    records = context.counter("records", "Records written.")
    bytes = context.counter("bytes", "Bytes written.")
  }

  public func start() throws {
    file = try RotatingFile(
      path: settings.path,
      options: .init(
        opening: settings.append ? .append : .truncate, rotateAt: settings.rotate?.bytes, keep: settings.keep, sync: settings.sync,
        header: settings.isCSV && settings.header ? Array((encoder.csvHeader + "\n").utf8) : []))
  }

  public func receive(_ events: Span<E>) async throws {
    guard let file else { return }
    // A file that rotates gets record by record, so that none is split; otherwise a few dozen go together.
    let chunk = settings.rotate == nil ? 1 << 14 : 0
    for i in events.indices {
      if settings.isCSV { encoder.encodeCSV(events[i], to: &out) } else { encoder.encodeJSON(events[i], to: &out) }
      out.reserve(1)
      out.put(10)
      if out.count > chunk { try await pass(to: file) }
    }
    try await pass(to: file)
    records.add(events.count)
    unwritten = file.buffered == 0 ? 0 : unwritten + events.count
  }

  private func pass(to file: RotatingFile) async throws {
    if out.count == 0 { return }
    let size = out.count
    try await persistently { () throws(FileError) in try file.write(out) }
    bytes.add(size)
    out.clear()
  }

  public func drain() async throws {
    guard let file else { return }
    try await persistently { () throws(FileError) in try file.flush() }
    unwritten = 0
  }

  /// Tries until it works: a disk that is full may have room in a while. A write that failed has taken nothing, and what was taken
  /// before waits in the file's buffer. Gives up after `patience`, and at once where nobody reads the pipe any more.
  private func persistently(_ attempt: () throws(FileError) -> Void) async throws {
    let deadline = context.clock.uptime + settings.patience
    var pause = Duration.milliseconds(100)
    while true {
      do throws(FileError) { return try attempt() } catch {
        if error.isBrokenPipe || context.clock.uptime >= deadline { throw EnvironmentFailure("\(error)", isPermanent: true) }
        context.logger.warning("\(error); trying again in \(pause)")
      }
      try await context.clock.sleep(for: pause)
      pause = min(pause * 2, .seconds(5))
    }
  }

  public func background() async {
    while (try? await context.clock.sleep(for: settings.flush)) != nil {
      // A failure shows again, and is dealt with, at the next run or at the end.
      do {
        try file?.flush()
        unwritten = 0
      } catch { context.logger.warning("\(error)") }
    }
  }

  public func stop() {
    do { try file?.close() } catch { context.lose(unwritten, "\(error)") }
    unwritten = 0
    file = nil
  }
}
