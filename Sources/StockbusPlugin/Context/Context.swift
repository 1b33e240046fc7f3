public import EventBus
public import Logging
public import MarketData

/// What the runtime gives a component. Everything outlives its instances.
public struct Context: Sendable {
  /// The component's name in the configuration.
  public let id: String
  public let clock: any Timekeeper
  /// Says `component=id` by itself.
  public let logger: Logger
  /// The component's own seed: the run's seed and the component's name.
  public let seed: UInt64
  /// The run it belongs to.
  public let run: any RunView
  /// For parts of a component's work that may run beside it, as tasks that prefer it: whoever has nothing to do takes them at
  /// once. Nil where the run has no threads of its own; tasks then run on Swift's pool.
  public let helpers: (any TaskExecutor)?
  /// Makes symbols of the names that the component brings from outside, and refuses more than one source may bring.
  public let symbols: SymbolIntake
  /// Where times that people read are shown.
  public let zone: DisplayZone
  /// What the run reads: an output is compared with it when it is opened.
  public let files: RunFiles
  /// What the maker of the run has provided for all components, such as the terminal.
  public let services: Services
  /// How its component waits for others.
  @usableFromInline let waiting: Waiting
  private let counters: CounterRegistry
  private let notices: any NoticePublisher
  let memory = Memory()

  public init(
    id: String, clock: any Timekeeper, logger: Logger, runSeed: UInt64, counters: CounterRegistry, notices: any NoticePublisher,
    run: any RunView = NoRun(), waiting: Waiting = Waiting(), helpers: (any TaskExecutor)? = nil,
    symbolLimit: Int = SymbolIntake.usualLimit, zone: DisplayZone = .utc, files: RunFiles = RunFiles(),
    services: Services = Services()
  ) {
    self.id = id
    self.waiting = waiting
    self.helpers = helpers
    self.zone = zone
    self.files = files
    self.services = services
    self.run = run
    self.clock = clock
    self.logger = logger
    self.counters = counters
    self.notices = notices
    seed = runSeed ^ RandomStream.hash(id)
    symbols = SymbolIntake(limit: symbolLimit) { refusal in
      // Said once: what follows of it, a dead letter each, is counted.
      let text =
        switch refusal {
        case .limit:
          "'\(id)' has brought \(symbolLimit) different symbols, its limit; events of further ones are set aside ('symbols_per_source' in 'runtime' sets the limit)"
        case .table:
          "there are \(Symbol.limit - 1) different symbols, as many as there can be; events of further ones from '\(id)' are set aside"
        }
      logger.error("\(text)")
      counters.note(text)
    }
  }

  /// Reproducible random numbers: the same for the same seed and component name.
  public func random(seed: UInt64? = nil) -> RandomStream { RandomStream(seed: seed ?? self.seed) }

  /// The counter of this name, made at its first use; shown with the ledger and exported with the metrics.
  public func counter(_ name: String, _ doc: String) -> Counter { counters.counter(name, doc) }

  /// Counts times that moved no clock (`EventClock`); shown where there were any.
  public func count(datedAhead: Int) {
    if datedAhead <= 0 { return }
    counter("dated ahead", "Times more than 5 s beyond the receipt of their event, which moved no clock.").add(datedAhead)
  }

  /// Says how far the component has come, in units of its own choice such as bytes of a file; nil where the end is not known.
  /// Cheap enough for once a run.
  public func report(progress done: Int, of total: Int?) { counters.progress.report(done, of: total) }

  /// Says that `count` events which were taken could not be kept after all: logged, counted in the ledger, and the run ends with
  /// status 1.
  public func lose(_ count: Int, _ reason: String) {
    if count <= 0 || counters.hasNoReader { return }
    counters.lost.add(count)
    logger.error("\(count) events lost: \(reason)")
  }

  /// Says that nobody reads standard output any more, as in `stockbus run … | head`: what the component throws next is its proper end,
  /// what it could not write is no loss, and the run stops.
  public func readerHasGone() { counters.readerHasGone() }

  /// Leaves a line for the end of the run, shown under the ledger: what somebody should know who wonders about the figures, such as
  /// `'APPL' never came; did you mean 'AAPL'?`. The same line counts once; 16 of at most 512 bytes are kept.
  public func note(_ text: String) { counters.note(text) }

  /// Leaves a note for each of these symbols that is not among those that came, with the one that was probably meant.
  public func noteMissing(_ symbols: some Sequence<String>, cameInstead came: some Collection<String>) {
    for sentence in MissingSymbols.sentences(symbols, cameInstead: came, rejected: notices.rejected.names) { note(sentence) }
  }

  /// Leaves a note for each symbol that was named and never came, with the one that was probably meant.
  public func note(_ expectedSymbols: ExpectedSymbols) {
    if expectedSymbols.isComplete { return }
    for sentence in expectedSymbols.sentences(rejected: notices.rejected.names) { note(sentence) }
  }

  /// Keeps a value for the instance after this one; for its own fields an actor has properties.
  public func remember<Value>(_ value: Value, _ key: MemoryKey<Value>) { memory[key] = value }

  /// What an earlier instance has kept; nil in the first.
  public func recall<Value>(_ key: MemoryKey<Value>) -> Value? { memory[key] }

  /// Sets a piece of outside input aside that cannot be worked with: counted, logged, and published as a dead letter.
  ///
  /// `origin` is its place, such as `ticks.csv:17`; at most `DeadLetter.textLimit` bytes of each text are kept. `symbol` is what it is
  /// about, where that could be read: a component that waits for it in vain says why.
  public func reject(_ payload: String, origin: String, reason: String, symbol: Symbol? = nil) {
    if let symbol { notices.rejected.add(symbol) }
    notices.post(DeadLetter(component: id, origin: origin, sequence: 0, reason: reason, payload: payload, time: clock.now))
  }

  /// Says what became of the component's connection to the world: logged, and published as a `ConnectionStatus` for whoever reads
  /// `connections`. Say every change once.
  public func connection(_ state: ConnectionStatus.State, _ reason: String) {
    notices.post(ConnectionStatus(component: id, state: state, reason: reason.cut(toBytes: 512), time: clock.now))
  }

  /// Says that a venue's numbers do not follow each other: counted, and published for whoever reads `gaps`.
  public func gap(in stream: String, expected: Int64, got: Int64) {
    notices.post(Gap(component: id, stream: stream.cut(toBytes: 512), expected: expected, got: got, time: clock.now))
  }
}
