/// A histogram of latencies with fixed bounds.
package struct LatencyCounts: Sendable, Hashable {
  /// The upper bounds of the buckets in nanoseconds, from 1 µs to 10 s in steps of 1, 2.5 and 5.
  package static let bounds: [Int] = {
    let tenfold = [1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000]
    return tenfold.flatMap { [$0, $0 / 2 * 5, $0 * 5] } + [10_000_000_000]
  }()

  /// Counts by bucket; the last bucket has the latencies above all bounds.
  package private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
  /// The sum of all latencies, in nanoseconds.
  package private(set) var sum = 0

  package init() {}

  package var total: Int { counts.reduce(0, +) }

  mutating func add(_ nanoseconds: Int) {
    let latency = max(0, nanoseconds)
    counts[Self.bounds.firstIndex { latency <= $0 } ?? Self.bounds.count] += 1
    sum += latency
  }
}
