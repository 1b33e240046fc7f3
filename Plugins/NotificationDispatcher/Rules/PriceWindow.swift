internal import MarketData
internal import StockbusInstruments

/// The price in a period of time that a rule compares with: the lowest, the highest or the oldest in force.
///
/// A price is in force from its event until the next event, so the last price from before the period counts too. The result is exact for
/// any series: a monotonic deque (D. Lemire, "Streaming Maximum-Minimum Filter Using No More than Three Comparisons per Element", 2006)
/// that stores with each price when it went out of force.
struct PriceWindow: Sendable {
  enum Choice: String, BitwiseCopyable, Sendable, Codable {
    case lowest, highest, oldest

    /// True if a price can no longer be the result, now that another one is in force.
    @inline(__always)
    func isBeaten(_ earlier: Int64, by price: Int64) -> Bool {
      switch self {
      case .lowest: earlier >= price
      case .highest: earlier <= price
      case .oldest: earlier == price
      }
    }
  }

  private struct Point: BitwiseCopyable, Sendable {
    var price: Int64
    /// When the next event arrived, in nanoseconds; `.max` for the latest.
    var until: Int64
  }

  private let choice: Choice
  /// Nanoseconds; nil for all time.
  private let span: Int64?
  private let limit: Int
  /// A ring; its size is a power of two.
  private var points: ContiguousArray<Point> = []
  private var first = 0
  private(set) var count = 0
  /// Points that were dropped for lack of room, which shortens the period.
  private(set) var cut = 0

  /// The number of allocated places, without the one of an unlimited period, which nobody grants.
  var capacity: Int { span == nil ? 0 : points.count }

  /// - Parameter limit: the largest number of points. A price series needs one for each price level that it passed in one direction.
  init(_ choice: Choice, span: Int64?, limit: Int) {
    self.choice = choice
    self.span = span
    self.limit = max(1, limit)
  }

  /// The prices, each with the time at which it went out of force, the oldest first.
  struct Saved: Sendable, Codable {
    var points: [Int64] = []
    var cut = 0
  }

  var saved: Saved { Saved(points: (0..<count).flatMap { [points[place($0)].price, points[place($0)].until] }, cut: cut) }

  /// Goes on with the newest prices that another window has saved, as many as fit.
  mutating func restore(_ saved: Saved) {
    cut = min(max(0, saved.cut), 1 << 40)
    count = min(saved.points.count / 2, span == nil ? 1 : limit)
    if count == 0 { return }
    var places = span == nil ? 1 : 8
    while places < count { places *= 2 }
    points = ContiguousArray(repeating: Point(price: 0, until: 0), count: places)
    let first = saved.points.count / 2 - count
    for i in 0..<count { points[i] = Point(price: saved.points[2 * (first + i)], until: saved.points[2 * (first + i) + 1]) }
  }

  /// Takes the next price, whose time must not be before the last one's; returns the price to compare it with.
  ///
  /// - Parameter room: the number of places that all windows together may still allocate; the places that this one allocates are
  ///   subtracted.
  mutating func push(_ price: Int64, at time: Int64, room: inout Int) -> Int64 {
    guard let span else { return pushEndless(price) }
    if count == points.count || count == limit { makePlace(for: price, &room) }
    let (choice, start) = (choice, time.subtractingSaturating(span))
    var (first, count) = (first, count)
    var ring = points.mutableSpan
    let mask = ring.count &- 1
    if count > 0 {
      var back = (first &+ count &- 1) & mask
      // If two prices have the same time, the first was in force for no time.
      ring[back].until = time
      while count > 0, choice.isBeaten(ring[back].price, by: price) {
        count &-= 1
        back = (back &- 1) & mask
      }
    }
    ring[(first &+ count) & mask] = Point(price: price, until: .max)
    count &+= 1
    while count > 1, ring[first].until <= start {
      first = (first &+ 1) & mask
      count &-= 1
    }
    let reference = ring[first].price
    (self.first, self.count) = (first, count)
    return reference
  }

  /// For an unlimited period it is enough to store one price.
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

  private func place(_ index: Int) -> Int { (first + index) & (points.count - 1) }

  private mutating func dropFirst() {
    first = place(1)
    count -= 1
  }

  /// Corrects the points after the clock was set back: no price went out of force after `time`.
  mutating func setBack(to time: Int64) {
    for i in 0..<count where points[place(i)].until != .max { points[place(i)].until = min(points[place(i)].until, time) }
  }

  /// Applies a split to all prices; if one of them would be out of range, the window is cleared.
  mutating func apply(_ split: PriceSplit) {
    for i in 0..<count {
      guard let adjusted = split.adjust(points[place(i)].price) else {
        count = 0
        return
      }
      points[place(i)].price = adjusted
    }
  }

  /// Makes a place for a price: it may take that of prices which it beats; otherwise there are more places, or the first price goes.
  @inline(never)
  private mutating func makePlace(for price: Int64, _ room: inout Int) {
    if count > 0, choice.isBeaten(points[place(count - 1)].price, by: price) { return }
    if count == points.count, count < limit { grow(&room) }
    if count == limit || count == points.count {
      dropFirst()
      cut += 1
    }
  }

  /// Doubles the places, if there is room; the first place is always granted.
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
