import Dispatch

/// Calls that block, kept off the default pool.
enum Blocking {
  /// Runs `body` on a thread of Dispatch's; it ends with its body, or with the process.
  static func run(_ body: @escaping @Sendable () -> Void) { DispatchQueue(label: "stockbus.blocking").async { body() } }

  /// Waits, on a thread that may block, for something asynchronous.
  static func wait(_ work: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task {
      await work()
      done.signal()
    }
    done.wait()
  }
}
