import EventBus
import MarketData
import StockbusExpressions
import StockbusPlugin

extension Plugin {
  /// Prints events for `stockbus print`; no configuration can name it.
  static let printer = Plugin(
    "print", "Prints events to standard output.", PrinterPlugin.self,
    hot: [.sink(Printer<Trade>.self), .sink(Printer<Quote>.self), .sink(Printer<Bar>.self), .sink(Printer<Ranked>.self)])
}

enum PrinterPlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .sink(Printer<E>.self) }
}

struct PrinterSettings: Options {
  @Setting("The number of the job.") var job: Int
  init() {}
}

/// Prints events until there is all that was asked for, the data ends, or nobody reads any more.
actor Printer<E: Event>: Sink, BackgroundComponent {
  private let executor = BlockingExecutor(label: "print")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let job: PrintJob
  private let request: PrintJob.Request
  private let clock: any Timekeeper
  private let condition: Expression<E>?
  private var records: EventRecords<E>
  private var isDone = false
  private var lines = 0
  /// The symbols that were seen, printed or not.
  private var seen: Set<Symbol> = []
  /// When the last of them was new.
  private var lastNews: Duration?

  init(_ settings: PrinterSettings, _ context: Context) throws {
    guard let job = PrintJob.enrolled(settings.job) else { throw EnvironmentFailure("there is nothing to print", isPermanent: true) }
    self.job = job
    request = job.request
    clock = context.clock
    condition = try request.condition.map { text throws(ExpressionError) in try Expression<E>(text) }
    // A table that ends is aligned when it is complete.
    records = EventRecords(request.format, fields: request.fields, isStream: !request.once)
  }

  func receive(_ events: Span<E>) {
    for i in events.indices where !isDone {
      let event = events[i]
      if request.once, !isNew(event) { continue }
      if let condition, !condition.matches(event) { continue }
      records.add(event)
      lines += 1
      if lines == request.limit { return finish() }
    }
    // Without a symbol there is one snapshot: the first event.
    if request.once, !isDone, !(E.self is any SymbolEvent.Type), lines > 0 { return finish() }
    write()
  }

  func drain() {
    guard !isDone else { return }
    records.complete()
    write()
  }

  /// Ends when the first snapshot is complete: no new symbol for a while.
  func background() async {
    guard request.once else { return }
    while !isDone {
      let deadline = (lastNews ?? clock.uptime) + request.settle
      do { try await clock.sleep(until: deadline) } catch { return }
      if let lastNews, lastNews + request.settle <= clock.uptime { finish() }
    }
  }

  private func isNew(_ event: E) -> Bool {
    guard let symbol = E.schema.symbol(of: event) else { return lines == 0 }
    guard seen.insert(symbol).inserted else { return false }
    lastNews = clock.uptime
    return true
  }

  private func finish() {
    if isDone { return }
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
