/// A job, and the executor that it was given to: the same workers are several executors.
///
/// Both unowned, as the language gives them: a task keeps its job and the executor that it prefers.
struct PlacedJob {
  private let job: UnownedJob
  private let executor: UnownedTaskExecutor

  init(_ job: UnownedJob, on executor: some TaskExecutor) {
    self.job = job
    self.executor = executor.asUnownedTaskExecutor()
  }

  func run() { job.runSynchronously(on: executor) }
}
