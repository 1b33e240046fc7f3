/// Events per second, averaged over some seconds, because events come in bursts.
package struct RateMeter: Hashable {
  /// The time over which it averages, in nanoseconds.
  package static let span: Int64 = 4_000_000_000
  /// Over a shorter time a burst would be taken for the rate.
  private static let least: Int64 = 250_000_000

  private var samples: [Sample] = []
  /// Nil before a rate was measured.
  package private(set) var rate: Double?

  private struct Sample: Hashable {
    var total: Int
    var time: Int64
  }

  package init() {}

  /// The total at the last count.
  package var total: Int { samples.last?.total ?? 0 }
  package var time: Int64 { samples.last?.time ?? 0 }

  /// Takes the total at a time; returns the rate since the newest count that is at least `span` old, or else since the oldest count. After
  /// a longer time without counts the rate is the average of that time, and the next average starts from there.
  @discardableResult
  package mutating func count(_ total: Int, at time: Int64) -> Double? {
    var first = Sample(total: total, time: time)
    if let last = samples.last, time &- last.time > Self.span {
      first = last
      samples = [Sample(total: total, time: time)]
    } else {
      samples.append(Sample(total: total, time: time))
      while samples.count > 2, time &- samples[1].time >= Self.span { samples.removeFirst() }
      first = samples[0]
    }
    let elapsed = time &- first.time
    if elapsed >= Self.least { rate = Double(total - first.total) / (Double(elapsed) / 1e9) }
    return rate
  }
}
