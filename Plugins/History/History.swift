internal import StockbusFiles
internal import StockbusHistory
internal import StockbusInstruments
public import StockbusPlugin

extension Plugin {
  /// Keeps bars and last prices in a database.
  public static let history = Plugin(
    "history", "Keeps bars and last prices in a database file, for charts, previous closes and the next run.", .sink(History.self)
  ).example("path: history.db")
}

/// Writes bars, last prices and closes to a history file, several events in one transaction.
///
/// If a write fails for lack of room, because of another program's lock, or because the file is not at its path any more, it is repeated as
/// `Patience` says, and the bus waits meanwhile. Events that are still not in the file when the instance ends are counted as lost. A batch
/// is in the file as a whole or not at all.
package actor History: MultiSink, BackgroundComponent, CommandableComponent {
  private let executor = BlockingExecutor(label: "history")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let settings: HistorySettings
  private let context: Context
  private let writing: PatientWriting
  private let bars: Counter
  private let same: Counter
  private let superseded: Counter
  private let removed: Counter
  private let instruments: Instruments
  private let dates: TradingDates
  private var writer: HistoryWriter?
  private var waiting: HistoryBatch
  /// Signals waiting events to the timer, so that nothing wakes up while no events arrive.
  private let arrivals = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let backups = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(16))

  package static var handlers: [Handler<History>] {
    [
      Handler(Bar.self) { $0.take($1) }, Handler(Trade.self) { $0.take(prices: $1) }, Handler(Quote.self) { $0.take(prices: $1) },
      Handler(Ranked.self) { $0.take(prices: $1) },
    ]
  }

  package static let commands = [
    CommandInfo("backup PATH", "Copies the present state to a new file while the run continues; the log says when it is done.")
  ]

  package static func fault(in file: FileUse, _ settings: HistorySettings) -> String? { HistoryReader.fault(inFileAt: file.path) }

  package init(_ settings: HistorySettings, _ context: Context) {
    self.settings = settings
    self.context = context
    let instruments = context.instruments
    self.instruments = instruments
    let dates: TradingDates = { symbol, time in
      let calendar = instruments.calendar(for: symbol)
      let date = TradingDate(of: time, calendar, isDated: true)
      return (Int(date.days), Timestamp(ns: date.end(calendar)))
    }
    self.dates = dates
    waiting = HistoryBatch(dates)
    writing = PatientWriting(settings.patience, context)
    bars = context.counter("bars", "Bars that are in the file.")
    same = context.counter("already there", "Bars that the file already had, exactly the same.")
    superseded = context.counter(
      "superseded", "Bars that were not written, because the file has a later revision, or a better bar than a partial one.")
    removed = context.counter("removed", "Bars that were removed because they were older than 'keep'.")
  }

  package func start() async throws {
    try await writing.insist(mayPass: { $0.mayPass }) { () throws(HistoryError) in
      writer = try HistoryWriter(
        settings.path, keep: settings.retention, isSynced: settings.sync, files: context.files, dates: dates)
    }
    try warnOfFuture()
  }

  /// Warns of bars and prices whose time has not come yet, because an earlier run had a wrong clock or input.
  private func warnOfFuture() throws(HistoryError) {
    let now = context.clock.now
    guard let found = try writer?.future(after: now) else { return }
    let lead = Duration.nanoseconds(found.time.ns.subtractingSaturating(now.ns)).roughText
    context.logger.warning(
      "\(shown(settings.path)) has \(found.what) \(found.time), \(lead) ahead of this machine's clock: last prices from then stay the last ones until then; to begin anew, remove the file"
    )
  }

  private func take(_ events: Span<Bar>) {
    if waiting.isEmpty { arrivals.continuation.yield() }
    for i in events.indices { waiting.add(instruments.dated(events[i])) }
  }

  private func take<E: PricedEvent>(prices: Span<E>) {
    if waiting.isEmpty { arrivals.continuation.yield() }
    waiting.add(prices: prices)
  }

  package func settle() async throws { if waiting.events >= settings.batch || writing.trouble != nil { try await write() } }

  /// Writes the waiting events, however long that takes within `patience`, and removes a few old bars.
  private func write() async throws {
    try await writing.insist(isLate: true, mayPass: { $0.mayPass }) { () throws(HistoryError) in _ = try attempt() }
  }

  /// Writes the waiting events; returns true if there may be more bars to remove. After an error all of them still wait.
  private func attempt() throws(HistoryError) -> Bool {
    guard let writer else { return false }
    if waiting.isEmpty { try check(writer) } else { try write(by: writer) }
    return try trim(isExact: false)
  }

  /// Throws if the file has gone, or still cannot be written after a failure.
  private func check(_ writer: HistoryWriter) throws(HistoryError) {
    if writing.trouble == nil { try writer.checkPlace() } else { try writer.probe() }
  }

  private func write(by writer: HistoryWriter) throws(HistoryError) {
    let written = try writer.write(waiting)
    waiting.clear()
    bars.add(written.bars)
    same.add(written.same)
    superseded.add(written.superseded)
    context.count(datedAhead: written.datedAhead)
  }

  /// Removes a few old bars; returns true if there may be more. A full disk only delays this.
  private func trim(isExact: Bool) throws(HistoryError) -> Bool {
    guard let writer else { return false }
    do throws(HistoryError) {
      let step = try writer.trim(isExact: isExact, now: context.clock.now)
      removed.add(step.removed)
      return !step.isDone
    } catch {
      if error.mayPass { return false }
      throw error
    }
  }

  package func drain() async throws {
    try await write()
    // A stop does not wait for the removal; the next run continues it.
    while context.run.cutOff == nil, try trim(isExact: true) { await Task.yield() }
  }

  package func handOver() async throws { try await write() }

  package func background() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.writeRegularly() }
      group.addTask { await self.watchPlace() }
      group.addTask { await self.backUpOnDemand() }
    }
  }

  private func writeRegularly() async {
    for await _ in arrivals.stream {
      repeat { if (try? await context.clock.sleep(for: settings.flush)) == nil { return } } while writeInTime()
    }
  }

  /// Writes the waiting events; returns true if some work is left.
  private func writeInTime() -> Bool {
    if writing.isWaiting { return true }
    do throws(HistoryError) {
      let isMore = try attempt()
      writing.succeeded()
      return isMore
    } catch {
      // The failure will occur again at the next batch or at the end, and is handled there.
      writing.failed("\(error)", mayPass: error.mayPass)
      return true
    }
  }

  /// Notices soon that the file was removed or replaced, even if there is nothing to write.
  private func watchPlace() async {
    while (try? await context.clock.sleep(for: .seconds(1))) != nil {
      if writing.isWaiting { continue }
      do throws(HistoryError) {
        guard let writer else { continue }
        if !waiting.isEmpty {
          try writer.checkPlace()
        } else {
          try check(writer)
          writing.succeeded()
        }
      } catch { writing.failed("\(error)", mayPass: error.mayPass) }
    }
  }

  package func stop() {
    guard let writer else { return }
    self.writer = nil
    if !waiting.isEmpty { do throws(HistoryError) { try write(by: writer) } catch { context.lose(waiting.events, "\(error)") } }
    do throws(HistoryError) { try writer.close() } catch { context.logger.error("\(error)") }
  }
}

extension History {
  package func perform(_ command: Command) throws(CommandError) -> String {
    guard command.verb == "backup" else { throw CommandError.unknownCommand(command.verb, known: Self.commands.map(\.verb)) }
    guard let path = command.arguments.first, command.arguments.count == 1 else { throw CommandError("write 'backup PATH'") }
    if let fault = HistoryReader.faultOfBackup(path) { throw CommandError("\(shown(path)): \(fault)") }
    if let reader = context.files.reader(of: path) { throw CommandError("\(shown(path)): \(reader)") }
    // So that the copy contains all events that have arrived.
    if !writing.isWaiting { _ = try? attempt() }
    if case .dropped = backups.continuation.yield(path) { throw CommandError("16 backups are waiting already") }
    return "backing up to \(shown(path)); the log says when it is done"
  }

  /// Copies to one path after the other, until the task is cancelled.
  private func backUpOnDemand() async {
    let copier = Copier(source: settings.path)
    for await path in backups.stream {
      do {
        let size = try await copier.copy(to: path)
        context.logger.notice("backed up to \(shown(path)), \(size) bytes")
      } catch { context.logger.error("backup failed: \(error)") }
    }
  }
}

/// Copies the file on a separate thread, so that the sink continues to write.
private actor Copier {
  private let executor = BlockingExecutor(label: "history.backup")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let source: String

  init(source: String) { self.source = source }

  /// Ends with an error if the task is cancelled.
  func copy(to path: String) throws(HistoryError) -> Int {
    try HistoryReader(source).backUp(to: path) { Task.isCancelled }
  }
}
