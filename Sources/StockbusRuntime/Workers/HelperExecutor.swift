/// An executor on a pool's workers for tasks that should run in parallel with their starter: an idle worker takes each at once.
package final class HelperExecutor: TaskExecutor {
  package static let shared = HelperExecutor(WorkerPool.shared)

  private let pool: WorkerPool

  init(_ pool: WorkerPool) { self.pool = pool }

  package func enqueue(_ job: consuming ExecutorJob) { pool.place(PlacedJob(UnownedJob(job), on: self)) }
}
