public import CMemoryBarrier

/// How long it pays to wait awake before going to sleep, learnt from how the last waits ended.
///
/// Going to sleep and being woken takes microseconds. Where the other end runs on another core its answer is often nearer than
/// that; where it shares this core, or has nothing to say, every moment awake is lost to it. So a wait that was in vain shortens
/// the next ones, and one that was not restores them. What differs is what is believed at first: `spin` tries to stay awake until
/// it was in vain, and now and then again; `park` sleeps until it has seen news come while it was about to, which only another core
/// can have brought.
public struct SpinBudget {
  /// Pauses of a wait that is believed in: 10 to 40 µs by the processor, about what a sleep and a wake-up take. With a shorter wait one
  /// late answer puts this end to sleep, whose late answer puts the other to sleep, and so on.
  @usableFromInline static var longest: Int { 800 }
  /// Pauses of a round. A `park`ed end that stays awake does so beside a busy one: looking seldom lets a run grow and leaves the
  /// other's cache lines alone.
  @usableFromInline let pauses: Int
  /// Rounds of a wait that is believed in.
  @usableFromInline let most: Int
  @usableFromInline var budget: Int
  @usableFromInline var spent = 0
  @usableFromInline var vain = 0

  @inlinable
  public init(_ strategy: WaitStrategy = .spin) {
    pauses = strategy == .spin ? 1 : 16
    most = Self.longest / pauses
    budget = strategy == .spin ? most : 0
  }

  /// True where it stays awake without having seen a reason.
  @inlinable var isHopeful: Bool { pauses == 1 }

  /// Pauses for a round, `factor` times as long as an ordinary one; false where it is time to sleep.
  @inlinable @inline(__always)
  public mutating func spins(times factor: Int = 1) -> Bool {
    if spent >= budget { return false }
    spent &+= 1
    for _ in 0..<(pauses &* factor) { stockbus_pause() }
    return true
  }

  /// The wait, if there was one, has ended without a sleep.
  @inlinable @inline(__always)
  public mutating func hadLuck() {
    if spent != 0 {
      spent = 0
      budget = most
    }
  }

  /// Lets a short run grow: without it throughput is bimodal, because both ends fight for the same cache line.
  @inlinable @inline(__always)
  public func letGrow(_ batch: Int) {
    if batch < 64, batch > 1, budget != 0 { for _ in 0..<16 { stockbus_pause() } }
  }

  /// The wait has ended in a sleep, or `inVain` is false: what was waited for came just before it.
  public mutating func gaveUp(inVain: Bool) {
    spent = 0
    vain = inVain ? vain + 1 : 0
    if isHopeful {
      budget = vain % 32 == 0 ? most : budget / 4
    } else {
      budget = inVain ? 0 : most
    }
  }
}
