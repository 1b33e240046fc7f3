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
  private let executor = BlockingExecutor(label: "file_writer")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let settings: FileWriterSettings
  private let context: Context
  private let encoder: EventEncoder<E>
  /// Found out once: it looks at the path.
  private let isCSV: Bool
  private var file: RotatingFile?
  private var out = ByteWriter(capacity: 1 << 16)
  /// Records of finished runs that are still in memory.
  private var unwritten = 0
  /// Those of the present run; they come again where it throws.
  private var fresh = 0
  /// True while a write that failed is tried again.
  private var isTrying = false
  private let records: Counter
  private let bytes: Counter

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
    self.context = context
    isCSV = settings.isCSV
    let style = settings.times.style
    encoder = settings.fields.flatMap { EventEncoder(fields: $0, times: style) } ?? EventEncoder(times: style)
    records = context.counter("records", "Records taken; those that could not be written are among them.")
    bytes = context.counter("bytes", "Bytes written.")
  }

  public func start() throws {
    do throws(FileError) {
      file = try RotatingFile(
        path: settings.path,
        options: .init(
          opening: settings.append ? .append : .truncate, rotateAt: settings.rotate?.bytes, keep: settings.keep, sync: settings.sync,
          header: isCSV && settings.header ? Array((encoder.csvHeader + "\n").utf8) : []))
    } catch { throw EnvironmentFailure("\(error)", isPermanent: false) }
  }

  public func receive(_ events: Span<E>) async throws {
    guard let file else { return }
    // A file that rotates gets record by record, so that none is split; otherwise a few dozen go together.
    let chunk = settings.rotate == nil ? 1 << 14 : 0
    var next = 0
    out.clear()
    fresh = 0
    while next < events.count {
      let first = next
      encode(events, &next, beyond: chunk, to: &out)
      try await pass(next - first, to: file)
    }
    unwritten += fresh
    fresh = 0
    records.add(events.count)
  }

  /// Writes records from the event `next` on until they have more than `size` bytes, or there are no more.
  ///
  /// Not isolated, so that the buffer is one access to the actor's state for all of them: checking each for exclusivity took a quarter of
  /// the time.
  private nonisolated func encode(_ events: Span<E>, _ next: inout Int, beyond size: Int, to out: inout ByteWriter) {
    repeat {
      if isCSV { encoder.encodeCSV(events[next], to: &out) } else { encoder.encodeJSON(events[next], to: &out) }
      out.reserve(1)
      out.put(10)
      next += 1
    } while next < events.count && out.count <= size
  }

  /// Hands `count` records over; where the file has made room for them first, everything before them is written.
  private func pass(_ count: Int, to file: RotatingFile) async throws {
    if count == 0 { return }
    let (size, buffered, rotations) = (out.count, file.buffered, file.rotations)
    try await persistently { () throws(FileError) in try file.write(out) }
    if file.buffered < buffered + size || file.rotations != rotations { allWritten() }
    fresh += count
    bytes.add(size)
    out.clear()
  }

  private func allWritten() {
    unwritten = 0
    fresh = 0
  }

  public func drain() async throws {
    guard let file else { return }
    try await persistently { () throws(FileError) in try file.flush() }
    allWritten()
  }

  /// Tries until it works: a disk that is full may have room in a while. A write that failed has taken nothing, and what was taken
  /// before waits in the file's buffer. Gives up after `patience`, and at once where waiting would not help.
  private func persistently(_ attempt: () throws(FileError) -> Void) async throws {
    let deadline = context.clock.uptime + settings.patience
    isTrying = true
    defer { isTrying = false }
    var pause = Duration.milliseconds(100)
    while true {
      do throws(FileError) { return try attempt() } catch {
        if !error.isOutOfSpace || context.clock.uptime >= deadline { throw EnvironmentFailure("\(error)", isPermanent: true) }
        context.logger.warning("\(error); trying again in \(pause)")
      }
      try await context.clock.sleep(for: pause)
      pause = min(pause * 2, .seconds(5))
    }
  }

  public func background() async {
    while (try? await context.clock.sleep(for: settings.flush)) != nil {
      if isTrying { continue }
      // A failure shows again, and is dealt with, at the next run or at the end.
      do throws(FileError) {
        try file?.flush()
        allWritten()
      } catch { context.logger.warning("\(error)") }
    }
  }

  public func stop() {
    do throws(FileError) { try file?.close() } catch { context.lose(unwritten, "\(error)") }
    unwritten = 0
    file = nil
  }
}
