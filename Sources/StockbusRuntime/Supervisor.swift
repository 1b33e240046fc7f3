internal import EventBus
internal import Logging
internal import StockbusConfig
internal import StockbusPlugin

/// The instances of one component with one set of options: restarts with back-off, up to a limit that counts failures without progress
/// between them. Ends with the component, or where instances with other options are to go on.
struct Supervisor: Sendable {
  /// Why it has ended.
  enum Departure: Sendable {
    case ended(RunReport.Fate.Outcome)
    /// The slot is free for others.
    case handedOver
    /// On trial: the first instance did not start, for this reason.
    case refused(String)
  }

  let slot: Slot
  let assembly: Blueprint.Assembly
  let policy: SupervisionPolicy
  let clock: any Timekeeper
  let logger: Logger
  let notices: RunTopics
  let counters: CounterRegistry
  /// The run is to stop.
  let stop: Latch
  /// Instances with other options are to go on.
  let leave: Latch
  /// Fires when the first attempt to start is over.
  let ready: Latch
  /// Those of the components that read this one.
  let readers: [Latch]
  /// True where the component ran before with other options: one that does not start then leaves at once.
  var isOnTrial = false
  /// Called when the first instance has started.
  var started: @Sendable () -> Void = {}

  private var isSource: Bool { slot.ports.isEmpty }

  /// Runs instance after instance; returns why no further one follows, and how many there were. A source without inputs is cancelled when it
  /// is to end; everything else ends when its inputs do, or is quiesced.
  func run() async -> (departure: Departure, lives: Int) {
    guard isSource else { return await lives() }
    return await withTaskGroup(of: (Departure, Int)?.self) { group in
      group.addTask { await lives() }
      group.addTask {
        await stop.wait()
        return nil
      }
      group.addTask {
        await leave.wait()
        return nil
      }
      var departure: (Departure, Int)?
      // Whichever ends first, the others are cancelled: the lives because they are to end, the waiting because there is no need.
      while let ended = await group.next() {
        if let ended { departure = ended }
        group.cancelAll()
      }
      return departure ?? (.ended(.cancelled), 0)
    }
  }

  private func lives() async -> (Departure, Int) {
    var lives = 0
    var failures = 0
    var progress = progressMade
    var errors = ErrorLog(id: slot.id, logger: logger)
    func ended(_ outcome: RunReport.Fate.Outcome) -> (Departure, Int) {
      // Where it ends for good, that says how often.
      if case .failed = outcome {} else { errors.sumUp() }
      slot.retire()
      return (.ended(outcome), lives)
    }
    func handedOver() -> (Departure, Int) {
      errors.sumUp()
      return (.handedOver, lives)
    }
    // Whoever reads is there first: a file that cannot be opened shows before the first event does.
    for reader in readers { await reader.wait() }
    if Task.isCancelled {
      ready.fire()
      return isLeaving ? handedOver() : ended(whenCancelled)
    }
    let hasStarted = Latch()
    slot.whenStarted {
      hasStarted.fire()
      ready.fire()
      started()
    }
    while true {
      lives += 1
      do {
        return try await slot.run(assembly) == .handedOver ? handedOver() : ended(.completed)
      } catch {
        ready.fire()
        if slot.isCutOff { return ended(.cancelled) }
        if error is CancellationError, Task.isCancelled { return isLeaving ? handedOver() : ended(whenCancelled) }
        if counters.hasNoReader {
          logger.info("\(slot.id): nobody reads its output any more")
          return ended(.unread)
        }
        if isOnTrial, !hasStarted.hasFired { return (.refused("\(error)"), lives) }
        recover(error)
        failures = progressMade > progress ? 1 : failures + 1
        progress = progressMade
        errors.add("\(error)", attempt: lives)
        // What a failed drain held back is gone with it; a next life would find nothing to do and look well.
        let isFinal = error is DrainError || (error as? any EnvironmentError)?.isPermanent == true
        if isFinal || failures > policy.restarts { return ended(.failed("\(error)")) }
        if stop.hasFired, isSource { return ended(.completed) }
        do { try await pause(failures) } catch { return isLeaving ? handedOver() : ended(whenCancelled) }
        // Others are to try it.
        if isLeaving { return handedOver() }
      }
    }
  }

  private var isLeaving: Bool { leave.hasFired && !stop.hasFired && !slot.isCutOff }

  /// Events that came through, in any way.
  private var progressMade: Int {
    slot.ports.reduce(slot.output?.published ?? 0) { sum, port in
      let counts = port.counts
      return sum + counts.delivered + counts.filtered + counts.deadLettered
    }
  }

  /// A graceful stop cancels the sources, and that is their proper end; whatever else is cancelled is cut off.
  private var whenCancelled: RunReport.Fate.Outcome { isSource && stop.hasFired && !slot.isCutOff ? .completed : .cancelled }

  private func recover(_ error: any Error) {
    for port in slot.ports {
      if error is any EnvironmentError {
        port.inlet.retry()
        continue
      }
      if let letter = port.inlet.recover("\(error)", component: slot.id, at: clock.now) { notices.post(letter) }
    }
  }

  /// The first failure after progress is retried at once: a poisoned event costs two lives and no time. Over at once where others are to
  /// go on.
  private func pause(_ failures: Int) async throws(CancellationError) {
    guard failures > 1 else { return }
    var backoff = policy.backoff
    for _ in 2..<failures where backoff < policy.maxBackoff { backoff *= 2 }
    let pause = min(backoff, policy.maxBackoff)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await clock.sleep(for: pause) }
      group.addTask { await leave.wait() }
      await group.next()
      group.cancelAll()
    }
    if Task.isCancelled { throw CancellationError() }
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
