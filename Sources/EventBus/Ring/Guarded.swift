internal import CMemoryBarrier
internal import Synchronization

/// A value behind a lock: `Mutex`, with the lock made visible to the thread sanitizer, which cannot see into `Mutex`.
///
/// A class, because the sanitizer wants an address as the lock's name, and asking for the value's own would count as touching it.
final class Guarded<Value>: Sendable {
  private let mutex: Mutex<Value>

  init(_ value: sending Value) { mutex = Mutex(value) }

  /// Runs `body` under the lock; nobody else sees the value meanwhile.
  @inline(__always)
  func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
    let name = Unmanaged.passUnretained(self).toOpaque()
    return mutex.withLock { value in
      stockbus_lock_taken(name)
      defer { stockbus_lock_given_back(name) }
      return body(&value)
    }
  }
}
