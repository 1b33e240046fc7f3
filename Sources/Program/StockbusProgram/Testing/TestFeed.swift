import EventBus
import StockbusPlugin

extension Plugin {
  /// Takes the place of a source in a test; a configuration cannot name it.
  static let testFeed = Plugin(
    "test_feed", "Sends the events that a test gives a source.", TestFeedPlugin.self,
    hot: [.relay(TestFeed<Trade>.self), .relay(TestFeed<Quote>.self), .relay(TestFeed<Bar>.self)])
}

enum TestFeedPlugin: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .relay(TestFeed<E>.self) }
}

/// Sends the events that a test gives a source, each when the run's clock has reached its receipt, with the faults of the test.
actor TestFeed<E: Event>: Source, Sink, BackgroundComponent {
  typealias Input = E
  typealias Output = E

  /// An event and the columns beside it.
  private typealias Row = (event: E, row: [Int64])

  private enum Step: Sendable {
    case send(Row)
    /// What has been received so far is to be sent, and nothing comes before the clock moves.
    case wait
  }

  private let context: Context
  private let script: TestScript
  private let faults: [TestFault]
  /// The clock is set during the test, and what comes is received at its time.
  private let isReceivedNow: Bool
  private let (steps, arrivals) = AsyncStream<Step>.makeStream()
  private let arrears: Guarded<Arrears>

  /// What is not lost when the source crashes, as it is outside of it.
  private struct Arrears {
    /// How many of the events in unfinished batches were taken. These come again after a crash.
    var taken = 0
    /// What comes at the end of a fault, and that fault.
    var held: [Row] = []
    var holding: TestFault?
  }

  static func columns(_: NoOptions, reading columns: ColumnLayout) -> ColumnLayout { columns }

  init(_ settings: NoOptions, _ context: Context) {
    self.context = context
    script = context.services[TestScript.self]
    faults = script.faults.filter { $0.component == context.id && $0.kind.isOfSource }
    isReceivedNow = script.faults.contains { if case .clock = $0.kind { true } else { false } }
    let key = MemoryKey<Guarded<Arrears>>("arrears", whenOptionsChange: .keep)
    arrears = context.recall(key) ?? Guarded(Arrears())
    context.remember(arrears, key)
  }

  // MARK: In

  func receive(_ events: Span<E>) async throws {
    let known = arrears.withLock { $0.taken }
    for i in min(known, events.count)..<events.count {
      let moment = script.moment(of: E.schema.receipt(of: events[i]))
      try await release(if: { moment >= $0.until })
      if script.isTimed { try await wait(until: moment) }
      var row: [Int64] = []
      context.columns.copyRow(i, to: &row)
      take((events[i], row), at: moment)
      arrears.withLock { $0.taken = i + 1 }
    }
    arrears.withLock { $0.taken -= events.count }
  }

  private func take(_ row: Row, at moment: Duration) {
    let kinds = Set(faults.filter { $0.isOn(at: moment) }.map(\.kind))
    if kinds.contains(.disconnect) { return }
    if kinds.contains(.malformed) {
      var text = ByteWriter(capacity: 256)
      EventEncoder<E>(columns: context.columns.layout).encodeJSON(row.event, row: row.row, to: &text)
      return context.reject(
        text.string, origin: "the test", reason: "malformed by a fault of the test", symbol: E.schema.symbol(of: row.event))
    }
    let times = kinds.contains(.duplicate) ? 2 : 1
    if let fault = faults.first(where: { $0.isOn(at: moment) && ($0.kind == .stall || $0.kind == .reorder) }) {
      arrears.withLock {
        $0.holding = fault
        for _ in 0..<times { $0.held.append(row) }
      }
    } else {
      for _ in 0..<times { send(row, isLate: isReceivedNow) }
    }
  }

  /// Sends what a fault holds back, at its end, if that is due.
  private func release(if isDue: (TestFault) -> Bool) async throws {
    guard let fault = arrears.withLock({ $0.holding }), isDue(fault) else { return }
    if script.isTimed { try await wait(until: fault.until) }
    let held = arrears.withLock { arrears in
      defer { (arrears.holding, arrears.held) = (nil, []) }
      return arrears.held
    }
    for row in fault.kind == .reorder ? held.reversed() : held { send(row, isLate: true) }
  }

  private func send(_ row: Row, isLate: Bool) {
    var row = row
    if isLate { E.schema.receive(&row.event, at: context.clock.now) }
    arrivals.yield(.send(row))
  }

  private func wait(until moment: Duration) async throws {
    let deadline = moment + TestScript.lead
    if deadline <= context.clock.uptime { return }
    arrivals.yield(.wait)
    try await context.clock.sleep(until: deadline)
  }

  func drain() async throws {
    try await release(if: { _ in true })
    if script.isTimed { try await wait(until: script.end) }
    arrivals.finish()
  }

  func stop() { arrivals.finish() }

  /// Shows that the source is disconnected or stalled, as long as it is.
  func background() async {
    for fault in faults.sorted(by: { $0.from < $1.from }) where fault.kind == .disconnect || fault.kind == .stall {
      let (from, until) = (fault.from + TestScript.lead, fault.until + TestScript.lead)
      if until <= context.clock.uptime { continue }
      let reason = fault.kind == .disconnect ? "disconnected by a fault of the test" : "stalled by a fault of the test"
      if (try? await context.clock.sleep(until: from)) == nil { return }
      if fault.kind == .disconnect { context.connection(.disconnected, reason) }
      context.report(trouble: reason)
      if (try? await context.clock.sleep(until: until)) == nil { return }
      if fault.kind == .disconnect { context.connection(.connected, "the fault of the test is over") }
      context.report(trouble: nil)
    }
  }

  // MARK: Out

  func run(into output: inout Outlet<E>) async throws {
    var isIdle = false
    for await step in steps {
      switch step {
      case .send(let (event, row)): output.send([event].span, rows: row.span)
      case .wait:
        try await output.flush()
        // From now on time passes for the readers, also if nothing more comes.
        if !isIdle { output.beginIdle() }
        isIdle = true
      }
    }
    try Task.checkCancellation()
    try await output.flush()
  }
}
