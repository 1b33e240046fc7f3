internal import LibC
internal import StockbusPacking
internal import StockbusPlugin
internal import StockbusProcesses
internal import StockbusSystem

/// The conversation with a program that knows nothing of stockbus: an event is a line, and nothing is acknowledged.
///
/// One actor uses it, in up to three loops that interleave at their awaits: the program's input, its output, and its standard error.
/// Nothing here blocks a thread.
final class PlainLines {
  /// The longest line of a program.
  static let lineLimit = 1 << 20
  /// Bytes of lines that are encoded before they are written.
  private static let chunk = 64 << 10
  /// The most bytes of a line in a dead letter.
  private static let shownLimit = 200

  private let life: ProgramLife
  private let context: Context
  private let kind: Blueprint.Kind
  private let format: PlainFormat
  /// The columns of the input, nil without any; those of the output, and the row of the line in hand.
  private let reads: BatchColumns?
  private let columns: ColumnLayout
  private var row: [Int64] = []
  private var readable: PipeReadiness?
  private var writable: PipeReadiness?
  private var errorsReadable: PipeReadiness?
  private var lines = LineBuffer(limit: lineLimit)
  private var out = ByteWriter(capacity: 2 * chunk)
  /// The written bytes of `out`, and of all chunks before.
  private var written = 0
  private var writtenBefore = 0
  private var sent = SentEvents()
  /// The number of received lines.
  private var got = 0
  private var symbols: SymbolTally
  /// True while a batch is being written, whose failure its own loop must report.
  private var isGiving = false
  /// True while received events wait for their readers: then the program is not at fault for reading nothing.
  private var isPublishing = false
  private var isInputClosed = false
  /// True once the program has closed its output.
  private var isGone = false
  /// True once all output of the program has been handled.
  private let ended = WaitableValue(false)
  private let batchOver = WaitableValue(true)
  /// True if the last read has brought something.
  private var hasMore = false
  /// True once one of the loops has found a failure.
  private var isBroken = false
  /// The failure, once it is known.
  private let reason = WaitableValue<(any Error)?>(nil)
  /// How the program has ended after the end of its input; nil before that.
  private var end: ProgramEnd?

  /// - Parameter columns: those of the output.
  init(_ settings: ProgramSettings, _ kind: Blueprint.Kind, _ context: Context, columns: ColumnLayout = ColumnLayout()) {
    reads = context.columns.layout.isEmpty ? nil : context.columns
    self.columns = columns
    life = ProgramLife(settings, context)
    self.context = context
    self.kind = kind
    format = settings.format ?? .json
    symbols = SymbolTally(limit: context.symbols.limit)
  }

  /// Starts the program.
  func open(_ environment: [String: String] = ProcessEnvironment.variables) async throws {
    let child = try await life.start(environment)
    readable = PipeReadiness(child.output)
    writable = PipeReadiness(child.input, .writing)
    errorsReadable = PipeReadiness(child.errors)
    if kind == .source { await closeInput() }
  }

  private func closeInput() async {
    if isInputClosed { return }
    isInputClosed = true
    let ending = writable
    writable = nil
    await ending?.end()
    life.child?.closeInput()
  }

  /// Ends a program that has not failed.
  func close() async {
    await endWaiting()
    if let late = await life.close() { context.logger.warning("\(late)") }
  }

  private func endWaiting() async {
    let ending = [readable, writable, errorsReadable]
    (readable, writable, errorsReadable) = (nil, nil, nil)
    for readiness in ending { await readiness?.end() }
  }

  // MARK: To the program

  /// Writes events. The thrown error states how many of them were written completely: the next process gets the others.
  func give<E: Event>(_ events: Span<E>) async throws {
    let before = sent.count
    isGiving = true
    batchOver.update { $0 = false }
    defer {
      isGiving = false
      batchOver.update { $0 = true }
    }
    do {
      var next = 0
      while next < events.count {
        encode(events, from: &next)
        try await write()
      }
    } catch {
      let taken = max(0, sent.count - sent.count(beyond: writtenBefore + written) - before)
      throw await broken(error, taken: taken)
    }
  }

  private func encode<E: Event>(_ events: Span<E>, from next: inout Int) {
    writtenBefore += written
    written = 0
    if let reads {
      let encoder = EventEncoder<E>(columns: reads.layout)
      var row: [Int64] = []
      Self.encode(events.count, from: &next, to: &out, &sent, writtenBefore) { [format] i, out in
        reads.copyRow(i, to: &row)
        format.write(events[i], row: row, by: encoder, to: &out)
      }
    } else {
      Self.encode(events.count, from: &next, to: &out, &sent, writtenBefore) { [format] i, out in format.write(events[i], to: &out) }
    }
  }

  /// Separate, so that the buffers are accessed once for all events.
  @inline(__always)
  private static func encode(
    _ count: Int, from next: inout Int, to out: inout ByteWriter, _ sent: inout SentEvents, _ before: Int,
    write: (Int, inout ByteWriter) -> Void
  ) {
    out.clear()
    while next < count, out.count < chunk {
      write(next, &out)
      sent.append(endingAt: before + out.count)
      next += 1
    }
  }

  private func write() async throws {
    while written < out.count {
      guard let child = life.child, !isGone else { throw ProgramGone() }
      if Task.isCancelled { throw CancellationError() }
      do throws(Errno) {
        let first = written
        written += try out.withBytes { bytes throws(Errno) in
          try child.input.writeOnceQuietly(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[first...])))
        }
      } catch {
        switch error {
        case .interrupted: break
        case .resourceTemporarilyUnavailable: try await untilWritable()
        case .brokenPipe: throw ProgramGone()
        default: throw ProgramError("cannot be written to: \(error)")
        }
      }
    }
  }

  private func untilWritable() async throws {
    guard let writable else { throw ProgramGone() }
    if await isLate(life.settings.timeout, { await writable.wait() }), !isPublishing {
      throw ProgramError("has read nothing for \(life.settings.timeout.optionText)")
    }
  }

  /// True if the time is over before the wait is.
  private func isLate(_ time: Duration, _ wait: @escaping @Sendable () async -> Void) async -> Bool {
    let clock = context.clock
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await wait()
        return false
      }
      group.addTask { (try? await clock.sleep(for: time)) != nil }
      let first = await group.next() ?? false
      group.cancelAll()
      return first
    }
  }

  /// Closes the program's input, and returns when the program has ended and all its output is handled.
  func finish() async throws {
    do {
      if isGone { throw ProgramGone() }
      await closeInput()
      // A process started by the program may keep the output open. Unstructured, because it must not delay a failure, which kills it.
      if let child = life.child { Task { await child.ended() } }
      let ended = ended
      while !ended.value {
        // Readers that are slow are not the program's fault.
        if await isLate(life.patience, { await ended.wait { $0 } }), !ended.value, !isPublishing {
          throw ProgramError("has not ended within \(life.settings.timeout.optionText) since its input ended")
        }
        if Task.isCancelled, !ended.value { throw CancellationError() }
      }
      if let end, case .killed = end { throw ProgramError("\(end)") }
      // A program may end as it likes, but not leave events in its input: they have become nothing.
      if let unread = life.child?.unreadInput, unread > 0 {
        life.hasSaidGoodbye = false
        countLoss(unread: unread)
      }
    } catch { throw await broken(error, taken: 0) }
  }

  // MARK: From the program

  /// Publishes the program's output until the program ends, which it may do when its input has ended.
  func publish<E: Event>(into output: inout Outlet<E>) async throws {
    do {
      while try await read({ take($0, &output) }) {
        isPublishing = true
        defer { isPublishing = false }
        try await output.flush()
        if kind == .source, !hasMore { try await output.whileIdle { await readable?.wait() } }
      }
      try await output.flush()
      try await end(of: life.child)
    } catch {
      // The writing loop reports which events of its batch were written.
      await batchOver.wait { $0 }
      throw await broken(error, taken: 0)
    }
  }

  /// Logs the program's output, until the program ends.
  func logOutput() async {
    do {
      while try await read({ life.log(String(decoding: $0.prefix(2048), as: UTF8.self), "info") }) {}
      // A sink may have redirected its output, as in `cat > file`. It has ended if its standard error has ended too.
      if !isInputClosed { await life.errorsEnded.wait { $0 } }
      try await end(of: life.child)
    } catch { isGone = true }
  }

  /// Reads the available bytes, waits if there are none, and returns false at the end.
  private func read(_ use: (UnsafeBufferPointer<UInt8>) -> Void) async throws -> Bool {
    guard let child = life.child, let readable else { throw ProgramGone() }
    if Task.isCancelled {
      guard kind == .source else { throw CancellationError() }
      // Nothing else makes the program end. Its output so far is published.
      child.kill()
      _ = await child.ended()
    }
    let arrival = lines.read(child.output)
    hasMore = arrival == .something
    while let line = lines.next() { use(line) }
    if lines.isTooLong { throw ProgramError("sends a line of more than 1 MiB") }
    switch arrival {
    case .something: return true
    case .nothing:
      if Task.isCancelled { return false }
      if kind != .source { await readable.wait() }
      return true
    case .end:
      if !lines.rest.isEmpty, isInputClosed { use(lines.rest.bindMemory(to: UInt8.self)) }
      return false
    }
  }

  private func take<E: Event>(_ line: UnsafeBufferPointer<UInt8>, _ output: inout Outlet<E>) {
    got += 1
    do throws(TextError) {
      let event = try format.read(line, as: E.self, columns: columns, row: &row)
      guard symbols.takes(event) else { throw TextError(.tooManySymbols, at: 0) }
      if columns.isEmpty { output.send(event) } else { output.send(event, row: row) }
    } catch {
      context.reject(
        String(decoding: line.prefix(Self.shownLimit), as: UTF8.self), origin: "the program's line \(got)",
        reason: "bad \(E.eventName): \(E.schema.explanation(of: error, beside: columns))")
    }
  }

  /// Handles the end of the output. A source may end so; any other program only after its input.
  private func end(of child: ChildProgram?) async throws {
    isGone = true
    guard isInputClosed, let child else {
      writable?.wake()
      throw ProgramGone()
    }
    // Nothing else waits for a source; for any other program `finish` reports when it is late.
    let (end, late) =
      kind == .source ? await life.end(of: child, since: "its output ended", at: context.clock.uptime) : (await child.ended(), nil)
    if let late, !Task.isCancelled { throw ProgramMisfit(description: "\(late)") }
    if kind == .source, !Task.isCancelled, let end, end != .exited(0) { throw ProgramGone() }
    life.hasSaidGoodbye = kind != .source
    self.end = end
    ended.update { $0 = true }
  }

  // MARK: Standard error, and the end

  /// Logs the lines of standard error until it ends or the task is cancelled.
  func logErrors() async {
    while !Task.isCancelled, let child = life.child, let errorsReadable, !life.haveErrorsEnded {
      life.readErrors(of: child)
      await errorsReadable.wait()
    }
  }

  /// Counts the events that were lost with a program that left so many bytes of its input unread.
  private func countLoss(unread: Int) {
    let bytes = writtenBefore + written
    let whole = sent.count - sent.count(beyond: bytes)
    if kind == .processor {
      context.lose(max(0, whole - got), "at most; the program was given \(whole) and sent \(got) lines")
    } else {
      context.lose(whole - (sent.count - sent.count(beyond: bytes - unread)), "not read by the program")
    }
  }

  /// Kills the program, counts the events lost with it, and returns the failure.
  private func broken(_ error: any Error, taken: Int) async -> any Error {
    guard life.child != nil, !isBroken else {
      // The other loop has found the failure first, and reports it.
      if isBroken { await reason.wait { $0 != nil } }
      return error is CancellationError ? error : PlainLinesError(reason.value ?? ProgramError("has ended"), taken: taken)
    }
    (isBroken, isGone) = (true, true)
    await endWaiting()
    var unread = 0
    let why = await life.failure(error) { unread = $0.unreadInput }
    reason.update { $0 = why }
    countLoss(unread: unread)
    return error is CancellationError ? error : PlainLinesError(why, taken: taken)
  }
}

/// A program of plain lines that has failed. No event is to blame, as it is unknown which one the program was processing.
struct PlainLinesError: EnvironmentError, CustomStringConvertible {
  let description: String
  let isPermanent: Bool
  let taken: Int

  init(_ reason: any Error, taken: Int) {
    description = "\(reason)"
    isPermanent = (reason as? any EnvironmentError)?.isPermanent == true
    self.taken = taken
  }
}
