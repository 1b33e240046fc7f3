/// How many a second, over some seconds: events come by bursts, and a reader wants one number.
struct RateMeter: Hashable {
  /// The stretch it looks at, in nanoseconds.
  static let span: Int64 = 4_000_000_000

  private var samples: [Sample] = []

  private struct Sample: Hashable {
    var total: Int
    var time: Int64
  }

  /// The total and the time of the last count.
  var total: Int { samples.last?.total ?? 0 }
  var time: Int64 { samples.last?.time ?? 0 }

  /// Takes the total at a time; answers the rate since the newest count that is `span` old, or the oldest there is.
  mutating func count(_ total: Int, at time: Int64) -> Double {
    samples.append(Sample(total: total, time: time))
    while samples.count > 2, time - samples[1].time >= Self.span { samples.removeFirst() }
    let first = samples[0]
    // Nobody counts while nothing happens: what came after a long silence came lately.
    let elapsed = min(time - first.time, Self.span)
    return elapsed > 0 ? Double(total - first.total) / (Double(elapsed) / 1e9) : 0
  }
}
