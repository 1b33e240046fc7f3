internal import MarketData

/// The value of an account during the run: at most 240 points, evenly spaced in time however long the run is.
struct EquityLine {
  struct Point: Hashable {
    let time: Timestamp
    let equity: Amount
  }

  private static let most = 240
  private(set) var points: [Point] = []
  /// The shortest time between two points but the last two, in nanoseconds.
  private var step: Int64 = 1_000_000_000

  /// The last point is always the last value; others are dropped where they are too close.
  mutating func add(_ equity: Amount, at time: Timestamp) {
    if points.count > 1, points[points.count - 1].time.ns &- points[points.count - 2].time.ns < step { points.removeLast() }
    points.append(Point(time: time, equity: equity))
    guard points.count > Self.most else { return }
    points = points.indices.compactMap { $0 % 2 == 0 || $0 == points.count - 1 ? points[$0] : nil }
    step *= 2
  }
}
