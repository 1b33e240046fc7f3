internal import Dispatch
internal import EventBus

/// A serial executor with threads of its own, for an actor whose work blocks, such as reading and writing files and pipes.
///
/// Components share one thread per processor, so a few that block would stop all others. A component uses an executor by
/// ```swift
/// private let executor = BlockingExecutor(label: "file_writer")
/// public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
/// ```
public final class BlockingExecutor: SerialExecutor {
  private static let key = DispatchSpecificKey<Guarded<BusyTime?>>()
  private let queue: DispatchQueue
  /// The counter for the time of the executor's jobs. The queue also holds it, under `key`.
  private let busy = Guarded(BusyTime?.none)

  public init(label: String) {
    queue = DispatchQueue(label: "stockbus.\(label)")
    queue.setSpecific(key: Self.key, value: busy)
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    ActiveJobs.enter()
    queue.async { [busy] in
      defer { ActiveJobs.leave() }
      let began = DispatchTime.now().uptimeNanoseconds
      job.runSynchronously(on: self.asUnownedSerialExecutor())
      if let busy = busy.withLock({ $0 }) { busy.add(Int64(DispatchTime.now().uptimeNanoseconds - began)) }
    }
  }

  /// Adds the time of the executor's jobs to `busy` from the next job on, if the caller runs on such an executor.
  static func count(in busy: BusyTime) { DispatchQueue.getSpecific(key: key)?.withLock { $0 = busy } }
}
