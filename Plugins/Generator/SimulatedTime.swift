internal import StockbusPlugin

/// Event times that begin at a given time and advance by exactly `period / count`: rounding errors do not add up.
struct SimulatedTime {
  private var ns: Int64
  private let step: Int64
  private let rest: Int64
  private let count: Int64
  /// Parts of a nanosecond, in `count`ths.
  private var parts: Int64 = 0

  init(start: Timestamp, period: Duration, count: Int) {
    ns = start.ns
    self.count = Int64(count)
    (step, rest) = period.wholeNanoseconds.quotientAndRemainder(dividingBy: Int64(count))
  }

  /// The time that `next` returns, without advancing.
  var upcoming: Timestamp { Timestamp(ns: ns) }

  /// The time of the next event; it stays at the largest possible time.
  @inline(__always)
  mutating func next() -> Timestamp {
    defer {
      // Both are less than `count`; they are compared before they are added, so that no sum overflows.
      let carries = parts >= count &- rest
      parts = carries ? parts &- (count &- rest) : parts &+ rest
      ns = ns.addingSaturating(step &+ (carries ? 1 : 0))
    }
    return Timestamp(ns: ns)
  }
}
