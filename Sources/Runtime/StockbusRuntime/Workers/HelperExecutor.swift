internal import StockbusPlugin

/// An executor on a pool's workers for tasks that should run in parallel with their starter: an idle worker takes each at once.
final class HelperExecutor: TaskExecutor {
  private let pool: WorkerPool
  private let busy: BusyTime

  init(_ pool: WorkerPool, busy: BusyTime = BusyTime()) {
    self.pool = pool
    self.busy = busy
  }

  func enqueue(_ job: consuming ExecutorJob) { pool.place(PlacedJob(UnownedJob(job), on: self, busy: busy)) }
}
