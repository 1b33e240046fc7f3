internal import StockbusPlugin

/// A job and the executor that it was given to, as the same workers serve several executors.
///
/// Both are unowned, as the language provides them: a task keeps its job and its preferred executor alive.
struct PlacedJob {
  private let job: UnownedJob
  private let executor: UnownedTaskExecutor
  /// Counts the job's time. Owned, because the job's end may be that of its task and of the executor.
  let busy: BusyTime?

  init(_ job: UnownedJob, on executor: some TaskExecutor, busy: BusyTime? = nil) {
    self.job = job
    self.executor = executor.asUnownedTaskExecutor()
    self.busy = busy
  }

  func run() { job.runSynchronously(on: executor) }
}
