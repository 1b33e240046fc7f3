internal import MarketData

/// The one price out of a stretch of time that a rule compares with: the lowest, the highest or the oldest in force.
///
/// A price is in force from its event until the next one's, so the price from before the stretch counts as long as it was the
/// last one when the stretch began. Exact for any series: a monotonic deque (D. Lemire, "Streaming Maximum-Minimum Filter Using No
/// More than Three Comparisons per Element", 2006) that keeps, beside each price, when it went out of force.
struct PriceWindow: Sendable {
  enum Choice: UInt8, BitwiseCopyable, Sendable {
    case lowest, highest, oldest
  }

  private struct Point: BitwiseCopyable, Sendable {
    var price: Int64
    /// When the next event came, in nanoseconds; `.max` for the latest.
    var until: Int64
  }

  private let choice: Choice
  /// Nanoseconds; nil for all time.
  private let span: Int64?
  private let limit: Int
  /// A ring of a power of two of places.
  private var points: ContiguousArray<Point> = []
  private var first = 0
  private(set) var count = 0
  /// Points that had no room: the stretch was shorter than asked for.
  private(set) var cut = 0

  /// Places for points that are kept.
  var capacity: Int { points.count }

  /// - Parameter limit: points at most. A price series needs one for each price level that it moved through in one direction.
  init(_ choice: Choice, span: Int64?, limit: Int) {
    self.choice = choice
    self.span = span
    self.limit = max(1, limit)
  }

  /// Takes the next price, whose time must not be before the last one's; answers the price to compare it with.
  ///
  /// - Parameter room: places that all windows together may still take; what this one takes is subtracted.
  mutating func push(_ price: Int64, at time: Int64, room: inout Int) -> Int64 {
    guard let span else { return pushEndless(price) }
    if count > 0 {
      let back = place(count - 1)
      // Two prices of one moment: the first was never in force for any time.
      points[back].until = time
      while count > 0, isBeaten(points[place(count - 1)], by: price) { count -= 1 }
    }
    append(Point(price: price, until: .max), room: &room)
    let begin = time.subtractingReportingOverflow(span)
    let start = begin.overflow ? Int64.min : begin.partialValue
    while count > 1, points[first].until <= start { dropFirst() }
    return points[first].price
  }

  /// Without an end to the stretch one price is all there is to know.
  private mutating func pushEndless(_ price: Int64) -> Int64 {
    if count == 0 {
      points = [Point(price: price, until: .max)]
      count = 1
    }
    switch choice {
    case .lowest: points[first].price = min(points[first].price, price)
    case .highest: points[first].price = max(points[first].price, price)
    case .oldest: break
    }
    return points[first].price
  }

  /// True where a point can never be the answer again, now that this price is in force.
  private func isBeaten(_ point: Point, by price: Int64) -> Bool {
    switch choice {
    case .lowest: point.price >= price
    case .highest: point.price <= price
    case .oldest: point.price == price
    }
  }

  private func place(_ index: Int) -> Int { (first + index) & (points.count - 1) }

  private mutating func dropFirst() {
    first = place(1)
    count -= 1
  }

  /// The clock was wrong: no price went out of force after `time`.
  mutating func setBack(to time: Int64) {
    for i in 0..<count where points[place(i)].until != .max { points[place(i)].until = min(points[place(i)].until, time) }
  }

  private mutating func append(_ point: Point, room: inout Int) {
    if count == points.count, count < limit { grow(&room) }
    if count == limit || count == points.count {
      dropFirst()
      cut += 1
    }
    points[place(count)] = point
    count += 1
  }

  /// Twice as many places, where there is room; the first one there is always.
  private mutating func grow(_ room: inout Int) {
    let old = points
    var wanted = max(8, old.count * 2)
    if wanted - old.count > room {
      guard old.isEmpty else { return }
      wanted = 1
    }
    room -= min(room, wanted - old.count)
    points = ContiguousArray(repeating: Point(price: 0, until: 0), count: wanted)
    for i in 0..<count { points[i] = old[(first + i) & (old.count - 1)] }
    first = 0
  }
}
