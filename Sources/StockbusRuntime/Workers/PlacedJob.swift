/// A job and the executor that it was given to, as the same workers serve several executors.
///
/// Both are unowned, as the language provides them: a task keeps its job and its preferred executor alive.
struct PlacedJob {
  private let job: UnownedJob
  private let executor: UnownedTaskExecutor

  init(_ job: UnownedJob, on executor: some TaskExecutor) {
    self.job = job
    self.executor = executor.asUnownedTaskExecutor()
  }

  func run() { job.runSynchronously(on: executor) }
}
