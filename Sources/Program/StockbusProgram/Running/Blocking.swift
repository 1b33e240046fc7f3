import Dispatch

/// Calls that block, run outside the default pool.
enum Blocking {
  /// Runs `body` on a thread of Dispatch's, which ends with the body or with the process.
  static func run(_ body: @escaping @Sendable () -> Void) { DispatchQueue(label: "stockbus.blocking").async { body() } }

  /// Waits for asynchronous work on a thread that may block.
  static func wait(_ work: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task {
      await work()
      done.signal()
    }
    done.wait()
  }
}
