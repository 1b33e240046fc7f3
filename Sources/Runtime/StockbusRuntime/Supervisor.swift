internal import StockbusConfig
internal import StockbusPlugin

/// Runs the instances of one component with one plan. It restarts after failures with back-off, up to a limit that counts failures without
/// progress between them (`Achievement`). It ends with the component, or to hand over to another plan.
struct Supervisor: Sendable {
  /// Why the supervisor has ended.
  enum Departure: Sendable {
    case ended(RunReport.Fate.Outcome)
    /// The slot is free for another plan.
    case handedOver
    /// On trial only: the first instance did not start, for this reason.
    case refused(String)
  }

  let slot: Slot
  let assembly: Blueprint.Assembly
  let policy: SupervisionPolicy
  let clock: any Timekeeper
  let logger: Logger
  let notices: RunTopics
  let counters: CounterRegistry
  let vitals: Vitals
  /// Fires when the run is to stop.
  let stop: Latch
  /// Fires when another plan is to continue.
  let leave: Latch
  /// Fires when the component has left the run; a source ends then as in a graceful stop.
  let dismissal: Latch
  /// Fires when the first attempt to start is over.
  let ready: Latch
  /// The `ready` latches of the components that read this one.
  let readers: [Latch]
  /// True for a new plan that has replaced another one: the supervisor ends if its first instance does not start, so that the old plan can
  /// continue.
  var isOnTrial = false
  /// Called once, when an instance has started.
  var started: @Sendable () -> Void = {}

  private var isSource: Bool { slot.isPureSource }
  private var isToEnd: Bool { stop.hasFired || dismissal.hasFired }

  /// Runs one instance after another. Returns why no further one follows, and how many there were. A source without inputs is cancelled to
  /// end it; other components end with their inputs, or are quiesced.
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
      group.addTask {
        await dismissal.wait()
        return nil
      }
      var departure: (Departure, Int)?
      // The first task that ends cancels the others: the instances because they must end, the waits because they are no longer needed.
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
    let random = slot.context.random(seed: slot.context.seed ^ Self.salt)
    var backoff = Backoff(first: min(policy.backoff, policy.maxBackoff), most: policy.maxBackoff, random: random)
    var achieved = achievement
    // True after a failure that begins the search for the event that caused it.
    var isSearching = false
    var errors = ErrorLog(id: slot.id, logger: logger)
    func ended(_ outcome: RunReport.Fate.Outcome) -> (Departure, Int) {
      // A permanent failure is logged with the number of attempts anyway.
      if case .failed = outcome {} else { errors.sumUp() }
      slot.retire()
      return (.ended(outcome), lives)
    }
    func handedOver() -> (Departure, Int) {
      errors.sumUp()
      return (.handedOver, lives)
    }
    // Readers start first, so that a file that cannot be opened is reported before the first event.
    for reader in readers { await reader.wait() }
    if Task.isCancelled {
      ready.fire()
      return isLeaving ? handedOver() : ended(whenCancelled)
    }
    let hasStarted = Latch()
    // Captures not all of the supervisor, which has the slot: one that never starts would retain itself.
    slot.whenStarted { [ready, started] in
      hasStarted.fire()
      ready.fire()
      started()
    }
    while true {
      lives += 1
      vitals.begin()
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
        let hasBuried = recover(error)
        let now = achievement
        if now.isProgress(since: achieved, longest: policy.maxBackoff) {
          failures = 0
          backoff.reset()
        }
        achieved = now
        // To find the event that causes failures takes two of them, with its batch and alone, which count as one.
        if !(isSearching && hasBuried && failures > 0) { failures += 1 }
        isSearching = !hasBuried && !(error is any EnvironmentError)
        errors.add("\(error)", attempt: lives)
        // Events that a failed drain held back are lost; another instance would have nothing to do and seem to succeed.
        let isPermanent = error is DrainError || (error as? any EnvironmentError)?.isPermanent == true
        let isFinal = isPermanent || failures > policy.restarts
        vitals.fail("\(error)", progress: isFinal ? nil : slot.progressMade)
        if isFinal { return ended(.failed("\(error)")) }
        if isToEnd, isSource { return ended(.completed) }
        // The first failure after progress is retried at once, so a poisoned event costs two instances but no delay.
        if failures > 1 {
          do { try await pause(backoff.next()) } catch { return isLeaving ? handedOver() : ended(whenCancelled) }
        }
        // Another plan is to continue.
        if isLeaving { return handedOver() }
      }
    }
  }

  private var isLeaving: Bool { leave.hasFired && !isToEnd && !slot.isCutOff }

  /// A graceful stop cancels sources, which is their regular end; any other component that is cancelled was cut off.
  private var whenCancelled: RunReport.Fate.Outcome { isSource && isToEnd && !slot.isCutOff ? .completed : .cancelled }

  /// Returns true if an event is rejected as a dead letter.
  private func recover(_ error: any Error) -> Bool {
    var hasBuried = false
    for port in slot.ports {
      if error is any EnvironmentError {
        port.inlet.retry()
        continue
      }
      if let letter = port.inlet.recover("\(error)", component: slot.id, at: clock.now) {
        notices.post(letter)
        hasBuried = true
      }
    }
    return hasBuried
  }

  private var achievement: Achievement { Achievement(done: slot.workDone, lost: counters.lost.total, time: clock.uptime) }

  /// Gives the pauses a separate stream of random numbers that no component uses.
  private static let salt: UInt64 = 0x7061_7573_6573

  /// Ends early if another plan is to continue.
  private func pause(_ pause: Duration) async throws(CancellationError) {
    vitals.pause()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await clock.sleep(for: pause) }
      group.addTask { await leave.wait() }
      await group.next()
      group.cancelAll()
    }
    if Task.isCancelled { throw CancellationError() }
  }
}

/// A component's work up to a time, which shows whether restarting is of use.
///
/// Rejected events are no progress, so a program that fails with each of them reaches its limit. Neither is work of which most is lost
/// again, unless it took longer than the longest pause: then restarts are as rare as they can get.
struct Achievement: Sendable {
  /// Events that were published, delivered or filtered.
  let done: Int
  let lost: Int
  let time: Duration

  func isProgress(since before: Achievement, longest pause: Duration) -> Bool {
    let (newly, lost) = (done - before.done, lost - before.lost)
    // Lost events had been counted as done.
    return newly > 0 && (newly - lost > lost || time - before.time > pause)
  }
}

/// Logs the failures of one component. A repeated failure is logged once; the number of repetitions is logged at 10, 100, 1,000 and so on,
/// before a different failure, and at the end.
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

  /// Logs the repetitions that have not been logged.
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
