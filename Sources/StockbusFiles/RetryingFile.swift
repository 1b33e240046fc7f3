public import StockbusPlugin

/// The file of a sink: it rotates, it is written at least every `flush`, it waits for a full disk to have room again, and it knows
/// which records it has lost.
///
/// Owned by one actor, which opens it in `start`, gives it each run behind a `beginBatch`, calls `finish` in `drain`, `flushRegularly` in
/// `background`, and `close` in `stop`.
///
/// Where writing fails for want of room it is tried again with growing pauses, and the bus waits with it; after `patience`, half-way to
/// the end of a stop's deadline, and at once where waiting would not help, the life ends. Its error says how many events of the run
/// were taken all the same, so that they do not come again. **Records in the file and records counted as lost are together the records
/// of all events that are delivered**, whatever the disk has done, and no piece of a record stays in a file.
public final class RetryingFile {
  private let path: String
  private let settings: RetryingFileSettings
  private let context: Context
  private let records: Counter
  private let bytes: Counter
  private var file: RotatingFile?
  /// Events of the present run whose records were taken.
  private var taken = 0
  /// True while a write that failed is tried again.
  private var isTrying = false
  var calls = SystemCalls()
  /// Bytes that are collected before they are written.
  var bufferSize = 64 * 1024

  /// No I/O.
  public init(path: String, _ settings: RetryingFileSettings, _ context: Context) {
    self.path = path
    self.settings = settings
    self.context = context
    records = context.counter("records", "Records taken; those that could not be written are among them.")
    bytes = context.counter("bytes", "Bytes of the records taken.")
  }

  /// Opens it, making the folders above it; every new file begins with `header`.
  public func open(header: [UInt8] = []) throws(EnvironmentFailure) {
    var options = settings.rotation.options(sync: settings.sync, header: header)
    options.bufferSize = bufferSize
    // Only the run's first life begins anew: what an earlier one has written is delivered.
    if context.recall(Self.opened) == path { options.opening = .append }
    do throws(FileError) {
      let file = try RotatingFile(path: path, options: options, files: context.files)
      file.calls = calls
      if context.recall(Self.torn) == path { file.beginLine() }
      self.file = file
    } catch { throw EnvironmentFailure("\(error)", isPermanent: error.isPermanent) }
    context.remember(path, Self.opened)
    context.remember("", Self.torn)
  }

  // What instances tell each other: the file that was opened, and the one that ends in a torn line.
  private static var opened: MemoryKey<String> { MemoryKey("opened", whenOptionsChange: .keep) }
  private static var torn: MemoryKey<String> { MemoryKey("torn", whenOptionsChange: .keep) }

  /// How many bytes records may come to before they are handed over together: 0 where the file rotates, as only single records
  /// are never split.
  public var chunk: Int { settings.rotation.rotate == nil ? 1 << 14 : 0 }

  /// A run begins; the one before has ended, or what is left of it comes again.
  public func beginBatch() { taken = 0 }

  /// Takes the records of the run's next `events` events; nothing where it is not open.
  public func write(_ text: borrowing RecordText, of events: Int) async throws(EnvironmentFailure) {
    guard let file else { return }
    try await persistently { () throws(FileError) in try file.write(text) }
    taken += events
    records.add(text.count)
    bytes.add(text.bytes.count)
  }

  /// Writes what waits.
  public func flush() async throws(EnvironmentFailure) {
    guard let file else { return }
    try await persistently { () throws(FileError) in try file.flush() }
  }

  /// Writes what waits and closes, and throws where the disk does not have everything then. Nothing may be written afterwards.
  public func finish() async throws(EnvironmentFailure) {
    guard let file else { return }
    taken = 0
    try await persistently { () throws(FileError) in try file.close() }
    self.file = nil
  }

  /// Writes what waits every `flush`, until the task is cancelled.
  public func flushRegularly() async {
    while (try? await context.clock.sleep(for: settings.flush)) != nil {
      if isTrying { continue }
      // A failure shows again, and is dealt with, at the next run or at the end.
      do throws(FileError) { try file?.flush() } catch { context.logger.warning("\(error)") }
    }
  }

  /// Writes what waits as far as that is possible without waiting, counts the rest as lost, and closes.
  public func close() {
    guard let file else { return }
    self.file = nil
    guard let (error, lost) = file.abandon() else { return }
    if lost > 0 { context.lose(lost, "\(error)") } else { context.logger.error("\(error)") }
    if file.leavesPiece { context.remember(path, Self.torn) }
  }

  /// Tries until it works: a disk that is full may have room in a while.
  private func persistently(_ attempt: () throws(FileError) -> Void) async throws(EnvironmentFailure) {
    var limit = context.clock.uptime + settings.patience
    var isStopping = false
    isTrying = true
    defer { isTrying = false }
    var pause = Duration.milliseconds(100)
    while true {
      let failure: FileError
      do throws(FileError) { return try attempt() } catch { failure = error }
      if failure.isBrokenPipe, path == "-" { context.readerHasGone() }
      let now = context.clock.uptime
      if !isStopping, let end = context.run.cutOff {
        isStopping = true
        // The other half is for what waits behind this sink.
        limit = min(limit, now + (end - now) / 2)
      }
      if !failure.mayPass || now >= limit { throw EnvironmentFailure("\(failure)", isPermanent: true, taken: taken) }
      let next = min(pause, limit - now)
      context.logger.warning("\(failure); trying again in \(next.roughText)")
      do { try await sleep(for: next, unlessStopped: !isStopping) } catch {
        throw EnvironmentFailure("\(failure)", isPermanent: true, taken: taken)
      }
      pause = min(pause * 2, .seconds(5))
    }
  }

  /// Ends early where a stop is asked for.
  private func sleep(for pause: Duration, unlessStopped: Bool) async throws {
    guard unlessStopped else { return try await context.clock.sleep(for: pause) }
    let (clock, run) = (context.clock, context.run)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await clock.sleep(for: pause) }
      group.addTask { await run.waitForStop() }
      try await group.next()
      group.cancelAll()
    }
    try Task.checkCancellation()
  }
}
