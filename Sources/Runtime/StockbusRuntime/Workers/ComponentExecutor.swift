internal import StockbusPlugin

/// An executor on a pool's workers for the tasks of one component, which counts how long they run.
final class ComponentExecutor: TaskExecutor {
  private let pool: WorkerPool
  private let busy: BusyTime

  init(_ pool: WorkerPool, busy: BusyTime) {
    self.pool = pool
    self.busy = busy
  }

  func enqueue(_ job: consuming ExecutorJob) { pool.enqueue(PlacedJob(UnownedJob(job), on: self, busy: busy)) }
}
