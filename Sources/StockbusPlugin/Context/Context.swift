public import EventBus
public import Logging

/// What the runtime gives a component. Everything outlives the component's lives.
public struct Context: Sendable {
  /// The component's name in the configuration.
  public let id: String
  public let clock: any Timekeeper
  /// Says `component=id` by itself.
  public let logger: Logger
  /// The component's own seed: the run's seed and the component's name.
  public let seed: UInt64
  private let counters: CounterRegistry
  private let deadLetters: any DeadLetterOffice
  private let memory = LifeMemory()

  public init(
    id: String, clock: any Timekeeper, logger: Logger, runSeed: UInt64, counters: CounterRegistry, deadLetters: any DeadLetterOffice
  ) {
    self.id = id
    self.clock = clock
    self.logger = logger
    self.counters = counters
    self.deadLetters = deadLetters
    seed = runSeed ^ RandomStream.hash(id)
  }

  /// Reproducible random numbers: the same for the same seed and component name.
  public func random(seed: UInt64? = nil) -> RandomStream { RandomStream(seed: seed ?? self.seed) }

  /// The counter of this name, made at its first use; shown with the ledger and exported with the metrics.
  public func counter(_ name: String, _ doc: String) -> Counter { counters.counter(name, doc) }

  /// Says how far the component has come, in units of its own choice such as bytes of a file; nil where the end is not known.
  /// Cheap enough for once a run.
  public func report(progress done: Int, of total: Int?) { counters.progress.report(done, of: total) }

  /// Says that `count` events which were taken could not be kept after all: logged, counted in the ledger, and the run ends with
  /// status 1.
  public func lose(_ count: Int, _ reason: String) {
    if count <= 0 { return }
    counters.lost.add(count)
    logger.error("\(count) events lost: \(reason)")
  }

  /// Keeps a value for the component's next life; for the present one's fields an actor has properties.
  public func remember<Value: Sendable>(_ value: Value, _ key: String) { memory[key] = value }

  /// What an earlier life kept; nil in the first.
  public func recall<Value: Sendable>(_: Value.Type = Value.self, _ key: String) -> Value? { memory[key] as? Value }

  /// Sets a piece of outside input aside that cannot be worked with: counted, logged, and published as a dead letter.
  ///
  /// `origin` is its place, such as `ticks.csv:17`; at most 512 bytes of `payload` are kept.
  public func reject(_ payload: String, origin: String, reason: String) {
    deadLetters.post(
      DeadLetter(
        component: id, origin: origin, sequence: 0, reason: reason, payload: payload.cut(toBytes: 512), time: clock.now))
  }
}

/// Where dead letters go.
public protocol DeadLetterOffice: Sendable {
  /// Never waits; where the letters come faster than anybody reads them, they are counted without being kept.
  func post(_ letter: DeadLetter)
}

extension String {
  func cut(toBytes limit: Int) -> String {
    if utf8.count <= limit { return self }
    var end = utf8.index(startIndex, offsetBy: limit)
    while end > startIndex, String.Index(end, within: self) == nil { end = utf8.index(before: end) }
    return String(self[..<end]) + "…"
  }
}
