/// A pool's workers for what shall run beside the one who starts or wakes it: whoever has nothing to do takes it at once.
public final class HelperExecutor: TaskExecutor {
  public static let shared = HelperExecutor(WorkerPool.shared)

  private let pool: WorkerPool

  init(_ pool: WorkerPool) { self.pool = pool }

  public func enqueue(_ job: consuming ExecutorJob) { pool.place(PlacedJob(UnownedJob(job), on: self)) }
}
