internal import CMemoryBarrier
internal import Dispatch
internal import StockbusPlugin

/// One thread of a pool, and the jobs that wait for it.
///
/// Unchecked because of `began`, `busy` and `jobs`, which only its own thread uses: jobs that it enqueues are stamped with `began`, which saves
/// reading the clock.
final class Worker: @unchecked Sendable {
  /// The state behind the lock, which all threads may read and change.
  struct State {
    var waiting = JobQueue<PlacedJob>()
    var phase = Phase.unborn
    /// Parkers that began to sleep here without a barrier, and when the first of them did.
    var sleepers: [Parker] = []
    var sleepersSince: Int64 = 0
  }

  enum Phase {
    /// The worker has no thread yet; the first job, or the first call of `rouse`, starts one.
    case unborn
    case asleep
    case awake
  }

  let number: Int
  private let state = Guarded(State())
  private let doorbell = DispatchSemaphore(value: 0)
  /// When the present job began.
  private(set) var began: Int64 = 0
  /// Where the time of the present job is counted.
  private var busy: BusyTime?
  /// The number of its own jobs since the worker last checked, although busy itself, whether others need help.
  private var jobs = 0

  init(_ number: Int) { self.number = number }

  // MARK: For all threads

  /// Takes the job if the worker is idle; otherwise returns false.
  func take(_ job: PlacedJob, since: Int64, for pool: WorkerPool) -> Bool {
    let phase = state.withLock { state -> Phase in
      let phase = state.phase
      if phase != .awake {
        state.waiting.append(job, since: since)
        state.phase = .awake
      }
      return phase
    }
    rouse(from: phase, for: pool)
    return phase != .awake
  }

  /// Takes the job after all jobs that are already waiting.
  func append(_ job: PlacedJob, since: Int64, for pool: WorkerPool) {
    let phase = state.withLock { state in
      defer { state.phase = .awake }
      state.waiting.append(job, since: since)
      return state.phase
    }
    rouse(from: phase, for: pool)
  }

  /// Wakes an idle worker, so that it takes a waiting job. Returns false if it is busy.
  func rouse(for pool: WorkerPool) -> Bool {
    let phase = state.withLock { state in
      defer { state.phase = .awake }
      return state.phase
    }
    rouse(from: phase, for: pool)
    return phase != .awake
  }

  private func rouse(from phase: Phase, for pool: WorkerPool) {
    switch phase {
    case .awake: return
    case .asleep: doorbell.signal()
    case .unborn: startThread("stockbus \(number)") { self.work(for: pool) }
    }
  }

  var isBusy: Bool { state.withLock { $0.phase == .awake } }

  /// When the oldest waiting job began to wait; nil if none waits.
  var oldest: Int64? { state.withLock { $0.waiting.oldest } }

  /// Removes and returns the oldest waiting job, if it has waited since before `moment`.
  func giveUp(before moment: Int64) -> PlacedJob? {
    state.withLock { state in
      guard let oldest = state.waiting.oldest, oldest < moment else { return nil }
      return state.waiting.popFirst()
    }
  }

  /// Runs the barrier for the parkers here, if the first of them began to sleep before `moment`, and checks again on their behalf. Returns
  /// true if there were any.
  @discardableResult
  func lookAfterSleepers(before moment: Int64) -> Bool {
    let sleepers = state.withLock { state -> [Parker] in
      if state.sleepers.isEmpty || state.sleepersSince >= moment { return [] }
      defer { state.sleepers = [] }
      return state.sleepers
    }
    if sleepers.isEmpty { return false }
    for parker in sleepers { parker.endNotice() }
    stockbus_heavy_barrier()
    for parker in sleepers { parker.checkAgain() }
    return true
  }

  // MARK: For its own thread

  /// A component goes to sleep in the present job, without a barrier.
  func add(sleeper: Parker) {
    state.withLock { state in
      if state.sleepers.isEmpty { state.sleepersSince = began }
      state.sleepers.append(sleeper)
    }
  }

  private func work(for pool: WorkerPool) {
    pool.current.worker = self
    while true {
      guard let job = next(for: pool) else {
        doorbell.wait()
        continue
      }
      busy = job.busy
      job.run()
      ActiveJobs.leave()
    }
  }

  /// The worker's own oldest job, or one that has waited too long elsewhere; nil if it must sleep until the doorbell rings. From time to
  /// time, a job that has waited very long elsewhere takes precedence.
  private func next(for pool: WorkerPool) -> PlacedJob? {
    while true {
      let now = stockbus_monotonic_ns()
      busy?.add(now - began)
      busy = nil
      began = now
      // A busy worker never reaches `steal` below, so this check saves the jobs behind one that does not end.
      jobs += 1
      if jobs >= WorkerPool.jobsBetweenRescues {
        jobs = 0
        if let job = pool.rescue(at: began, by: self) { return job }
      }
      let (job, oldest, sleepersSince) = state.withLock { state -> (PlacedJob?, Int64?, Int64?) in
        let job = state.waiting.popFirst()
        return (job, state.waiting.oldest, state.sleepers.isEmpty ? nil : state.sleepersSince)
      }
      if let job {
        if let oldest, began - oldest > pool.stealDelay { pool.findHelp() }
        if let sleepersSince, began - sleepersSince > pool.sleepersDelay { lookAfterSleepers(before: .max) }
        return job
      }
      if lookAfterSleepers(before: .max) { continue }
      if let job = pool.steal(at: began) { return job }
      let sleeps = state.withLock { state in
        guard state.waiting.isEmpty else { return false }
        state.phase = .asleep
        return true
      }
      if sleeps { return nil }
    }
  }
}
