internal import CMemoryBarrier
package import StockbusPlugin

/// The threads that a run's components share, one per processor. A component that is woken runs on the thread that woke it.
///
/// Handing an event to another core costs more than most components do with it, because the cache lines of the event and of the positions
/// of both ends have to move. So a component that is woken is queued on the waker's own worker and runs next there, with warm caches: a
/// producer fills its ring and sleeps, and then its reader empties it. If one worker does not keep up, others help: a job that has waited
/// longer than `stealDelay`, which is many times the cost of moving its data, is taken by an idle worker. If all are busy, a job that has
/// waited much longer is taken by any worker, so that a job that does not end delays no other permanently.
///
/// A worker checks the ages of its own waiting jobs between two jobs. While one job takes long, a `WorkerMonitor` does.
package final class WorkerPool: TaskExecutor, SleepWatch {
  /// The pool of the process. Its threads are started when they are first needed, and stay.
  package static let shared = WorkerPool(count: usableProcessors())

  private let workers: [Worker]
  private let monitor: WorkerMonitor?
  let current = CurrentWorker()
  /// How long a job waits for its own worker before another one may take it, in nanoseconds.
  let stealDelay: Int64
  /// How long sleepers without a barrier wait for one, in nanoseconds. A sleeper can only miss a change that was made at the moment when it
  /// went to sleep, and the next change wakes it too. So the time may be long, and one barrier serves many.
  let sleepersDelay: Int64 = 1_000_000
  /// How long a job waits for its own worker before another worker takes it although that one has jobs of its own, in nanoseconds.
  private let rescueDelay: Int64
  /// The number of jobs after which a busy worker searches for such a job.
  static let jobsBetweenRescues = 61

  init(count: Int, stealDelay: Int64 = 200_000) {
    workers = (0..<max(1, count)).map(Worker.init)
    monitor = count > 1 ? WorkerMonitor() : nil
    self.stealDelay = stealDelay
    rescueDelay = stealDelay.multipliedReportingOverflow(by: 50).overflow ? .max / 2 : stealDelay * 50
  }

  /// How components on this pool wait.
  package var parking: Waiting { Waiting(.park, watch: self) }

  package func enqueue(_ job: consuming ExecutorJob) { enqueue(PlacedJob(UnownedJob(job), on: self)) }

  func enqueue(_ job: PlacedJob) {
    if let worker = current.worker {
      ActiveJobs.enter()
      return worker.append(job, since: worker.began, for: self)
    }
    // Enqueued from outside the pool: a timer, a socket, a component with a thread of its own.
    place(job)
  }

  /// Gives the job to the first idle worker; if there is none, to the present worker, or to the first one if the caller is outside the
  /// pool.
  func place(_ job: PlacedJob) {
    ActiveJobs.enter()
    defer {
      // After the job, so that a monitor that is about to sleep sees either the work or this call.
      monitor?.begin(for: self)
    }
    let now = stockbus_monotonic_ns()
    for worker in workers where worker.take(job, since: now, for: self) { return }
    (current.worker ?? workers[0]).append(job, since: now, for: self)
  }

  /// Takes a job that has waited too long for its own worker.
  func steal(at now: Int64) -> PlacedJob? {
    for worker in workers { if let job = worker.giveUp(before: now - stealDelay) { return job } }
    return nil
  }

  /// Takes a job that has waited so long that its own worker, which is not `rescuer`, seems to be stuck.
  func rescue(at now: Int64, by rescuer: Worker) -> PlacedJob? {
    for worker in workers where worker !== rescuer { if let job = worker.giveUp(before: now - rescueDelay) { return job } }
    return nil
  }

  /// The worker's thread checks again on the sleeper's behalf. Returns false on any other thread, which must run the barrier itself.
  package func notice(_ parker: Parker) -> Bool {
    guard let worker = current.worker else { return false }
    if parker.beginNotice() { worker.add(sleeper: parker) }
    return true
  }

  /// A job waits too long: wakes the first idle worker, so that it takes the job.
  func findHelp() { for worker in workers where worker.rouse(for: self) { return } }

  /// One round of the monitor: returns true if a job was found that has waited too long.
  func look() -> Bool {
    let now = stockbus_monotonic_ns()
    for worker in workers { worker.lookAfterSleepers(before: now - sleepersDelay) }
    for worker in workers {
      guard let oldest = worker.oldest, now - oldest > stealDelay else { continue }
      findHelp()
      return true
    }
    return false
  }

  var isBusy: Bool {
    for worker in workers where worker.isBusy { return true }
    return false
  }
}
