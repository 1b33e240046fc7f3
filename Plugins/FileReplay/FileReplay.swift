internal import StockbusDecoding
internal import StockbusFiles
public import StockbusPlugin
internal import Synchronization

extension Plugin {
  /// Replays recordings.
  public static let fileReplay = Plugin(
    "file_replay",
    "Replays recorded trades, quotes or bars from CSV, JSON lines or raw captures of a venue, plain or gzip, and bars of a history.",
    option: "event",
    variants: [
      "trade": .source(FileReplay<Trade>.self), "quote": .source(FileReplay<Quote>.self), "bar": .source(FileReplay<Bar>.self),
      "raw": .source(FileReplay<RawMessage>.self),
    ]
  ).example("path: prices.csv")
}

/// Replays recorded events, in the order of their times across all files, at full speed or paced as they were recorded.
///
/// A malformed row becomes a dead letter with file, line and reason. After a failure the next instance continues where the last one ended;
/// no row is lost or sent twice.
///
/// The lines of a pipe, a terminal or standard input become events as they arrive: lines that have arrived are published before waiting for
/// more.
actor FileReplay<E: Event & ReplayEvent>: Source {
  /// The number of events sent at full speed before a flush, which may have to wake downstream. It is small for events with text, because
  /// events beyond the topic's budget of bytes are kept beside the ring until the flush.
  private static var batchLength: Int { _isPOD(E.self) ? 4096 : 64 }

  private let executor = BlockingExecutor(label: "file_replay")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let settings: FileReplaySettings
  private let context: Context
  private let rows: Counter
  private let malformed: Counter
  private let unknown: Counter
  /// Rows outside of `from` and `until`; nil if neither is set.
  private let outside: Counter?
  private var receipts: ReceiptOrder
  private var known = ReplayCounts()
  private var passedOver: PassedOver
  /// The logged remarks, by file.
  private let said = Mutex<Set<String>>([])
  /// The symbols of the option `symbols`, which only raw captures have.
  private var expectedSymbols: ExpectedSymbols

  static func faults(in settings: FileReplaySettings) -> [(option: String, message: String)] {
    settings.faults(fields: E.fields, kind: E.decodedKind, event: E.eventName)
  }

  static func textFaults(in settings: FileReplaySettings, reading _: ColumnLayout) -> [TextFault] {
    settings.extraColumns.faults(beside: E.self)
  }

  static func columns(_ settings: FileReplaySettings, reading _: ColumnLayout) -> ColumnLayout { settings.extraColumns.layout }

  static func fault(in file: FileUse, _ settings: FileReplaySettings) -> String? {
    FileHead.fault(of: file.path, settings.headOptions, as: E.fields)
  }

  static func doubt(about file: FileUse, _ settings: FileReplaySettings) -> String? {
    FileHead.doubt(about: file.path, settings.rowOptions, as: E.fields, event: E.eventName)
      ?? settings.zone.flatMap(FileHead.doubt(aboutZone:))
  }

  init(_ settings: FileReplaySettings, _ context: Context) {
    self.settings = settings
    self.context = context
    receipts = ReceiptOrder(isNeeded: context.ordersReceipts)
    passedOver = PassedOver(context)
    rows = context.counter("rows", "Rows sent as events.")
    malformed = context.counter("malformed", "Rows that did not become an event.")
    unknown = context.counter("unknown", "Messages of raw captures of an unknown kind.")
    let isCut = settings.from != nil || settings.until != nil
    outside = isCut ? context.counter("outside", "Events before 'from', or at or after 'until', which were not sent.") : nil
    let names = settings.isRaw && E.decodedKind != nil ? settings.symbols.map(\.description) : []
    expectedSymbols = ExpectedSymbols(names, after: context.recall(ExpectedSymbols.memory))
  }

  /// The position of the replay in these files.
  private static var place: MemoryKey<ReplayPosition> { MemoryKey("position", whenOptionsChange: .drop) }

  /// If the same files are read in the same way (at another speed, for instance), the replay continues at its position; otherwise it starts
  /// from the beginning.
  static func carryOver(_ old: Memory, from before: FileReplaySettings, to after: FileReplaySettings, into memory: Memory) {
    if before.isReadLike(after) { memory[place] = old[place] }
  }

  func keepMemory() { context.remember(expectedSymbols, ExpectedSymbols.memory) }

  func stop() { keepMemory() }

  func run(into output: inout Outlet<E>) async throws {
    let halt = Halt()
    do {
      // This actor's own thread may be waiting for a pipe when the source is cancelled.
      try await withTaskCancellationHandler {
        try await replay(into: &output, until: halt)
      } onCancel: {
        halt.halt()
      }
      context.note(expectedSymbols)
    } catch let error as ReplayError {
      if error.code == .halted { throw CancellationError() }
      guard error.code == .unreadable, settings.path.contains(where: InputDescriptor.isStream) else { throw error }
      // Bytes read from a pipe are lost, so another instance could not continue after the last row.
      throw EnvironmentFailure(error.description, isPermanent: true)
    }
  }

  private func replay(into output: inout Outlet<E>, until halt: Halt) async throws {
    if isForHelpers { return try await runParallel(into: &output) }
    if settings.loops != .times(1), let stream = settings.path.first(where: InputDescriptor.isStream) {
      let message = "is not a regular file and can be read once: leave out 'loops'"
      throw ReplayError(code: .badOption, file: stream, place: nil, message: message)
    }
    var replay = try Replay<E>(settings.path.map { input($0, until: halt) }, options)
    if let position = context.recall(Self.place) {
      // Malformed rows on the way were reported the first time.
      guard try replay.skip(to: position, noted: { _ in .skip }) else { return }
      _ = replay.takeGaps()
      if settings.isRaw { passedOver.count(replay.messages, isKnown: true) }
      known = replay.counts
    }
    switch settings.speed {
    case .max: try await runFlat(&replay, into: &output)
    case .times: try await runPaced(&replay, into: &output)
    }
    logShapes(replay)
    if settings.isRaw {
      passedOver.note(replay.messages)
      let numbers = replay.numbers
      if !numbers.isEmpty { context.remember(numbers, VenueNumbers.memory) }
    }
    for tally in replay.tallies { note(tally) }
  }

  private nonisolated func input(_ path: String, until halt: Halt) -> ReplayInput {
    guard HistoryFile.isOne(path) else { return ReplayInput(path: path, until: halt) }
    let choice = BarArchive.Choice(length: settings.length, since: options.from)
    let (archive, intake) = (context.services[BarArchive.self], context.symbols)
    return ReplayInput(name: path, contents: .archive { () throws(PastFault) in try archive.open(path, choice, intake) })
  }

  /// Adds a note if a file gave no event, or lacks a size.
  private nonisolated func note(_ tally: FileTally) {
    let options = options
    if let text = tally.note(fields: E.fields, event: E.eventName, from: options.from, until: options.until) { context.note(text) }
  }

  private nonisolated var options: ReplayOptions {
    var options = settings.options
    options.component = context.id
    options.intake = context.symbols
    options.now = { [clock = context.clock] in clock.now }
    return options
  }

  /// True for one large file at full speed, from its beginning.
  private var isForHelpers: Bool {
    guard settings.path.count == 1, settings.speed == .max, !settings.isRaw, !HistoryFile.isOne(settings.path[0]) else { return false }
    // On one processor the actor's own thread would only add thread switches.
    guard settings.parserCount > 1 || usableProcessors() == 1 else { return false }
    // Parsers send beside this actor, so that a memory that is taken meanwhile would not fit to what is sent.
    if context.recall(Self.place) != nil || context.isRemembered { return false }
    return ParallelReplay<E>.isWorthIt(ReplayInput(path: settings.path[0]))
  }

  /// Runs as fast as the parsers work and downstream accepts the events.
  ///
  /// Not on this actor's own thread: the parsers read the file, and a block should be published on the core where it was parsed.
  @concurrent
  private nonisolated func runParallel(into output: inout Outlet<E>) async throws {
    let size = InputDescriptor.plainSize(of: settings.path[0]) ?? 0
    var position = ReplayPosition()
    var receipts = ReceiptOrder(isNeeded: context.ordersReceipts)
    repeat {
      var replay = try ParallelReplay<E>(
        ReplayInput(path: settings.path[0]), options, parsers: settings.parserCount, on: context.helpers)
      try await replay.run(limit: Self.batchLength, counted: { count($0) }) { events, columns, read in
        if output.room() < events.count { try await output.waitForRoom() }
        receipts.send(events, columns, into: &output)
        // Also if an error ends the replay: events sent before it are delivered, and must not be sent again.
        position.events += events.count
        context.remember(position, Self.place)
        rows.add(events.count)
        report(position, read: read, of: size)
        try await output.flush()
        try Task.checkCancellation()
      } noted: { note in
        take(note)
      }
      if position.events == 0 || !settings.loops.allow(position.loop + 1) { return note(replay.tally) }
      position = ReplayPosition(loop: position.loop + 1, events: 0)
    } while true
  }

  /// Runs as fast as downstream accepts the events.
  private func runFlat(_ replay: inout Replay<E>, into output: inout Outlet<E>) async throws {
    var batches = 0
    while try await sendBatch(&replay, limit: Self.batchLength, into: &output) > 0 {
      batches += 1
      if batches & 15 == 0 {
        await Task.yield()
        try Task.checkCancellation()
      }
    }
  }

  /// Sends each event when it is due relative to the first one's time; events that are due at the same time are sent together.
  private func runPaced(_ replay: inout Replay<E>, into output: inout Outlet<E>) async throws {
    var next: E?
    var row: [Int64] = []
    var pacing: Pacing?
    var loop = replay.position.loop
    var began = context.clock.uptime
    var unsent = 0
    let isLive = replay.isLive
    while true {
      // The next event may take long to arrive.
      if unsent > 0, isLive {
        try await output.flush()
        unsent = 0
      }
      let count = try pull(&replay, limit: 1) { events, columns in
        next = receipts.ordered(events[0])
        row = columns.withUnsafeBufferPointer { Array($0) }
      }
      guard count > 0, let event = next else { break }
      if pacing == nil || replay.position.loop != loop {
        pacing = Pacing(speed: settings.speed, first: moment(event))
        loop = replay.position.loop
        began = context.clock.uptime
      }
      let wait = pacing?.wait(before: moment(event), elapsed: context.clock.uptime - began) ?? .zero
      if wait > .zero || unsent >= min(1024, Self.batchLength) {
        try await output.flush()
        unsent = 0
        if wait > .zero {
          // No event is earlier than this one, so readers that wait for time need not wait for it.
          output.advance(to: E.schema.receipt(of: event).before)
          try await context.clock.sleep(until: context.clock.uptime + wait)
        }
      }
      if !expectedSymbols.isComplete, let symbol = E.schema.symbol(of: event) { expectedSymbols.meet(symbol) }
      if row.isEmpty { output.send(event) } else { output.send([event].span, rows: row.span) }
      unsent += 1
      report(replay)
      context.remember(replay.position, Self.place)
      rows.add(1)
    }
    try await output.flush()
  }

  private func sendBatch(_ replay: inout Replay<E>, limit: Int, into output: inout Outlet<E>) async throws -> Int {
    if output.room() == 0 { try await output.waitForRoom() }
    let room = output.room()
    let before = replay.counts.events
    let isWatched = !expectedSymbols.isComplete
    let result = Result {
      try pull(&replay, limit: min(limit, room)) { batch, columns in
        if isWatched { expectedSymbols.look(at: batch) }
        receipts.send(batch, columns, into: &output)
      }
    }
    // Also if an error ends the replay: events sent before it are delivered, and must not be sent again.
    context.remember(replay.position, Self.place)
    rows.add(replay.counts.events - before)
    report(replay)
    try await output.flush()
    return try result.get()
  }

  /// Reports the bytes read in all loops together; without a total if the loops are endless or the size of a file is unknown.
  private func report(_ replay: borrowing Replay<E>) {
    let (read, size) = replay.progress
    report(replay.position, read: read, of: size)
  }

  private nonisolated func report(_ position: ReplayPosition, read: Int, of size: Int?) {
    guard let size, case .times(let loops) = settings.loops else { return context.report(progress: read, of: nil) }
    context.report(progress: position.loop * size + read, of: loops * size)
  }

  /// Makes a dead letter of a malformed row; logs a remark once for each file.
  private nonisolated func take(_ note: RowNote) -> MalformedPolicy {
    switch note {
    case .malformed(let row):
      malformed.add(1)
      context.reject(row.text, origin: "\(row.file):\(row.line)", reason: row.reason, symbol: row.symbol)
    case .remark(let remark): say(remark)
    }
    return settings.malformed
  }

  private nonisolated func say(_ remark: NotedRemark) {
    guard said.withLock({ $0.insert("\(remark.file) \(remark.kind)").inserted }) else { return }
    let text = visible("\(remark)", limit: 500)
    if remark.kind.isWarning { context.logger.warning("\(text)") } else { context.logger.notice("\(text)") }
  }

  /// Adds the counts other than rows and malformed rows to the counters.
  private nonisolated func count(_ counts: ReplayCounts) {
    unknown.add(counts.unknown)
    outside?.add(counts.outside)
    context.count(counts.kept)
  }

  /// The time by which an event is paced.
  private func moment(_ event: E) -> Timestamp { settings.isRaw ? event.received : event.time }

  /// Reports unknown messages by shape, the most frequent first.
  private func logShapes(_ replay: borrowing Replay<E>) {
    if !replay.shapes.isEmpty { context.logger.warning("messages of unknown kinds: \(MessageTally.words(of: replay.shapes))") }
  }

  /// Reads the next events; malformed rows become dead letters.
  private func pull(_ replay: inout Replay<E>, limit: Int, _ body: (Span<E>, Span<Int64>) -> Void) throws -> Int {
    defer {
      if settings.isRaw {
        for gap in replay.takeGaps() { context.gap(in: gap.stream, expected: gap.expected, got: gap.got) }
        passedOver.count(replay.messages)
      }
      let now = replay.counts
      let more = now - known
      if more.outside | more.unknown != 0 || more.kept != KeptValues() { count(more) }
      known = now
    }
    do throws(ReplayError) {
      return try replay.next(limit: limit, intoRows: body) { take($0) }
    } catch {
      throw error
    }
  }
}

extension ReplayError: EnvironmentError {
  /// A damaged file stays damaged; one that cannot be read may be readable later.
  var isPermanent: Bool { code != .unreadable }
}
