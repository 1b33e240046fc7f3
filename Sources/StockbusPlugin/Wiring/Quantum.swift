public import CMemoryBarrier
public import EventBus

/// The most events of one hand-over; bounds how long a component keeps its actor.
@inlinable public var maximumRun: Int { 1024 }

/// How long a resident loop may keep its actor and its pool thread.
public struct Quantum {
  @usableFromInline var events = 0
  @usableFromInline var runs = 0
  @usableFromInline var patience = SpinBudget()
  @usableFromInline var since = stockbus_monotonic_ns()
  /// Half a millisecond: a call into a busy component waits about that long.
  @usableFromInline static var slice: Int64 { 500_000 }

  @inlinable public init() {}

  /// True when the time slice is over; looks at the clock once in 32 runs or 8,192 events.
  @inlinable @inline(__always)
  mutating func isSpent(_ n: Int) -> Bool {
    patience.hadLuck()
    events &+= n
    runs &+= 1
    // Lets a short run grow: without it throughput is bimodal, because both ends fight for the same cache line.
    if n < 64, n > 1 { for _ in 0..<16 { stockbus_pause() } }
    return (events >= 8192 || runs >= 32) && lookAtClock()
  }

  @usableFromInline @inline(never)
  mutating func lookAtClock() -> Bool {
    events = 0
    runs = 0
    let now = stockbus_monotonic_ns()
    if now - since < Self.slice { return false }
    since = now
    return true
  }
}
