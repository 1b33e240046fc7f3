/// What time it is by the events of one series: what windows, pauses and histories are measured by.
///
/// An event that is dated more than `tolerance` beyond the time it was received moves no clock: it counts as of when it was received. A clock never
/// goes back for a straggler either. Only where it stands beyond the time at which `proof` events in a row were received, it must have been
/// wrong, and is set back: so a recording without times of receipt (they are the events' own then) recovers from a time that is wrong.
public struct EventClock: BitwiseCopyable, Hashable, Sendable {
  /// What taking an event's times came to.
  public enum Reading: UInt8, BitwiseCopyable, Sendable {
    case fair
    /// The event is dated ahead; its time was set aside.
    case ahead
    /// The clock was wrong and has been set back.
    case setBack
  }

  /// How far beyond its receipt an event may be dated, in nanoseconds: clocks differ by less.
  public static let tolerance: Int64 = 5_000_000_000
  /// Events in a row that prove the clock wrong.
  public static let proof = 3

  /// The newest fair time, in nanoseconds since the epoch; `Int64.min` before the first.
  public var now: Int64 { newest }
  @usableFromInline var newest = Int64.min
  /// Events in a row that were received before our time, and the newest of their times.
  @usableFromInline var contradictions: UInt8 = 0
  @usableFromInline var latest = Int64.min

  @inlinable public init() {}

  /// The time that an event counts at: its own, or that of its receipt where it is dated ahead.
  @inlinable @inline(__always)
  public static func fair(_ time: Timestamp, received: Timestamp) -> Timestamp { time.ns > horizon(received.ns) ? received : time }

  @inlinable @inline(__always)
  static func horizon(_ received: Int64) -> Int64 {
    let (sum, overflow) = received.addingReportingOverflow(tolerance)
    return overflow ? .max : sum
  }

  /// Takes an event's two times.
  @inlinable @inline(__always)
  public mutating func take(_ time: Timestamp, received: Timestamp) -> Reading {
    let horizon = Self.horizon(received.ns)
    let isAhead = time.ns > horizon
    let fair = isAhead ? received.ns : time.ns
    if newest > horizon { return contradict(fair) }
    contradictions = 0
    if fair > newest { newest = fair }
    return isAhead ? .ahead : .fair
  }

  @inline(never) @usableFromInline
  mutating func contradict(_ fair: Int64) -> Reading {
    latest = contradictions == 0 ? fair : max(latest, fair)
    contradictions += 1
    if contradictions < Self.proof { return .fair }
    contradictions = 0
    newest = latest
    return .setBack
  }
}
