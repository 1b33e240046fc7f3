internal import StockbusFiles
internal import StockbusHistory
internal import StockbusInstruments
public import StockbusPlugin
internal import StockbusTrading

extension Plugin {
  /// Trades without money.
  public static let paperBroker = Plugin(
    "paper_broker", "Trades on paper: fills orders at the prices of its inputs, and keeps accounts, positions and fees.",
    .processor(PaperBroker.self)
  )
  .readable(inParts: [OrdersPart.self, FillsPart.self, PositionsPart.self, AccountsPart.self])
  .example("accounts: [{ name: paper, deposit: 100000 }]")
}

/// Fills paper orders at the prices that come, and books them. The rules are those of `Broker`.
///
/// Orders come by an input of `order` events, or by commands. All inputs come in one order, so a replay gives the same fills each time. With
/// a file every change is in it, and on the disk, before it is published or a command is answered. After a restart the broker goes on with
/// what the file has; events that were booked before are passed over, so a recording may be replayed from its beginning.
///
/// While nothing can be written, as on a full disk, because of another program's lock, or because the file is not at its path any more, the
/// inputs wait as `Patience` says, and commands are refused.
package actor PaperBroker: SettlingProcessor, BackgroundComponent, CommandableComponent {
  package typealias Output = BrokerRecord

  private let executor = BlockingExecutor(label: "paper_broker")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let settings: PaperBrokerSettings
  private let context: Context
  private(set) var desk: Desk
  private(set) var book: TradingBook?
  private let writing: PatientWriting
  /// True if the file is looked for although nothing is to be saved.
  private var isEnding = false
  private var hasStopped = false
  private let passedOver: Counter
  /// True if an event was used.
  private var hasTaken = false
  /// While the book is ahead of the machine's clock: the kinds of events that have come. The first of each shows whether it is live.
  private var kindsAhead: Set<String>?

  package static var handlers: [InputHandler<PaperBroker>] {
    [
      InputHandler(Trade.self) { owner, trades, output in owner.process(trades, into: &output) { $0.take(trade: $1, into: &$2) } },
      InputHandler(Quote.self) { owner, quotes, output in owner.process(quotes, into: &output) { $0.take(quote: $1, into: &$2) } },
      InputHandler(Order.self) { owner, orders, output in
        owner.process(orders, into: &output) { broker, order, outcomes in broker.take(request: order, into: &outcomes) }
      },
    ]
  }

  package static func withoutEffects(_ settings: PaperBrokerSettings) -> PaperBrokerSettings {
    var settings = settings
    settings.path = nil
    return settings
  }

  package init(_ settings: PaperBrokerSettings, _ context: Context) throws {
    self.settings = settings
    self.context = context
    writing = PatientWriting(settings.patience, context)
    desk = Desk(settings, context.instruments)
    passedOver = context.counter("passed over", "Events that were not used, because the file is booked up to after their receipt.")
  }

  package func start() async throws {
    if let path = settings.path {
      try await writing.insist(mayPass: { $0.mayPass }) { () throws(HistoryError) in book = try TradingBook(path, files: context.files) }
    }
    do {
      let saved = try book?.load() ?? (settings.path == nil ? context.recall(Self.kept) : nil)
      if let saved {
        for remark in Desk.remarks(on: settings, after: saved) { context.logger.warning("\(remark)") }
        try desk.restore(settings, from: saved, mayRepeat: settings.path != nil || context.recall(Self.isExact) != true)
        warnOfFuture()
      }
    } catch let error as HistoryError {
      throw EnvironmentFailure("\(error)", isPermanent: error.isPermanent)
    } catch let error as BrokerError { throw EnvironmentFailure("\(error)", isPermanent: true) }
    if settings.accounts.contains(where: { $0.slippage > 0 }), context.instruments.all.allSatisfy({ $0.tickSize == nil }) {
      context.logger.warning("'slippage' has no effect: it is in ticks, and no instrument has a 'tick_size'")
    }
    try await save()
  }

  package func keepMemory() { remember(isExact: true) }

  private func remember(isExact: Bool) {
    guard settings.path == nil, desk.hasBegun else { return }
    context.remember(desk.state(), Self.kept)
    context.remember(isExact, Self.isExact)
  }

  package func stop() {
    hasStopped = true
    remember(isExact: context.goesOnInAnotherRun)
    do { try book?.close() } catch { context.logger.error("\(error)") }
    book = nil
  }

  /// Without a file: the state that the next instance goes on with.
  private static var kept: MemoryKey<SavedTrading> { MemoryKey("desk", whenOptionsChange: .keep) }
  /// True if none of the events that have made that state comes again.
  private static var isExact: MemoryKey<Bool> { MemoryKey("exact", whenOptionsChange: .keep) }

  // MARK: Events

  private func process<E: Event>(
    _ events: Span<E>, into output: inout Outlet<BrokerRecord>, _ take: (inout Broker, E, inout Outcomes) -> Void
  ) {
    if events.isEmpty { return }
    let first = E.schema.receipt(of: events[0])
    if kindsAhead != nil { look(atFirst: E.eventName, received: first) }
    let count = desk.process(events, take)
    if count < events.count { hasTaken = true }
    if count > 0 { passOver(count, from: first) }
    output.filter(count)
  }

  private func passOver(_ count: Int, from first: Timestamp) {
    if passedOver.total == 0, let path = settings.path {
      context.logger.notice(
        "\(shown(path)) is booked up to \(desk.booked.time): what was received before is passed over, from \(first) on; to begin anew, remove the file"
      )
    }
    passedOver.add(count)
  }

  // MARK: A wrong clock

  /// Warns of a book whose time has not come yet.
  private func warnOfFuture() {
    let lead = desk.booked.time.ns.subtractingSaturating(context.clock.now.ns)
    if lead <= 0 { return }
    kindsAhead = []
    guard lead > EventClock.tolerance, let path = settings.path else { return }
    context.logger.warning(
      "\(shown(path)) is booked up to \(desk.booked.time), which is \(Duration.nanoseconds(lead).roughText) ahead of this machine's clock: live prices are used at once, a recording is passed over up to then; to begin anew, remove the file"
    )
  }

  /// An event that was received just now is live: it cannot have been booked by an earlier run, whose clock was ahead.
  private func look(atFirst kind: String, received: Timestamp) {
    guard kindsAhead?.insert(kind).inserted == true else { return }
    let distance = received.ns.subtractingSaturating(context.clock.now.ns)
    if distance.magnitude > EventClock.tolerance.magnitude { return }
    kindsAhead = nil
    desk.setBack(to: received)
  }

  package var due: Timestamp? { desk.due }

  package func advance(to time: Timestamp, into output: inout Outlet<BrokerRecord>) { desk.advance(to: time) }

  package func drain(into output: inout Outlet<BrokerRecord>) {
    isEnding = true
    desk.valueNow()
    let named = desk.named
    context.noteMissing(named.unpriced, cameInstead: named.priced)
    if passedOver.total > 0, !hasTaken, let path = settings.path {
      context.note("nothing was traded: all events were received before \(desk.booked.time), up to which \(shown(path)) is booked")
    }
  }

  package func handOver(into output: inout Outlet<BrokerRecord>) { isEnding = true }

  /// Saves what has changed, and then publishes it.
  package func settle(into output: inout Outlet<BrokerRecord>) async throws {
    if desk.hasUnsaved || isEnding { try await save() }
    desk.publish(into: &output)
  }

  /// Saves what has changed, however long that takes within `patience`.
  private func save() async throws {
    do throws(EnvironmentFailure) {
      try await writing.insist(mayPass: { $0.mayPass }) { () throws(HistoryError) in try attempt() }
    } catch {
      // For good: another instance would book what comes next, and the file would say that the events before are booked too. The next run
      // goes on with them.
      context.lose(desk.unsaved.count, "\(error)")
      throw error
    }
  }

  /// Saves what has changed. After an error all of it is still unsaved.
  private func attempt() throws(HistoryError) {
    for problem in desk.takeProblems() { context.logger.error("\(problem)") }
    let book = book
    if !desk.hasUnsaved { return try checkBook() }
    try desk.save { records, instruments, position throws(HistoryError) in
      try book?.write(records.lazy.map(\.content), instruments, position: position)
    }
  }

  /// Throws if the file has gone, or still cannot be written after a failure.
  private func checkBook() throws(HistoryError) { try writing.trouble == nil ? book?.checkPlace() : book?.probe() }

  /// Notices soon that the file has gone, or can be written again, also where nothing is to be saved.
  package func background() async {
    if book == nil { return }
    while (try? await context.clock.sleep(for: .seconds(1))) != nil {
      guard !writing.isWaiting, book != nil else { continue }
      do throws(HistoryError) {
        try checkBook()
        writing.succeeded()
      } catch { writing.failed("\(error)", mayPass: error.mayPass) }
    }
  }

  // MARK: Requests

  /// Does what is asked, and saves it before anybody hears of it, or does nothing. What is not kept has not happened.
  func kept<Answer>(_ body: (inout Desk, Timestamp) throws(CommandError) -> Answer) throws(CommandError) -> Answer {
    try checkRunning()
    // A batch may wait for its next attempt although the file can be written again.
    if writing.isWaiting { try keep() }
    let before = book == nil ? nil : desk
    let answer = try body(&desk, context.clock.now)
    do throws(CommandError) { try keep() } catch {
      if let before { desk = before }
      throw error
    }
    context.requestAdvance()
    return answer
  }

  /// Saves what has changed, at once or not at all. Where nothing has changed, this says nothing of whether writing works again.
  private func keep() throws(CommandError) {
    do throws(HistoryError) {
      if !desk.hasUnsaved { return try book?.checkPlace() ?? () }
      try attempt()
      writing.succeeded()
    } catch {
      if !error.mayPass { throw CommandError("not done: \(error)") }
      writing.failed("\(error)", mayPass: error.mayPass)
      throw .busy("not done: \(error); try again later")
    }
  }

  /// Who has found the door before the end may come in after it, when nothing is kept any more.
  func checkRunning() throws(CommandError) { if hasStopped { throw .notRunning(context.id) } }
}
