internal import MarketData
internal import StockbusDecoding
internal import StockbusFiles
public import StockbusPlugin

extension Plugin {
  /// Replays recordings.
  public static let fileReplay = Plugin(
    "file_replay", "Replays recorded trades, quotes or bars from CSV, JSON lines or raw captures of a venue, plain or gzip.",
    option: "event",
    variants: [
      "trade": .source(FileReplay<Trade>.self), "quote": .source(FileReplay<Quote>.self), "bar": .source(FileReplay<Bar>.self),
      "raw": .source(FileReplay<RawMessage>.self),
    ])
}

/// Replays recorded events, in the order of their times over all files, at full speed or paced as they were recorded.
///
/// A row that is no event becomes a dead letter with file, line and reason. A life that follows a failed one goes on where that
/// one ended, without a row lost or sent twice.
///
/// The lines of a pipe, a terminal or standard input are events as they arrive: what has come is handed out before more is waited for.
actor FileReplay<E: Event & ReplayEvent>: Source {
  /// Events sent at full speed before downstream is told: each time it may have to be woken. Few where each may be as long as a row: what
  /// finds no room in the topic's budget of bytes stands aside until then.
  private static var batchLength: Int { _isPOD(E.self) ? 4096 : 64 }

  private let executor = BlockingExecutor(label: "file_replay")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let settings: FileReplaySettings
  private let context: Context
  private let rows: Counter
  private let malformed: Counter
  private let unknown: Counter
  /// Where the replay has a beginning or an end.
  private let outside: Counter?
  private var known = 0
  private var knownOutside = 0
  /// Those of `symbols`, which raw captures alone have.
  private var expectedSymbols: ExpectedSymbols

  static func faults(in settings: FileReplaySettings) -> [(option: String, message: String)] {
    let known = E.fields.map(\.name)
    if settings.isRaw {
      // Messages that are handed on unread need no spec.
      guard let kind = E.decodedKind else { return [] }
      let option = settings.decoding.messages == nil ? "preset" : "decoding"
      return settings.spec.decodingFaults(event: kind).map { (option, $0.message) }
    }
    if E.decodedKind == nil { return [("event", "'event: raw' is for 'format: raw'")] }
    let names = settings.columns.entries.filter { !known.contains($0.name) }.map { entry in
      let message = "'columns': \(E.eventName) has no field '\(entry.name)'"
      if known.contains(entry.value) { return message + "; write '\(entry.value): \(entry.name)', the field before its column" }
      let alias = E.fields.first { $0.aliases.contains(entry.name.lowercased()) }?.name
      let near = (alias ?? suggestion(for: entry.name, among: known)).map { "; did you mean '\($0)'?" }
      return message + (near ?? "; there are \(known.joined(separator: ", "))")
    }
    return (names + settings.columnFaults).map { ("columns", $0) }
  }

  static func fault(in file: FileUse, _ settings: FileReplaySettings) -> String? {
    FileHead.fault(of: file.path, settings.headOptions, as: E.self)
  }

  static func doubt(about file: FileUse, _ settings: FileReplaySettings) -> String? {
    FileHead.doubt(about: file.path, settings.rowOptions, as: E.self, event: E.eventName)
  }

  init(_ settings: FileReplaySettings, _ context: Context) {
    self.settings = settings
    self.context = context
    rows = context.counter("rows", "Rows sent as events.")
    malformed = context.counter("malformed", "Rows that are no event.")
    unknown = context.counter("unknown", "Messages of raw captures of a kind that nobody knows.")
    let isCut = settings.from != nil || settings.until != nil
    outside = isCut ? context.counter("outside", "Events before 'from' or not before 'until', which were not sent.") : nil
    let names = settings.isRaw && E.decodedKind != nil ? settings.symbols.map(\.description) : []
    expectedSymbols = ExpectedSymbols(names, after: context.recall(ExpectedSymbols.memory))
  }

  /// How far the run has come in these files.
  private static var place: MemoryKey<ReplayPosition> { MemoryKey("position", whenOptionsChange: .drop) }

  /// The same files read in the same way are gone on with, at another speed for instance; others begin at their beginning.
  static func carryOver(_ old: Memory, from before: FileReplaySettings, to after: FileReplaySettings, into memory: Memory) {
    if before.isReadLike(after) { memory[place] = old[place] }
  }

  func stop() { context.remember(expectedSymbols, ExpectedSymbols.memory) }

  func run(into output: inout Outlet<E>) async throws {
    let halt = Halt()
    do {
      // This actor's own thread may be waiting for a pipe when it is to stop.
      try await withTaskCancellationHandler {
        try await replay(into: &output, until: halt)
      } onCancel: {
        halt.halt()
      }
      context.note(expectedSymbols)
    } catch let error as ReplayError {
      if error.code == .halted { throw CancellationError() }
      guard error.code == .unreadable, settings.path.contains(where: InputDescriptor.isStream) else { throw error }
      // What came out of a pipe is gone: another life would go on somewhere behind it.
      throw EnvironmentFailure(error.description, isPermanent: true)
    }
  }

  private func replay(into output: inout Outlet<E>, until halt: Halt) async throws {
    if isForHelpers { return try await runParallel(into: &output) }
    if settings.loops != .times(1), let stream = settings.path.first(where: InputDescriptor.isStream) {
      let message = "is no plain file and can be read once: leave out 'loops'"
      throw ReplayError(code: .badOption, file: stream, place: nil, message: message)
    }
    var replay = try Replay<E>(settings.path.map { ReplayInput(path: $0, until: halt) }, options)
    if let position = context.recall(Self.place) {
      // What was malformed on the way was told the first time.
      guard try replay.skip(to: position, malformed: { _ in .skip }) else { return }
      _ = replay.takeGaps()
      known = replay.counts.unknown
      knownOutside = replay.counts.outside
    }
    switch settings.speed {
    case .max: try await runFlat(&replay, into: &output)
    case .times: try await runPaced(&replay, into: &output)
    }
    tellShapes(replay)
    for tally in replay.tallies { note(tally) }
  }

  /// Why a file gave nothing, or lacks something.
  private nonisolated func note(_ tally: FileTally) {
    let options = options
    if let text = tally.note(fields: E.fields, event: E.eventName, from: options.from, until: options.until) { context.note(text) }
  }

  private nonisolated var options: ReplayOptions {
    var options = settings.options
    options.component = context.id
    options.intake = context.symbols
    return options
  }

  /// One large file at full speed, from its beginning.
  private var isForHelpers: Bool {
    guard settings.path.count == 1, settings.speed == .max, !settings.isRaw else { return false }
    // On one processor a thread of its own is only changed to and from.
    guard settings.parserCount > 1 || usableProcessors() == 1 else { return false }
    if context.recall(Self.place) != nil { return false }
    return ParallelReplay<E>.isWorthIt(ReplayInput(path: settings.path[0]))
  }

  /// As fast as the parsers get on and downstream takes the events.
  ///
  /// Not on this actor's own thread: the parsers do the reading, and whoever hands out a block shall run where it was parsed.
  @concurrent
  private nonisolated func runParallel(into output: inout Outlet<E>) async throws {
    let size = InputDescriptor.plainSize(of: settings.path[0]) ?? 0
    var position = ReplayPosition()
    repeat {
      var replay = try ParallelReplay<E>(
        ReplayInput(path: settings.path[0]), options, parsers: settings.parserCount, on: context.helpers)
      try await replay.run(limit: Self.batchLength, outside: { outside?.add($0) }) { events, read in
        if output.room() < events.count { try await output.waitForRoom() }
        output.send(contentsOf: events)
        // Also where an error ends the run: what was sent before it is delivered, and must not be sent again.
        position.events += events.count
        context.remember(position, Self.place)
        rows.add(events.count)
        report(position, read: read, of: size)
        try await output.flush()
        try Task.checkCancellation()
      } malformed: { row in
        reject(row)
      }
      if position.events == 0 || !settings.loops.allow(position.loop + 1) { return note(replay.tally) }
      position = ReplayPosition(loop: position.loop + 1, events: 0)
    } while true
  }

  /// As fast as downstream takes the events.
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

  /// Each event when it is due, counted from the first one's time; those due at once go together.
  private func runPaced(_ replay: inout Replay<E>, into output: inout Outlet<E>) async throws {
    var next: E?
    var pacing: Pacing?
    var loop = replay.position.loop
    var began = context.clock.uptime
    var unsent = 0
    let isLive = replay.isLive
    while true {
      // The next one may not come for long.
      if unsent > 0, isLive {
        try await output.flush()
        unsent = 0
      }
      guard try pull(&replay, limit: 1, { next = $0[0] }) > 0, let event = next else { break }
      if pacing == nil || replay.position.loop != loop {
        pacing = Pacing(speed: settings.speed, first: moment(event))
        loop = replay.position.loop
        began = context.clock.uptime
      }
      let wait = pacing?.wait(before: moment(event), elapsed: context.clock.uptime - began) ?? .zero
      if wait > .zero || unsent >= min(1024, Self.batchLength) {
        try await output.flush()
        unsent = 0
        if wait > .zero { try await context.clock.sleep(until: context.clock.uptime + wait) }
      }
      if !expectedSymbols.isComplete, let symbol = E.schema.symbol(of: event) { expectedSymbols.meet(symbol) }
      output.send(event)
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
      try pull(&replay, limit: min(limit, room)) { batch in
        if isWatched { expectedSymbols.look(at: batch) }
        output.send(contentsOf: batch)
      }
    }
    // Also where an error ends the run: what was sent before it is delivered, and must not be sent again.
    context.remember(replay.position, Self.place)
    rows.add(replay.counts.events - before)
    report(replay)
    try await output.flush()
    return try result.get()
  }

  /// Bytes read of all loops together; without an end where the loops or a file have none.
  private func report(_ replay: borrowing Replay<E>) {
    let (read, size) = replay.progress
    report(replay.position, read: read, of: size)
  }

  private nonisolated func report(_ position: ReplayPosition, read: Int, of size: Int?) {
    guard let size, case .times(let loops) = settings.loops else { return context.report(progress: read, of: nil) }
    context.report(progress: position.loop * size + read, of: loops * size)
  }

  private nonisolated func reject(_ row: MalformedRow) -> MalformedPolicy {
    malformed.add(1)
    context.reject(row.text, origin: "\(row.file):\(row.line)", reason: row.reason, symbol: row.symbol)
    return settings.malformed
  }

  /// What an event is paced by.
  private func moment(_ event: E) -> Timestamp { settings.isRaw ? event.received : event.time }

  /// What came that nobody knows, the most frequent first.
  private func tellShapes(_ replay: borrowing Replay<E>) {
    let shapes = replay.shapes.sorted { $0.count > $1.count }
    if shapes.isEmpty { return }
    let listed = shapes.prefix(10).map { "\($0.count) × \(visible($0.shape, limit: 120))" }.joined(separator: ", ")
    context.logger.warning("messages of unknown kinds: \(listed)\(shapes.count > 10 ? ", …" : "")")
  }

  /// The next events; what is malformed is set aside on the way.
  private func pull(_ replay: inout Replay<E>, limit: Int, _ body: (Span<E>) -> Void) throws -> Int {
    defer {
      if settings.isRaw {
        for gap in replay.takeGaps() { context.gap(in: gap.stream, expected: gap.expected, got: gap.got) }
        let now = replay.counts.unknown
        unknown.add(now - known)
        known = now
      }
      if let outside {
        let now = replay.counts.outside
        outside.add(now - knownOutside)
        knownOutside = now
      }
    }
    do throws(ReplayError) {
      return try replay.next(limit: limit, into: body) { reject($0) }
    } catch {
      throw error
    }
  }
}

extension ReplayError: EnvironmentError {
  /// A damaged file stays damaged; one that cannot be read may be there in a while.
  var isPermanent: Bool { code != .unreadable }
}
