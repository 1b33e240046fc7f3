public import CMemoryBarrier

/// Decides how long to spin before going to sleep, from how the last waits ended.
///
/// A sleep and a wake-up take microseconds. If the other end runs on another core, its news often comes sooner than that; if it shares this
/// core, or has no news, spinning only delays it. So a wait in vain shortens the next ones, and a successful one restores them. The
/// strategies start differently: `spin` spins until that was in vain, and tries again now and then. `park` sleeps at once, until news has
/// arrived just before a sleep, which means that the other end runs on another core.
@usableFromInline package struct SpinBudget {
  /// Pauses of a full wait: 10 to 40 µs depending on the processor, about as long as a sleep and a wake-up. With a shorter wait one late
  /// reply would put this end to sleep, its own late reply would then put the other end to sleep, and so on.
  @usableFromInline static var longest: Int { 800 }
  /// Pauses of one round. With `park` the other end is busy while this one spins: checking less often lets a batch grow and leaves the
  /// other end's cache lines alone.
  @usableFromInline let pauses: Int
  /// Rounds of a full wait.
  @usableFromInline let most: Int
  @usableFromInline var budget: Int
  @usableFromInline var spent = 0
  @usableFromInline var vain = 0

  @inlinable
  package init(_ strategy: WaitStrategy = .spin) {
    pauses = strategy == .spin ? 1 : 16
    most = Self.longest / pauses
    budget = strategy == .spin ? most : 0
  }

  /// True if it spins before it has seen that spinning pays.
  @inlinable var isHopeful: Bool { pauses == 1 }

  /// Pauses for a round, `factor` times as long as an ordinary one. Returns false without pausing when it is time to sleep.
  @inlinable @inline(__always)
  package mutating func spins(times factor: Int = 1) -> Bool {
    if spent >= budget { return false }
    spent &+= 1
    for _ in 0..<(pauses &* factor) { stockbus_pause() }
    return true
  }

  /// To be called when a wait, if there was one, has ended without a sleep.
  @inlinable @inline(__always)
  package mutating func hadLuck() {
    if spent != 0 {
      spent = 0
      budget = most
    }
  }

  /// Pauses so that a short batch can grow. Without it throughput is bimodal, because both ends compete for the same cache line.
  @inlinable @inline(__always)
  package func letGrow(_ batch: Int) {
    if batch < 64, batch > 1, budget != 0 { for _ in 0..<16 { stockbus_pause() } }
  }

  /// To be called when a wait ends in a sleep, or with `inVain` false when the news came just before the sleep.
  package mutating func gaveUp(inVain: Bool) {
    spent = 0
    vain = inVain ? vain + 1 : 0
    if isHopeful {
      budget = vain % 32 == 0 ? most : budget / 4
    } else {
      budget = inVain ? 0 : most
    }
  }
}
