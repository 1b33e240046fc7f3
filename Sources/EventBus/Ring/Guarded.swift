package import Synchronization

/// A value behind a lock, in memory of its own: who takes the lock takes no cache line from those who use the owner's other fields.
package final class Guarded<Value>: Sendable {
  @usableFromInline package let mutex: Mutex<Value>

  @inlinable
  package init(_ value: sending Value) { mutex = Mutex(value) }

  /// Runs `body` under the lock; nobody else sees the value meanwhile.
  @inlinable @inline(__always)
  package func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result { mutex.withLock(body) }
}
