public import MarketData
public import StockbusPlugin

/// The file of a sink: it rotates, it is written at least every `flush`, it waits for a full disk to have room again, and it knows
/// how many records it would lose.
///
/// Owned by one actor, which opens it in `start`, gives it each run between `beginRun` and `endRun`, calls `flush` in `drain`,
/// `flushRegularly` in `background`, and `close` in `stop`.
///
/// Where writing fails for want of room it is tried again with growing pauses, and the bus waits with it; after `patience`, and at
/// once where waiting would not help, the life ends. A write that failed has taken nothing, and what was taken before waits in the
/// file's buffer. What cannot be written in the end is counted as lost.
public final class PatientFile {
  private let path: String
  private let settings: PatientFileSettings
  private let context: Context
  private let records: Counter
  private let bytes: Counter
  private var file: RotatingFile?
  /// Records that were taken and are still in memory; those of the present run come again where it throws.
  private var unwritten = (before: 0, run: 0)
  /// True while a write that failed is tried again.
  private var isTrying = false
  /// How bytes reach the system; tests put a failing one here.
  var output = Descriptor.system

  /// No I/O.
  public init(path: String, _ settings: PatientFileSettings, _ context: Context) {
    self.path = path
    self.settings = settings
    self.context = context
    records = context.counter("records", "Records taken; those that could not be written are among them.")
    bytes = context.counter("bytes", "Bytes written.")
  }

  /// Opens it, making the folders above it; every new file begins with `header`.
  public func open(header: [UInt8] = []) throws(EnvironmentFailure) {
    do throws(FileError) {
      file = try RotatingFile(path: path, options: settings.rotation.options(sync: settings.sync, header: header))
      file?.output = output
    } catch { throw EnvironmentFailure("\(error)", isPermanent: false) }
  }

  /// How many bytes records may come to before they are handed over together: 0 where the file rotates, as only single records
  /// are never split.
  public var chunk: Int { settings.rotation.rotate == nil ? 1 << 14 : 0 }

  /// A run begins; the one before has ended, or comes again.
  public func beginRun() { unwritten.run = 0 }

  /// Takes `count` whole records, each with its line end; nothing where it is not open.
  public func write(_ text: borrowing ByteWriter, count: Int) async throws {
    guard let file, count > 0 else { return }
    let (size, buffered, rotations) = (text.count, file.buffered, file.rotations)
    try await persistently { () throws(FileError) in try file.write(text) }
    // Where the file has made room for them first, everything before them is written.
    if file.buffered < buffered + size || file.rotations != rotations { unwritten = (0, 0) }
    unwritten.run += count
    bytes.add(size)
  }
  /// A run of `count` records has ended: none of them comes again.
  public func endRun(of count: Int) {
    unwritten.before += unwritten.run
    unwritten.run = 0
    records.add(count)
  }

  /// Writes what waits.
  public func flush() async throws {
    guard let file else { return }
    try await persistently { () throws(FileError) in try file.flush() }
    unwritten = (0, 0)
  }

  /// Writes what waits every `flush`, until the task is cancelled.
  public func flushRegularly() async {
    while (try? await context.clock.sleep(for: settings.flush)) != nil {
      if isTrying { continue }
      // A failure shows again, and is dealt with, at the next run or at the end.
      do throws(FileError) {
        try file?.flush()
        unwritten = (0, 0)
      } catch { context.logger.warning("\(error)") }
    }
  }

  /// Writes what waits as far as that is possible without waiting, counts the rest as lost, and closes.
  public func close() {
    do throws(FileError) { try file?.close() } catch { context.lose(unwritten.before, "\(error)") }
    unwritten = (0, 0)
    file = nil
  }

  /// Tries until it works: a disk that is full may have room in a while.
  private func persistently(_ attempt: () throws(FileError) -> Void) async throws {
    let deadline = context.clock.uptime + settings.patience
    isTrying = true
    defer { isTrying = false }
    var pause = Duration.milliseconds(100)
    while true {
      do throws(FileError) { return try attempt() } catch {
        if error.isBrokenPipe, path == "-" { context.readerHasGone() }
        if !error.isOutOfSpace || context.clock.uptime >= deadline { throw EnvironmentFailure("\(error)", isPermanent: true) }
        context.logger.warning("\(error); trying again in \(pause)")
      }
      try await context.clock.sleep(for: pause)
      pause = min(pause * 2, .seconds(5))
    }
  }
}
