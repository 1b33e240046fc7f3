/// Events per second, averaged over some seconds, because events come in bursts.
package struct RateMeter: Hashable {
  /// The time over which it averages, in nanoseconds.
  package static let span: Int64 = 4_000_000_000

  private var samples: [Sample] = []

  private struct Sample: Hashable {
    var total: Int
    var time: Int64
  }

  package init() {}

  /// The total at the last count.
  package var total: Int { samples.last?.total ?? 0 }
  package var time: Int64 { samples.last?.time ?? 0 }

  /// Takes the total at a time; returns the rate since the newest count that is at least `span` old, or else since the oldest count.
  package mutating func count(_ total: Int, at time: Int64) -> Double {
    samples.append(Sample(total: total, time: time))
    while samples.count > 2, time - samples[1].time >= Self.span { samples.removeFirst() }
    let first = samples[0]
    // There are no counts while nothing happens, so events after a long pause belong to the last `span`.
    let elapsed = min(time - first.time, Self.span)
    return elapsed > 0 ? Double(total - first.total) / (Double(elapsed) / 1e9) : 0
  }
}
