public import CMemoryBarrier

/// How long it pays to wait awake before going to sleep, learnt from how the last waits ended.
///
/// Going to sleep and being woken takes microseconds. Where the other end runs on another core its answer is often nearer than
/// that; where it shares this core, or has nothing to say, every moment awake is lost to it. So a wait that was in vain shortens
/// the next ones, one that was not restores them, and now and then a long one is tried again.
public struct SpinBudget {
  /// Rounds of a wait that is believed in: at one pause each (20 to 60 ns) about what a sleep costs.
  @usableFromInline static var most: Int { 50 }
  @usableFromInline var budget = SpinBudget.most
  @usableFromInline var spent = 0
  @usableFromInline var vain = 0

  @inlinable public init() {}

  /// Pauses for a round; false where it is time to sleep.
  @inlinable @inline(__always)
  public mutating func spins(pauses: Int = 1) -> Bool {
    if spent >= budget { return false }
    spent &+= 1
    for _ in 0..<pauses { stockbus_pause() }
    return true
  }

  /// The wait, if there was one, has ended without a sleep.
  @inlinable @inline(__always)
  public mutating func hadLuck() {
    if spent != 0 {
      spent = 0
      budget = Self.most
    }
  }

  /// The wait has ended in a sleep, or `inVain` is false: what was waited for came just before it.
  public mutating func gaveUp(inVain: Bool) {
    spent = 0
    vain = inVain ? vain + 1 : 0
    budget = vain % 32 == 0 ? Self.most : budget / 4
  }
}
