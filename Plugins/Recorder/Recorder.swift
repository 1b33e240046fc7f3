internal import MarketData
internal import StockbusDecoding
internal import StockbusFiles
public import StockbusPlugin

extension Plugin {
  /// Keeps what comes in, so that it can be replayed.
  public static let recorder = Plugin(
    "recorder", "Keeps raw messages as captures and events as JSON lines, to be replayed.", RecorderPlugin.self,
    hot: [.sink(Recorder<RawMessage>.self), .sink(Recorder<Trade>.self), .sink(Recorder<Quote>.self), .sink(Recorder<Bar>.self)])
}

enum RecorderPlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .sink(Recorder<E>.self) }
}

/// Writes records to a file that rotates, each as a whole line; what waits in memory is written at least every `flush`.
///
/// Where writing fails, as on a full disk, it waits and tries again, and the bus waits with it; what cannot be written in the end
/// is counted as lost.
public actor Recorder<E: Event>: Sink, BackgroundComponent {
  private let executor = BlockingExecutor(label: "recorder")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let settings: RecorderSettings
  private let context: Context
  private let form: RecordForm<E>
  private var file: RotatingFile?
  private var out = ByteWriter(capacity: 1 << 16)
  /// Records that were taken and are still in memory; those of the present run come again where it throws.
  private var unwritten = (before: 0, run: 0)
  private var isTrying = false
  private let records: Counter
  private let bytes: Counter

  public static func faults(in settings: RecorderSettings) -> [(option: String, message: String)] {
    settings.format == .raw && E.self != RawMessage.self
      ? [("format", "'format: raw' is for raw messages; the input is \(E.eventName)")] : []
  }

  public init(_ settings: RecorderSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    form = RecordForm(settings.format)
    records = context.counter("records", "Records taken; those that could not be written are among them.")
    bytes = context.counter("bytes", "Bytes written.")
  }

  public func start() throws {
    do throws(FileError) {
      file = try RotatingFile(
        path: settings.path,
        options: .init(
          opening: settings.append ? .append : .truncate, rotateAt: settings.rotate?.bytes, keep: settings.keep, sync: settings.sync))
    } catch { throw EnvironmentFailure("\(error)", isPermanent: false) }
  }

  public func receive(_ events: Span<E>) async throws {
    guard let file else { return }
    // A file that rotates gets record by record, so that none is split; otherwise several go together.
    let chunk = settings.rotate == nil ? 1 << 14 : 0
    var held = 0
    out.clear()
    unwritten.run = 0
    for i in events.indices {
      form.write(events[i], to: &out)
      held += 1
      if out.count > chunk || i == events.count - 1 {
        try await pass(held, to: file)
        held = 0
      }
    }
    unwritten.before += unwritten.run
    unwritten.run = 0
    records.add(events.count)
  }

  /// Hands `count` records over; where the file has made room for them first, everything before them is written.
  private func pass(_ count: Int, to file: RotatingFile) async throws {
    let (size, buffered, rotations) = (out.count, file.buffered, file.rotations)
    try await persistently { () throws(FileError) in try file.write(out) }
    if file.buffered < buffered + size || file.rotations != rotations { unwritten = (0, 0) }
    unwritten.run += count
    bytes.add(size)
    out.clear()
  }

  public func drain() async throws {
    guard let file else { return }
    try await persistently { () throws(FileError) in try file.flush() }
    unwritten = (0, 0)
  }

  /// Tries until it works, with growing pauses: a disk that is full may have room in a while. Gives up after `patience`, and at once
  /// where waiting would not help.
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
        unwritten = (0, 0)
      } catch { context.logger.warning("\(error)") }
    }
  }

  public func stop() {
    do throws(FileError) { try file?.close() } catch { context.lose(unwritten.before, "\(error)") }
    unwritten = (0, 0)
    file = nil
  }
}
