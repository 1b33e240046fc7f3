internal import MarketData

/// The trailing stops of one side of an instrument.
///
/// Prices are `x`: the price for sells, and minus the price for buys, so that a stop always follows the highest x and is triggered by a low
/// one. Orders with the same best x are a group; a higher x merges all groups below it into one, which costs one step for each. So a price
/// that keeps rising costs the same with one order and with 10,000, and a price between the lowest best and the highest stop costs two
/// comparisons.
struct TrailBook {
  struct Group {
    var best: Int64
    /// The group's orders by distance, the nearest first: one heap for distances as prices, one for those in per cent.
    var byPrice: Int32 = OrderHeaps.none
    var byPercent: Int32 = OrderHeaps.none
    /// The group's highest stop.
    var stop: Int64 = .min
    /// The highest stop of this group and the previous ones.
    var highest: Int64 = .min
    /// True if `best` has changed since it was reported.
    var hasMoved = false

    var isEmpty: Bool { byPrice == OrderHeaps.none && byPercent == OrderHeaps.none }
  }

  /// 100 per cent.
  static var whole: Int64 { 100_000_000_000 }
  /// The best of orders without a price so far.
  static var nothing: Int64 { .min }

  let isBuy: Bool
  /// The groups, the highest best first.
  private(set) var groups: ContiguousArray<Group> = []

  init(isBuy: Bool) { self.isBuy = isBuy }

  /// A higher x than this one changes stops.
  @inline(__always)
  var lowestBest: Int64 { groups.last?.best ?? .max }
  /// This x and lower ones trigger orders.
  @inline(__always)
  var highestStop: Int64 { groups.last?.highest ?? .min }

  /// The x of a price, and the price of an x.
  @inline(__always)
  func flip(_ price: Int64) -> Int64 { isBuy ? 0 &- price : price }

  mutating func insert(_ order: Int32, best: Int64, distance: Int64, inPercent: Bool, number: Int64, _ heaps: inout OrderHeaps) {
    var at = groups.count
    while at > 0, groups[at - 1].best < best { at -= 1 }
    if at == 0 || groups[at - 1].best != best {
      groups.insert(Group(best: best), at: at)
    } else {
      at -= 1
    }
    if inPercent {
      heaps.insert(order, key: distance, number: number, into: &groups[at].byPercent)
    } else {
      heaps.insert(order, key: distance, number: number, into: &groups[at].byPrice)
    }
    update(from: at, heaps)
  }

  /// Removes an order of this book and returns its best x.
  mutating func remove(_ order: Int32, _ heaps: inout OrderHeaps) -> Int64 {
    let root = heaps.first(ofHeapWith: order)
    guard let at = groups.firstIndex(where: { $0.byPrice == root || $0.byPercent == root }) else { return Self.nothing }
    let best = groups[at].best
    if groups[at].byPrice == root {
      heaps.remove(order, from: &groups[at].byPrice)
    } else {
      heaps.remove(order, from: &groups[at].byPercent)
    }
    if groups[at].isEmpty { groups.remove(at: at) }
    update(from: at, heaps)
    return best
  }

  /// Takes a price: every lower best becomes this one.
  mutating func raise(_ x: Int64, _ heaps: inout OrderHeaps) {
    guard let last = groups.last, last.best < x else { return }
    var group = Group(best: x, hasMoved: true)
    while let last = groups.last, last.best <= x {
      group.byPrice = heaps.merged(group.byPrice, last.byPrice)
      group.byPercent = heaps.merged(group.byPercent, last.byPercent)
      groups.removeLast()
    }
    groups.append(group)
    update(from: groups.count - 1, heaps)
  }

  /// Removes one order that x triggers, and returns it with its best x; nil if there is none.
  mutating func popTriggered(_ x: Int64, _ heaps: inout OrderHeaps) -> (order: Int32, best: Int64)? {
    guard x <= highestStop else { return nil }
    for at in groups.indices where groups[at].stop >= x {
      let best = groups[at].best
      let order: Int32
      if let first = first(groups[at].byPrice), stop(best, heaps.key(of: first), inPercent: false) >= x {
        order = first
        heaps.remove(order, from: &groups[at].byPrice)
      } else {
        order = groups[at].byPercent
        heaps.remove(order, from: &groups[at].byPercent)
      }
      if groups[at].isEmpty { groups.remove(at: at) }
      update(from: at, heaps)
      return (order, best)
    }
    return nil
  }

  /// Calls `body` with each order of the groups whose best has changed since the last call, and with that best.
  mutating func takeMoved(_ heaps: OrderHeaps, _ body: (Int32, Int64) -> Void) {
    for at in groups.indices where groups[at].hasMoved {
      groups[at].hasMoved = false
      heaps.forEach(in: groups[at].byPrice) { body($0, groups[at].best) }
      heaps.forEach(in: groups[at].byPercent) { body($0, groups[at].best) }
    }
  }

  /// The stop's x at this distance from the best. In per cent it is rounded to a billionth away from the best: down for sells, up for buys.
  func stop(_ best: Int64, _ distance: Int64, inPercent: Bool) -> Int64 {
    if best == Self.nothing { return .min }
    if !inPercent {
      let (stop, overflow) = best.subtractingReportingOverflow(distance)
      return overflow ? .min : stop
    }
    let factor = isBuy ? Self.whole + distance : Self.whole - distance
    // Both are above zero: prices are, and the distance is below 100 per cent.
    let product = best.magnitude.multipliedFullWidth(by: factor.magnitude)
    guard product.high < UInt64(Self.whole) else { return .min }
    let (quotient, rest) = UInt64(Self.whole).dividingFullWidth(product)
    guard let price = Int64(exactly: quotient), price < .max else { return .min }
    return isBuy ? -(rest > 0 ? price + 1 : price) : price
  }

  private func first(_ heap: Int32) -> Int32? { heap == OrderHeaps.none ? nil : heap }

  /// Recomputes the highest stops, from the group at `start` on.
  private mutating func update(from start: Int, _ heaps: OrderHeaps) {
    var highest = start > 0 ? groups[start - 1].highest : .min
    for at in start..<max(start, groups.count) {
      let group = groups[at]
      var stop = Int64.min
      if let first = first(group.byPrice) { stop = self.stop(group.best, heaps.key(of: first), inPercent: false) }
      if let first = first(group.byPercent) { stop = max(stop, self.stop(group.best, heaps.key(of: first), inPercent: true)) }
      highest = max(highest, stop)
      groups[at].stop = stop
      groups[at].highest = highest
    }
  }
}

extension TrailBook {
  /// Calls `body` with each order and its best x.
  func forEach(_ heaps: OrderHeaps, _ body: (Int32, Int64) -> Void) {
    for group in groups {
      heaps.forEach(in: group.byPrice) { body($0, group.best) }
      heaps.forEach(in: group.byPercent) { body($0, group.best) }
    }
  }
}
