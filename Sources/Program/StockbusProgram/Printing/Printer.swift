import StockbusExpressions
import StockbusPlugin

extension Plugin {
  /// Prints events for `stockbus print`; a configuration cannot name it.
  static let printer = Plugin(
    "print", "Prints events to standard output.", PrinterPlugin.self,
    hot: [.sink(Printer<Trade>.self), .sink(Printer<Quote>.self), .sink(Printer<Bar>.self), .sink(Printer<Ranked>.self)])
}

enum PrinterPlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .sink(Printer<E>.self) }
}

struct PrinterSettings: Options {
  @Setting("The number of the job.") var job: Int
  @Setting("Whether all of a feed's events come, so that its order can be followed.") var followsRanks = false
  init() {}
}

/// Prints events until everything requested is printed, the data ends, or the reader has closed the output.
actor Printer<E: Event>: Sink, BackgroundComponent {
  private let executor = BlockingExecutor(label: "print")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let job: PrintJob
  private let request: PrintJob.Request
  private let context: Context
  private let clock: any Timekeeper
  private let condition: Expression<E>?
  private var records: EventRecords<E>
  private var row: [Int64] = []
  private var isDone = false
  private var lines = 0
  private var snapshot: Snapshot<E>
  /// The symbols in the condition, and which of them have arrived.
  private var expectedSymbols: ExpectedSymbols
  /// When the last new symbol arrived.
  private var lastNews: Duration?

  init(_ settings: PrinterSettings, _ context: Context) throws {
    guard let job = PrintJob.enrolled(settings.job) else { throw EnvironmentFailure("there is nothing to print", isPermanent: true) }
    self.job = job
    request = job.request
    self.context = context
    clock = context.clock
    snapshot = Snapshot(followsRanks: settings.followsRanks)
    condition = try request.condition.map { text throws(ExpressionError) in
      try Expression<E>(text, reading: context.columns.layout)
    }
    expectedSymbols = ExpectedSymbols(condition?.symbolNames ?? [])
    // A finite table is aligned when it is complete.
    records = EventRecords(
      request.format, fields: request.fields, isStream: !request.once, formulas: request.formulas,
      columns: context.columns.layout)
  }

  func receive(_ events: Span<E>) {
    if isDone { return }
    expectedSymbols.look(at: events)
    if request.once {
      let known = snapshot.count
      for i in events.indices {
        context.columns.copyRow(i, to: &row)
        snapshot.keep(events[i], row: row)
      }
      if snapshot.count > known { lastNews = clock.uptime }
      return
    }
    for i in events.indices {
      context.columns.copyRow(i, to: &row)
      add(events[i], row)
      if lines == request.limit { return finish() }
    }
    write()
  }

  func drain() {
    guard !isDone else { return }
    if request.once { return finish() }
    context.note(expectedSymbols)
    records.complete()
    write()
  }

  /// Ends the output when the snapshot is due: after the given time, or when no new symbol has arrived for a while and the end of the data
  /// is unknown.
  func background() async {
    guard request.once else { return }
    if let after = request.after {
      do { try await clock.sleep(for: after) } catch { return }
      return finish()
    }
    while !isDone {
      let deadline = (lastNews ?? clock.uptime) + request.settle
      do { try await clock.sleep(until: deadline) } catch { return }
      guard let lastNews, lastNews + request.settle <= clock.uptime else { continue }
      if job.isEndless { return finish() }
      // If a source has a known end, the end of the data is awaited; another source without an end may follow.
      do { try await clock.sleep(for: request.settle) } catch { return }
    }
  }

  private func add(_ event: E, _ row: [Int64]) {
    if let condition, !condition.matches(event, row: row) { return }
    records.add(event, row: row)
    lines += 1
  }

  private func finish() {
    if isDone { return }
    if request.once {
      context.note(expectedSymbols)
      if snapshot.hasLostRanks {
        context.note("ranks are those of each symbol's last event, because events are missing or the ranking was restarted")
      }
      for event in snapshot.inOrder where lines != request.limit { add(event, snapshot.row(of: event)) }
    }
    records.complete()
    write()
    isDone = true
    job.finish(.complete)
  }

  private func write() {
    guard !isDone, let end = records.hand(to: job.write) else { return }
    isDone = true
    job.finish(end)
  }
}
