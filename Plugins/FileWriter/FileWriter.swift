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
/// Where writing fails the life ends; what the next attempt cannot write either is counted as lost.
public actor FileWriter<E: Event>: Sink, BackgroundComponent {
  private let settings: FileWriterSettings
  private let context: Context
  private let encoder: EventEncoder<E>
  private var file: RotatingFile?
  private var out = ByteWriter(capacity: 1 << 16)
  /// Records handed to the file since it last said that all were written.
  private var unwritten = 0
  private let records: Counter
  private let bytes: Counter
  private let lost: Counter

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
    lost = context.counter("lost", "Records that could not be written.")
  }

  public func start() throws {
    file = try RotatingFile(
      path: settings.path,
      options: .init(
        opening: settings.append ? .append : .truncate, rotateAt: settings.rotate?.bytes, keep: settings.keep, sync: settings.sync,
        header: settings.isCSV && settings.header ? Array((encoder.csvHeader + "\n").utf8) : []))
  }

  public func receive(_ events: Span<E>) throws {
    guard let file else { return }
    // A file that rotates gets record by record, so that none is split; otherwise a few dozen go together.
    let chunk = settings.rotate == nil ? 1 << 14 : 0
    for i in events.indices {
      if settings.isCSV { encoder.encodeCSV(events[i], to: &out) } else { encoder.encodeJSON(events[i], to: &out) }
      out.reserve(1)
      out.put(10)
      if out.count > chunk { try pass(to: file) }
    }
    try pass(to: file)
    unwritten += events.count
    records.add(events.count)
    if file.buffered == 0 { unwritten = 0 }
  }

  private func pass(to file: RotatingFile) throws {
    if out.count == 0 { return }
    defer { out.clear() }
    try file.write(out)
    bytes.add(out.count)
  }

  public func drain() throws { try flush() }

  private func flush() throws {
    try file?.flush()
    unwritten = 0
  }

  public func background() async {
    while (try? await context.clock.sleep(for: settings.flush)) != nil {
      // A failure shows again, and is thrown, with the next run or at the end.
      do { try flush() } catch { context.logger.warning("\(error)") }
    }
  }

  public func stop() {
    do { try file?.close() } catch {
      lost.add(unwritten)
      context.logger.error("\(unwritten) records not written: \(error)")
    }
    file = nil
  }
}
