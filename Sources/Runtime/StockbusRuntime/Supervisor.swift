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

  let pipeline: Pipeline
  /// The component, with the plan of these instances.
  let member: Member
  /// The `ready` latches of the components that read this one.
  let readers: [Latch]
  /// True for a new plan that has replaced another one: the supervisor ends if its first instance does not start, so that the old plan can
  /// continue.
  let isOnTrial: Bool

  private var slot: Slot { member.slot }
  private var isSource: Bool { slot.isPureSource }
  private var isToEnd: Bool { pipeline.stopSignal.hasFired || member.demand.value.isToLeave }

  /// Runs one instance after another. Returns why no further one follows, and how many there were. A source without inputs is cancelled to
  /// end it; other components end with their inputs, or are quiesced.
  func run() async -> (departure: Departure, lives: Int) {
    guard isSource else { return await lives() }
    return await withTaskGroup(of: (Departure, Int)?.self) { group in
      group.addTask { await lives() }
      group.addTask {
        await pipeline.stopSignal.wait()
        return nil
      }
      group.addTask {
        await member.demand.wait { $0 != .nothing }
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
    let policy = member.plan.supervision
    // A separate stream of random numbers that no component uses.
    let random = slot.context.random(seed: slot.context.seed ^ 0x7061_7573_6573)
    var restarts = Restarts(policy, achieved: achievement, random: random)
    var errors = ErrorLog(id: slot.id, logger: pipeline.logger)
    func left(_ departure: Departure) -> (Departure, Int) {
      switch departure {
      // Logged with the number of attempts, or by the change, anyway.
      case .ended(.failed), .refused: break
      case .ended, .handedOver: errors.sumUp()
      }
      if case .ended = departure { slot.retire() }
      return (departure, lives)
    }
    // Readers start first, so that a file that cannot be opened is reported before the first event.
    for reader in readers { await reader.wait() }
    if Task.isCancelled {
      member.ready.fire()
      return left(whenCancelled)
    }
    let hasStarted = Latch()
    // Captures not the member, which has the slot: one that never starts would retain itself.
    slot.whenStarted { [pipeline, ready = member.ready, number = member.number] in
      hasStarted.fire()
      ready.fire()
      // At once, so that later states of the component are not ascribed to one that has not started.
      pipeline.update(number) { member in
        member.hasStarted = true
        if member.phase == .starting { member.phase = .running }
      }
      pipeline.changes.post(.started(number))
    }
    while true {
      lives += 1
      member.vitals.begin()
      do {
        let ending = try await slot.run(member.plan.assembly)
        // What was left to the next run is not for another plan of this one.
        return left(ending == .handedOver && slot.isLeaving ? .handedOver : .ended(.completed))
      } catch {
        member.ready.fire()
        if slot.isCutOff { return left(.ended(.cancelled)) }
        if error is CancellationError, Task.isCancelled { return left(whenCancelled) }
        if member.counters.hasNoReader {
          pipeline.logger.info("\(slot.id): no component reads its output any more")
          return left(.ended(.unread))
        }
        if isOnTrial, !hasStarted.hasFired { return left(.refused("\(error)")) }
        let verdict = restarts.fail(recover(error), achieved: achievement)
        errors.add("\(error)", attempt: lives)
        guard case .again(let pause) = verdict else {
          member.vitals.fail("\(error)", progress: nil)
          return left(.ended(.failed("\(error)")))
        }
        member.vitals.fail("\(error)", progress: slot.progressMade)
        if isToEnd, isSource { return left(.ended(.completed)) }
        if let pause {
          do { try await self.pause(pause) } catch { return left(whenCancelled) }
        }
        // Another plan is to continue.
        if isToHandOver { return left(.handedOver) }
      }
    }
  }

  private var isToHandOver: Bool { member.demand.value == .handOver && !isToEnd && !slot.isCutOff }

  /// A graceful stop cancels sources, which is their regular end; any other component that is cancelled was cut off.
  private var whenCancelled: Departure {
    if isToHandOver { return .handedOver }
    return .ended(isSource && isToEnd && !slot.isCutOff ? .completed : .cancelled)
  }

  /// Prepares the inputs for the next instance: an event that fails alone is rejected as a dead letter.
  private func recover(_ error: any Error) -> Restarts.Cause {
    var cause = Restarts.Cause.unknownEvent
    for port in slot.ports {
      if error is any EnvironmentError {
        port.inlet.retry()
      } else if let letter = port.inlet.recover("\(error)", component: slot.id, at: pipeline.clock.now) {
        pipeline.notices.post(letter)
        cause = .rejectedEvent
      }
    }
    // Events that a failed drain held back are lost; another instance would have nothing to do and seem to succeed.
    if error is DrainError { return .lasting }
    guard let error = error as? any EnvironmentError else { return cause }
    return error.isPermanent ? .lasting : .environment
  }

  private var achievement: Achievement {
    Achievement(done: slot.workDone, lost: member.counters.lost.total, time: pipeline.clock.uptime)
  }

  /// Ends early if another plan is to continue, or if nobody waits for pauses any more.
  private func pause(_ pause: Duration) async throws(CancellationError) {
    member.vitals.pause()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await pipeline.clock.sleep(for: pause) }
      group.addTask { await member.demand.wait(until: \.endsPauses) }
      await group.next()
      group.cancelAll()
    }
    if Task.isCancelled { throw CancellationError() }
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
