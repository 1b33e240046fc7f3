internal import CMemoryBarrier
package import EventBus

/// The most events of one batch; bounds how long a component keeps its actor.
@inlinable var maximumBatch: Int { 1024 }

/// How long a resident loop may keep its actor and its pool thread.
@usableFromInline package struct Quantum {
  @usableFromInline var events = 0
  @usableFromInline var batches = 0
  @usableFromInline var spinBudget: SpinBudget
  @usableFromInline var since = stockbus_monotonic_ns()
  /// Half a millisecond: a call into a busy component waits about as long.
  @usableFromInline static var slice: Int64 { 500_000 }

  /// For the loop whose owner sleeps at `parker`.
  @inlinable package init(_ parker: Parker) { spinBudget = SpinBudget(parker.waiting.strategy) }

  /// True when the time slice is over; reads the clock once in 32 batches or 8,192 events.
  @inlinable @inline(__always)
  mutating func isSpent(_ n: Int) -> Bool {
    spinBudget.foundWork()
    events &+= n
    batches &+= 1
    spinBudget.letGrow(n)
    return (events >= 8192 || batches >= 32) && lookAtClock()
  }

  @usableFromInline @inline(never)
  mutating func lookAtClock() -> Bool {
    events = 0
    batches = 0
    let now = stockbus_monotonic_ns()
    if now - since < Self.slice { return false }
    since = now
    return true
  }
}
