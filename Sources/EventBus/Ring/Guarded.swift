internal import CMemoryBarrier
package import Synchronization

/// A value behind a lock: `Mutex`, with the lock made visible to the thread sanitizer, which cannot see into `Mutex`.
///
/// A class, because the sanitizer wants an address as the lock's name, and asking for the value's own would count as touching it.
package final class Guarded<Value>: Sendable {
  @usableFromInline package let mutex: Mutex<Value>

  @inlinable
  package init(_ value: sending Value) { mutex = Mutex(value) }

  /// Runs `body` under the lock; nobody else sees the value meanwhile.
  @inlinable @inline(__always)
  package func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
    // By its identity, because a pointer to it would need this type's metadata, which in generic code is looked up every time.
    let name = UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(self)))
    return mutex.withLock { value in
      stockbus_lock_taken(name)
      defer { stockbus_lock_given_back(name) }
      return body(&value)
    }
  }
}
