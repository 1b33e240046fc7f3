internal import Dispatch
internal import StockbusPlugin
internal import StockbusSystem

/// Writes to a descriptor that may be slow, shared, or set to non-blocking by another process that shares it.
enum OutputDescriptor {
  /// Writes all of `bytes`; returns 0 or the error number.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { bytes in
      do throws(Errno) {
        try FileDescriptor(rawValue: descriptor).writeWhole(bytes)
        return 0
      } catch { return error.rawValue }
    }
  }
}

/// Runs an actor's jobs on a queue of its own, so that a write that blocks, as on a stopped terminal, does not hold a thread of the pool.
final class OutputExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "stockbus.terminal")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    ActiveJobs.enter()
    queue.async {
      job.runSynchronously(on: self.asUnownedSerialExecutor())
      ActiveJobs.leave()
    }
  }
}
