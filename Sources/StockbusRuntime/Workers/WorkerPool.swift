internal import CMemoryBarrier
public import EventBus
internal import StockbusPlugin

/// The threads that a run's components share: one a processor, and a component goes on where the one that woke it was running.
///
/// Handing an event to another core costs more than most components do with it: its cache lines have to travel, and so have the
/// words that say how far each end is. So whoever is woken waits on the waker's own worker and runs next there, on warm data; a
/// producer fills its ring, sleeps, and its reader empties it. Other workers help where this does not keep up: a job that has
/// waited longer than `stealDelay`, many times what its data's journey costs, is taken by a worker that has nothing to do.
///
/// A worker looks at the ages of its own waiting jobs between two jobs. Where one job takes long, a `WorkerMonitor` does.
public final class WorkerPool: TaskExecutor, SleepWatch {
  /// The process's: its threads come with the first need of each, and stay.
  public static let shared = WorkerPool(count: usableProcessors())

  private let workers: [Worker]
  private let monitor: WorkerMonitor?
  let current = CurrentWorker()
  /// How long a job waits for its own worker, in nanoseconds.
  let stealDelay: Int64
  /// How long those who fell asleep without a barrier wait for it, in nanoseconds. Only news that came in the very moment can have
  /// been missed, and the next news heals that too; so it may be long, and one barrier serves many.
  let sleepersDelay: Int64 = 1_000_000

  init(count: Int, stealDelay: Int64 = 200_000) {
    workers = (0..<max(1, count)).map(Worker.init)
    monitor = count > 1 ? WorkerMonitor() : nil
    self.stealDelay = stealDelay
  }

  /// How components wait that run on this pool.
  public var parking: Waiting { Waiting(.park, watch: self) }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = PlacedJob(UnownedJob(job), on: self)
    if let worker = current.worker { return worker.append(job, since: worker.began, for: self) }
    // From outside: a timer, a socket, a thread of its own.
    place(job)
  }

  /// Gives the job to whoever has nothing to do, the first ones first; otherwise to the present worker.
  func place(_ job: PlacedJob) {
    defer {
      // After the job, so that a monitor that is about to sleep sees either the work or this.
      monitor?.begin(for: self)
    }
    let now = stockbus_monotonic_ns()
    for worker in workers where worker.take(job, since: now, for: self) { return }
    (current.worker ?? workers[0]).append(job, since: now, for: self)
  }

  /// A job that has waited too long for its own worker.
  func steal(at now: Int64) -> PlacedJob? {
    for worker in workers { if let job = worker.giveUp(before: now - stealDelay) { return job } }
    return nil
  }

  /// The worker looks again on the sleeper's behalf; who runs on a thread of its own has to run the barrier itself.
  public func notice(_ parker: Parker) -> Bool {
    guard let worker = current.worker else { return false }
    if parker.beginNotice() { worker.add(sleeper: parker) }
    return true
  }

  /// Somebody waits too long: whoever has nothing to do shall come and look.
  func findHelp() { for worker in workers where worker.rouse(for: self) { return } }

  /// The monitor's round: true where somebody was found waiting too long.
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
