import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A thread for calls that block, so that none of the pool's threads is held.
final class BlockingThread: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  /// Starts it; it ends with its body, or with the process.
  func start() {
    let body = body
    DispatchQueue(label: "stockbus.blocking").async { body() }
  }

  /// Waits on a blocking thread for something asynchronous.
  static func wait(_ work: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task {
      await work()
      done.signal()
    }
    done.wait()
  }
}
