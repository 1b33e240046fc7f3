internal import MarketData

/// The durations of round trips: a histogram with buckets of 1/32 of a power of two, so that values read from it are at most 3.2 % too
/// large, from a nanosecond to centuries. After Gil Tene's HdrHistogram.
struct RoundTrips {
  private var buckets = [Int](repeating: 0, count: 64 * Self.parts)
  private(set) var count = 0
  private(set) var most = Duration.zero

  private static let parts = 32
  private static let bits = 5

  mutating func add(_ duration: Duration) {
    buckets[Self.bucket(duration.wholeNanoseconds)] += 1
    count += 1
    most = max(most, duration)
  }

  /// The time that this share of all round trips did not exceed; zero if there are none.
  func quantile(_ share: Double) -> Duration {
    if count == 0 { return .zero }
    let rank = max(1, Int((Double(count) * share).rounded(.up)))
    var seen = 0
    for (index, n) in buckets.enumerated() {
      seen += n
      if seen >= rank { return min(.nanoseconds(Self.highest(in: index)), most) }
    }
    return most
  }

  /// Below 32 ns exact; above, the highest five bits after the first.
  static func bucket(_ ns: Int64) -> Int {
    if ns < Int64(parts) { return Int(max(0, ns)) }
    let exponent = 63 - ns.leadingZeroBitCount
    return (exponent - bits + 1) * parts + Int(ns >> (exponent - bits)) - parts
  }

  /// The highest value of a bucket.
  static func highest(in bucket: Int) -> Int64 {
    if bucket < parts { return Int64(bucket) }
    let (shift, part) = (bucket / parts - 1, Int64(bucket % parts + parts))
    return (part << shift) | ((1 << shift) - 1)
  }
}
