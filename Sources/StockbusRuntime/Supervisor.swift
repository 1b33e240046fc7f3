internal import EventBus
internal import Logging
internal import StockbusConfig
internal import StockbusPlugin

/// One component's lives: restarts with back-off, up to a limit that counts failures without progress between them.
struct Supervisor: Sendable {
  let node: Node
  let policy: SupervisionPolicy
  let clock: any Timekeeper
  let logger: Logger
  let notices: NoticeBoard
  let counters: CounterRegistry
  let stop: Latch
  /// Fires when the first attempt to start is over.
  let ready: Latch
  /// Those of the components that read this one.
  let readers: [Latch]

  /// Runs life after life. A source without inputs is cancelled when the run is to stop; everything else ends when its inputs
  /// do.
  func run() async -> RunReport.Fate {
    guard node.inlets.isEmpty else { return await lives() }
    return await withTaskGroup(of: RunReport.Fate?.self) { group in
      group.addTask { await lives() }
      group.addTask {
        await stop.wait()
        return nil
      }
      var fate: RunReport.Fate?
      // Whichever ends first, the other is cancelled: the lives because the run is to stop, the waiting because there is no need.
      while let ended = await group.next() {
        if let ended { fate = ended }
        group.cancelAll()
      }
      return fate ?? RunReport.Fate(id: node.id, lives: 0, outcome: .cancelled)
    }
  }

  private func lives() async -> RunReport.Fate {
    var lives = 0
    var failures = 0
    var progress = progressMade
    var errors = ErrorLog(id: node.id, logger: logger)
    func ended(_ outcome: RunReport.Fate.Outcome) -> RunReport.Fate {
      // Where it ends for good, that says how often.
      if case .failed = outcome {} else { errors.sumUp() }
      node.retire()
      return RunReport.Fate(id: node.id, lives: lives, outcome: outcome)
    }
    // Whoever reads is there first: a file that cannot be opened shows before the first event does.
    for reader in readers { await reader.wait() }
    if Task.isCancelled {
      ready.fire()
      return ended(whenCancelled)
    }
    node.whenStarted { ready.fire() }
    while true {
      lives += 1
      do {
        try await node.life()
        return ended(.completed)
      } catch {
        ready.fire()
        if isReleased { return ended(.cancelled) }
        if error is CancellationError, Task.isCancelled { return ended(whenCancelled) }
        if counters.hasNoReader {
          logger.info("\(node.id): nobody reads its output any more")
          return ended(.unread)
        }
        recover(error)
        failures = progressMade > progress ? 1 : failures + 1
        progress = progressMade
        errors.add("\(error)", attempt: lives)
        // What a failed drain held back is gone with it; a next life would find nothing to do and look well.
        let isFinal = error is DrainError || (error as? any EnvironmentError)?.isPermanent == true
        if isFinal || failures > policy.restarts { return ended(.failed("\(error)")) }
        if stop.hasFired, node.inlets.isEmpty { return ended(.completed) }
        do { try await pause(failures) } catch { return ended(whenCancelled) }
      }
    }
  }

  /// Events that came through, in any way.
  private var progressMade: Int {
    node.inlets.reduce(node.output?.published ?? 0) { sum, inlet in
      let counts = inlet.counts
      return sum + counts.delivered + counts.filtered + counts.deadLettered
    }
  }

  /// A graceful stop cancels the sources, and that is their proper end; whatever else is cancelled is cut off.
  private var whenCancelled: RunReport.Fate.Outcome { node.inlets.isEmpty && stop.hasFired && !isReleased ? .completed : .cancelled }

  private var isReleased: Bool { node.parkers.contains { $0.isReleased } }

  private func recover(_ error: any Error) {
    for inlet in node.inlets {
      if error is any EnvironmentError {
        inlet.retry()
        continue
      }
      if let letter = inlet.recover("\(error)", component: node.id, at: clock.now) { notices.post(letter) }
    }
  }

  /// The first failure after progress is retried at once: a poisoned event costs two lives and no time.
  private func pause(_ failures: Int) async throws(CancellationError) {
    guard failures > 1 else { return }
    var backoff = policy.backoff
    for _ in 2..<failures where backoff < policy.maxBackoff { backoff *= 2 }
    try await clock.sleep(for: min(backoff, policy.maxBackoff))
  }
}

/// The failures of one component in the log: the same one over and over is said once, and how often it came at 10, 100, 1,000 and so
/// on, before another one, and at the end.
private struct ErrorLog {
  let id: String
  let logger: Logger
  private var last: String?
  private var repetitions = 0

  init(id: String, logger: Logger) {
    self.id = id
    self.logger = logger
  }

  mutating func add(_ error: String, attempt: Int) {
    if error == last {
      repetitions += 1
      if isRound(repetitions) { say() }
      return
    }
    sumUp()
    last = error
    logger.error("\(id) failed: \(error)", metadata: ["attempt": "\(attempt)"])
  }

  /// Says what was kept back.
  mutating func sumUp() {
    if repetitions > 0, !isRound(repetitions) { say() }
    repetitions = 0
  }

  private func say() {
    logger.error("\(id) failed in the same way \(Ledger.grouped(repetitions)) \(repetitions == 1 ? "time" : "times") more")
  }

  /// 10, 100, 1,000 …
  private func isRound(_ n: Int) -> Bool {
    var n = n
    while n > 9, n % 10 == 0 { n /= 10 }
    return n == 1 && repetitions > 1
  }
}
