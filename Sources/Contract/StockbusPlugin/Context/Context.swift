public import EventBus
public import Logging
public import MarketData

/// The runtime's interface for a component. It outlives the component's instances.
public struct Context: Sendable {
  /// What all components of a run have in common.
  package struct Shared: Sendable {
    package let clock: any Timekeeper
    package let logger: Logger
    /// The run's seed.
    package let seed: UInt64
    let notices: any NoticePublisher
    package var run: any RunView = NoRun()
    package var waiting = Waiting()
    package var symbolLimit = SymbolIntake.usualLimit
    package var zone = DisplayZone.utc
    package var files = RunFiles()
    package var services = Services()
    /// Lets the watermarks of live sources follow the clock; nil if the run has no such clock.
    package var watermarkClock: WatermarkClock?
    /// Nil if what components remember ends with the run.
    package var receipts: (any Receipts)?
    /// From when on the events of the run are complete; nil if all of them are that were received before its start.
    package var completeSince: Timestamp?
    /// False if the run before was killed, and may have written files behind what it has left.
    package var followsEndedRun = true

    package init(clock: any Timekeeper, logger: Logger, seed: UInt64, notices: any NoticePublisher) {
      self.clock = clock
      self.logger = logger
      self.seed = seed
      self.notices = notices
    }
  }

  /// The component's name in the configuration.
  public let id: String
  /// A logger that adds `component=id` to each line.
  public let logger: Logger
  /// The component's own seed, derived from the run's seed and the component's name.
  public let seed: UInt64
  /// An executor for parts of a component's work that may run in parallel, as tasks that prefer it: an idle worker takes them at once. Nil
  /// if the run has no threads of its own; tasks then run on Swift's pool.
  public let helpers: (any TaskExecutor)?
  /// Creates symbols from outside names, and refuses more new ones than `symbols_per_source` allows.
  public let symbols: SymbolIntake
  /// The columns beside the events that it reads; none where its inputs have none.
  public private(set) var columns = BatchColumns()
  /// The time that the component has worked.
  package let busy: BusyTime
  private let shared: Shared
  private let counters: CounterRegistry
  private let reportTrouble: @Sendable (String?) -> Void
  @usableFromInline package let memory = Memory()
  @usableFromInline let nudge = Nudge()
  /// The component's output, for a relay that passes time on.
  let output = Guarded((any AnyTopic)?.none)

  package init(
    id: String, _ shared: Shared, counters: CounterRegistry = CounterRegistry(), helpers: (any TaskExecutor)? = nil,
    busy: BusyTime = BusyTime(), reportTrouble: @escaping @Sendable (String?) -> Void = { _ in }
  ) {
    self.id = id
    self.shared = shared
    self.counters = counters
    self.helpers = helpers
    self.busy = busy
    self.reportTrouble = reportTrouble
    var own = shared.logger
    own[metadataKey: "component"] = "\(id)"
    let logger = own
    self.logger = logger
    seed = shared.seed ^ RandomStream.hash(id)
    let symbolLimit = shared.symbolLimit
    symbols = SymbolIntake(limit: symbolLimit) { refusal in
      // Logged once; later dead letters are only counted.
      let text =
        switch refusal {
        case .limit:
          "'\(id)' has sent \(symbolLimit) different symbols, its limit; events of further symbols become dead letters ('symbols_per_source' in 'runtime' sets the limit)"
        case .table:
          "there are \(Symbol.limit - 1) different symbols, the limit; events of further symbols from '\(id)' become dead letters"
        }
      logger.error("\(text)")
      counters.note(text)
    }
  }

  /// The same for an instance that reads these columns.
  func reading(_ columns: BatchColumns) -> Context {
    var copy = self
    copy.columns = columns
    return copy
  }

  public var clock: any Timekeeper { shared.clock }
  /// A view of the run that the component belongs to.
  public var run: any RunView { shared.run }
  /// The time zone for times that people read.
  public var zone: DisplayZone { shared.zone }
  /// The services that the program provides for all components of the run, such as the terminal.
  public var services: Services { shared.services }
  /// The files that the run reads. An output file is compared with them when it is opened.
  package var files: RunFiles { shared.files }
  /// How the component waits for others.
  package var waiting: Waiting { shared.waiting }
  /// Lets the watermarks of live sources follow the clock; nil if the run has no such clock.
  var watermarkClock: WatermarkClock? { shared.watermarkClock }

  /// Reproducible random numbers: the same for the same seed and component name.
  public func random(seed: UInt64? = nil) -> RandomStream { RandomStream(seed: seed ?? self.seed) }

  /// True if a component of the run works with time, or gets several inputs in the order of their receipts. Sources must then ensure that
  /// receipts never decrease.
  public var ordersReceipts: Bool { watermarkClock?.isUsed ?? true }

  /// For a `TimedRelay`: everything received up to `time` has come back and is in the output.
  public func advanceOutput(to time: Timestamp) { output.withLock { $0 }?.advance(to: time) }

  /// Requests a call of a timed component's `advance` soon, with the time reached, although no event has arrived: to send the results of a
  /// command.
  public func requestAdvance() { nudge.ask() }

  /// The counter of this name, created at its first use; shown with the ledger and exported with the metrics.
  public func counter(_ name: String, _ doc: String) -> Counter { counters.counter(name, doc) }

  /// Counts times that did not move the clock (`EventClock`); shown if there are any.
  public func count(datedAhead: Int) {
    if datedAhead <= 0 { return }
    counter("dated ahead", "Event times more than 5 s after the receipt of their event; they do not advance the component's time.").add(
      datedAhead)
  }

  /// Reports the component's progress, in units of its own choice such as bytes of a file; `total` is nil if the end is not known. Cheap
  /// enough for a call per batch.
  public func report(progress done: Int, of total: Int?) { counters.progress.report(done, of: total) }

  /// Reports why the component cannot work at present, such as `the disk is full`; nil means that it works again. Meanwhile it is shown as
  /// degraded, with this reason. The end of the instance ends the report too.
  public func report(trouble reason: String?) { reportTrouble(reason?.cut(toBytes: 512)) }

  /// Reports that `count` taken events could not be kept. They are logged and counted in the ledger, and the program ends with status 1.
  public func lose(_ count: Int, _ reason: String) {
    if count <= 0 || counters.hasNoReader { return }
    counters.lost.add(count)
    logger.error("\(count) \(count == 1 ? "event" : "events") lost: \(reason)")
  }

  /// Reports that standard output has lost its reader, as in `stockbus run … | head`. An error that the component throws next counts as its
  /// regular end, unwritten output is not a loss, and the run stops.
  public func noteLostReader() { counters.noteLostReader() }

  /// Adds a line under the ledger at the end of the run, to explain figures that may surprise, such as `'APPL' never came; did you mean
  /// 'AAPL'?`. The same line counts once; at most 16 lines of at most 512 bytes are kept.
  public func note(_ text: String) { counters.note(text) }

  /// Adds a note for each of these symbols that did not arrive, with the symbol that was probably meant.
  package func noteMissing(_ symbols: some Sequence<String>, cameInstead came: some Collection<String>) {
    for sentence in MissingSymbols.sentences(symbols, cameInstead: came, rejected: shared.notices.rejected.names) { note(sentence) }
  }

  /// Adds a note for each named symbol that did not arrive, with the symbol that was probably meant.
  public func note(_ expectedSymbols: ExpectedSymbols) {
    if expectedSymbols.isComplete { return }
    for sentence in expectedSymbols.sentences(rejected: shared.notices.rejected.names) { note(sentence) }
  }

  /// Keeps a value for the next instance. Values that only this instance needs belong in the actor's properties. If a call of a processor
  /// without waits throws, the values that it has remembered are discarded with the events that it has sent.
  public func remember<Value>(_ value: Value, _ key: MemoryKey<Value>) { memory[key] = value }

  /// The value that an earlier instance has kept; nil if there is none.
  public func recall<Value>(_ key: MemoryKey<Value>) -> Value? {
    memory.read(key) { reason in logger.warning("'\(key.name)' begins anew: what an earlier run has left cannot be used, as \(reason)") }
  }

  /// True if what is remembered outlives the run.
  package var isRemembered: Bool { shared.receipts != nil }

  /// Nil if nothing outlives the run.
  package var receipts: (any Receipts)? { shared.receipts }

  /// False if what is recalled was kept while a run went on that was then killed.
  package var followsEndedRun: Bool { shared.followsEndedRun }

  /// From when on the events are complete: what began earlier is not known as a whole.
  package var completeSince: Timestamp { shared.completeSince ?? clock.now }

  /// True in `handOver` if the next instance belongs to another run, with the same options.
  package var goesOnInAnotherRun: Bool { memory.isForAnotherRun }

  /// Rejects a piece of outside input that cannot be processed: it is counted, logged, and published as a dead letter.
  ///
  /// `origin` is its place, such as `ticks.csv:17`; at most `DeadLetter.textLimit` bytes of each text are kept. `symbol` is the input's
  /// symbol, if it could be read: a component that misses the symbol can then report where it arrived.
  public func reject(_ payload: String, origin: String, reason: String, symbol: Symbol? = nil) {
    if let symbol { shared.notices.rejected.add(symbol) }
    shared.notices.post(DeadLetter(component: id, origin: origin, sequence: 0, reason: reason, payload: payload, time: clock.now))
  }

  /// Reports the state of the component's connection, which is logged and published as a `ConnectionStatus` for readers of `connections`.
  /// Report every change once.
  public func connection(_ state: ConnectionStatus.State, _ reason: String) {
    shared.notices.post(ConnectionStatus(component: id, state: state, reason: reason.cut(toBytes: 512), time: clock.now))
  }

  /// Reports a break in a venue's sequence numbers, which is counted and published for readers of `gaps`.
  public func gap(in stream: String, expected: Int64, got: Int64) {
    shared.notices.post(Gap(component: id, stream: stream.cut(toBytes: 512), expected: expected, got: got, time: clock.now))
  }
}
