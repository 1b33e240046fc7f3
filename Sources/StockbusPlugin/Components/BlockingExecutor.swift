internal import Dispatch

/// A serial executor with threads of its own, for an actor whose work blocks, such as reading and writing files and pipes.
///
/// Components share one thread per processor, so a few that block would stop all others. A component uses one by
/// ```swift
/// private let executor = BlockingExecutor(label: "file_writer")
/// public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
/// ```
public final class BlockingExecutor: SerialExecutor {
  private let queue: DispatchQueue

  public init(label: String) { queue = DispatchQueue(label: "stockbus.\(label)") }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
