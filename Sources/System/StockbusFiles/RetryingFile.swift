internal import EventBus
package import StockbusPlugin

/// Records that are not bytes yet, such as the rows of a batch, which are only written together.
package protocol WaitingRecords: AnyObject {
  var count: Int { get }
  /// Gives them to `take`; those that it has not taken wait on.
  func give(_ take: (borrowing RecordText) throws(FileError) -> Void) throws(FileError)
}

/// The file of a sink: it rotates, is flushed at least every `flush`, waits for room on a full disk, and counts the records that it has
/// lost.
///
/// Owned by one actor, which calls `open` in `start`, `beginBatch` before each batch and `endBatch` after it, `finish` in `drain`,
/// `flushRegularly` in `background`, and `close` in `stop`.
///
/// If a write fails for lack of room, the component is degraded, the write is repeated with growing pauses, and the bus waits meanwhile.
/// The instance ends after `patience`, halfway to the deadline of a stop, or at once if waiting cannot help. If a regular flush fails, the
/// bus waits from the next event on, and `patience` begins with the flush. The error contains the number of taken events of the batch,
/// which are not delivered again. **The records in the file and the records counted as lost together are the records of all delivered
/// events**, whatever the disk does, and no partial record stays in a file.
package final class RetryingFile {
  private let path: String
  private let settings: RetryingFileSettings
  private let context: Context
  private let patience: Patience
  private let records: Counter
  private let bytes: Counter
  private var file: RotatingFile?
  /// The counts reported so far of the records and bytes that the present file has written.
  private var counted = (records: 0, bytes: 0)
  /// How many events of the present batch have had their records taken.
  private var taken = 0
  /// The time since which writing has failed, by the run's clock, and the last reason; nil if the last attempt succeeded.
  private var failing: (since: Duration, reason: String)?
  /// True while a batch, or the end, waits for a failed write.
  private var isTrying = false
  var calls: SystemCalls
  /// Records that wait outside of the buffer.
  private var waiting: (any WaitingRecords)?
  /// Woken when records begin to wait.
  private let bell = Parker()
  /// How many bytes are buffered before they are written.
  var bufferSize = 64 * 1024

  /// Does no I/O.
  package init(path: String, _ settings: RetryingFileSettings, _ context: Context) {
    self.path = path
    self.settings = settings
    self.context = context
    patience = Patience(settings.patience, context)
    calls = context.services[SystemCalls.self]
    records = context.counter("records", "Records written to the file.")
    bytes = context.counter("bytes", "Bytes of the records written.")
  }

  /// Opens the file, creating the folders above it; every new file begins with `header`.
  /// - Parameters:
  ///   - stream: for a file of messages.
  ///   - waiting: records that the owner has taken by `take`.
  package func open(header: [UInt8] = [], stream: StreamFile? = nil, waiting: (any WaitingRecords)? = nil) throws(EnvironmentFailure) {
    var options = settings.rotation.options(sync: settings.sync, header: header)
    options.bufferSize = bufferSize
    if let stream {
      options.stream = stream
      options.lineEnd = nil
      self.waiting = waiting
    }
    // Only the run's first instance empties the file, because the events that an earlier instance has written are already delivered.
    let isFirst = context.recall(Self.opened) != path
    if !isFirst { options.opening = .append }
    if stream != nil, !isFirst, path == "-" || FilePlace(path)?.kind == .stream {
      // What reads a pipe has the header already.
      options.header = []
      if context.recall(Self.torn) == path {
        let name = path == "-" ? "standard output" : shown(path)
        throw EnvironmentFailure("\(name) ends within a record, and cannot be gone on with", isPermanent: true)
      }
    }
    if stream == nil, options.opening == .append, let fault = FileBeginning.fault(of: path, header: header) {
      throw EnvironmentFailure(fault, isPermanent: true)
    }
    if let mark = context.recall(Self.mark) ?? nil, mark.path == path { options.mark = (mark.place, context.followsEndedRun) }
    do throws(FileError) {
      let file = try RotatingFile(path: path, options: options, files: context.files, calls: calls) { [context] sentence in
        context.logger.notice("\(sentence)")
        context.note(sentence)
      }
      file.noticed = { [context] sentence in context.logger.notice("\(sentence)") }
      counted = (0, 0)
      if isFirst, file.size > header.count {
        context.logger.notice("\(shown(path)) has \(file.size) bytes: this run appends to it; 'append: false' empties such a file first")
        // Also at the end, because a screen hides the log.
        context.note("\(shown(path)) had \(file.size) bytes before this run; 'append: false' empties such a file first")
      }
      if context.recall(Self.torn) == path { file.beginLine() }
      self.file = file
    } catch { throw EnvironmentFailure("\(error)", isPermanent: error.isPermanent) }
    context.remember(path, Self.opened)
    context.remember("", Self.torn)
    // A next instance of this run finds the file as this one leaves it.
    context.remember(nil, Self.mark)
  }

  /// Remembers where the file ends, for a run that goes on there.
  package func keepMemory() throws(FileError) {
    guard let file else { return }
    try giveWaiting(to: file)
    context.remember(try file.mark().map { Mark(path: path, place: $0) }, Self.mark)
  }

  private struct Mark: Sendable, Codable {
    let path: String
    let place: FileMark
  }

  private static var mark: MemoryKey<Mark?> { MemoryKey("end", whenOptionsChange: .keep) }

  // The values for the next instance: the file that was opened, and the one that ends in an incomplete line.
  private static var opened: MemoryKey<String> { MemoryKey("opened", whenOptionsChange: .keep) }
  private static var torn: MemoryKey<String> { MemoryKey("torn", whenOptionsChange: .keep) }

  /// How many bytes of records should be collected for one `write`: 0 if the file rotates, because only single records are never split.
  package var chunk: Int { settings.rotation.rotate == nil ? 1 << 14 : 0 }

  /// Begins a batch; the previous one has ended, or its rest is delivered again.
  package func beginBatch() { taken = 0 }

  /// Ends a batch. If no record may wait, its records are then in the file.
  package func endBatch() async throws(EnvironmentFailure) {
    if settings.flush == .zero { try await flush() }
  }

  /// Takes the records of the batch's next `events` events; has no effect if the file is not open.
  package func write(_ text: borrowing RecordText, of events: Int) async throws(EnvironmentFailure) {
    guard let file else { return }
    try await persistently { () throws(FileError) in
      // While there is no room for the buffered records, no more records are taken, even if a part of the buffer was written.
      if failing != nil { try file.flush() }
      let isFirst = file.buffered == 0
      try file.write(text)
      if isFirst { bell.wake() }
    }
    taken += events
  }

  /// Counts events of the batch as taken whose records wait. While `isFailing`, or where there is no room for more, `settle` comes first.
  package func take(_ events: Int) {
    taken += events
    if waiting?.count == events { bell.wake() }
  }

  /// True while records cannot be written.
  package var isFailing: Bool { failing != nil }

  /// Gives the records that wait to the file, which keeps them in its buffer.
  package func settle() async throws(EnvironmentFailure) {
    guard let file else { return }
    try await persistently { () throws(FileError) in
      if failing != nil { try file.flush() }
      try giveWaiting(to: file)
    }
  }

  private func giveWaiting(to file: RotatingFile) throws(FileError) {
    try waiting?.give { (text) throws(FileError) in try file.write(text) }
  }

  /// Writes the records that wait.
  package func flush() async throws(EnvironmentFailure) {
    guard let file else { return }
    try await persistently { () throws(FileError) in
      try giveWaiting(to: file)
      try file.flush()
    }
  }

  /// Writes the records that wait and closes the file; throws if not all could be written. No records may be written afterwards.
  package func finish() async throws(EnvironmentFailure) {
    guard let file else { return }
    taken = 0
    try await persistently { () throws(FileError) in
      try giveWaiting(to: file)
      // Another run goes on with a stream at its end.
      if context.goesOnInAnotherRun { try keepMemory() } else { try file.end() }
      try file.close()
    }
    self.file = nil
  }

  /// Checks at once whether the path still leads to the file, and recreates the file if not. Returns the path if it did. If that fails, the
  /// next batch, or the end, handles the failure.
  package func renew() -> String? {
    guard !isTrying, let file else { return nil }
    var isRenewed = false
    attempt { () throws(FileError) in isRenewed = try file.renew() }
    return isRenewed ? path : nil
  }

  /// Writes records that have waited for `flush`, until the task is cancelled; has no effect with `flush: 0s`, where none
  /// waits. While none waits, no timer runs. If writing fails, it is tried again after `flush`; the component is degraded, and the next
  /// batch, or the end, handles the failure.
  package func flushRegularly() async {
    if settings.flush == .zero { return }
    while !Task.isCancelled {
      if file?.buffered ?? 0 == 0, waiting?.count ?? 0 == 0 {
        await bell.sleepCancellably()
      } else if (try? await context.clock.sleep(for: settings.flush)) != nil, !isTrying, let file {
        attempt { () throws(FileError) in
          try giveWaiting(to: file)
          try file.flush()
        }
      }
    }
  }

  /// Makes one attempt, and leaves a failure to the next batch or the end.
  private func attempt(_ body: () throws(FileError) -> Void) {
    do throws(FileError) {
      try body()
      noteSuccess()
    } catch {
      if !noteGoneReader(error) { patience.failed("\(error)", mayPass: error.mayPass, known: failing?.reason) }
      noteFailure(error)
    }
  }

  /// Writes as many of the buffered bytes as possible without waiting, counts the rest as lost, and closes the file.
  package func close() {
    guard let file else { return }
    self.file = nil
    var left: FileError?
    do throws(FileError) { try giveWaiting(to: file) } catch { left = error }
    let failure = file.abandon()
    count(file)
    guard let error = failure?.error ?? left else { return }
    let lost = (failure?.lost ?? 0) + (waiting?.count ?? 0)
    if lost > 0 { context.lose(lost, "\(error)") } else { context.logger.error("\(error)") }
    if file.leavesPiece { context.remember(path, Self.torn) }
  }

  /// Repeats an attempt until it succeeds, because a full disk may have room later.
  private func persistently(_ attempt: () throws(FileError) -> Void) async throws(EnvironmentFailure) {
    isTrying = true
    defer { isTrying = false }
    try await patience.insist(
      since: failing?.since, known: failing?.reason, taken: taken, mayPass: { $0.mayPass },
      failed: { error in
        noteFailure(error)
        noteGoneReader(error)
      }
    ) { () throws(FileError) in
      try attempt()
      // At once, before another attempt may fail.
      noteSuccess()
    }
  }

  private func noteSuccess() {
    if let file { count(file) }
    guard let since = failing?.since else { return }
    failing = nil
    patience.recovered(since: since)
  }

  private func noteFailure(_ error: FileError) {
    if let file { count(file) }
    failing = (failing?.since ?? context.clock.uptime, "\(error)")
  }

  /// Counts the records written since the last call.
  private func count(_ file: RotatingFile) {
    let now = file.written
    if now.records == counted.records { return }
    records.add(now.records - counted.records)
    bytes.add(now.bytes - counted.bytes)
    counted = now
  }

  /// Notifies the run if the program behind standard output has ended.
  @discardableResult
  private func noteGoneReader(_ error: FileError) -> Bool {
    guard error.isBrokenPipe, path == "-" else { return false }
    context.noteLostReader()
    return true
  }
}
