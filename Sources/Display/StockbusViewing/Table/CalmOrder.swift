/// The order in which rows are shown. It follows the true order, but a row moves only after it has belonged in another place for some time,
/// so that two rows that keep overtaking each other do not flicker.
package struct CalmOrder {
  /// Rows as they are shown.
  package private(set) var rows: [Int32] = []
  /// The time since which a row has belonged in another place, by row; `never` if it is in its place.
  private var dueSince: [Int64] = []
  private static let never = Int64.max

  package init() {}

  /// Moves the shown order towards the true one. `delay` is how long a row must have belonged in another place, in nanoseconds; with 0
  /// the true order is taken at once.
  package mutating func follow(_ target: [Int32], at now: Int64, delay: Int64) {
    if target == rows {
      dueSince = []
      return
    }
    if delay <= 0 || rows.isEmpty { return take(target) }
    // By row: its place in the true order, and whether it is shown.
    let count = Int(max(target.max() ?? 0, rows.max() ?? 0)) + 1
    var places = [Int32](repeating: -1, count: count)
    for (place, row) in target.enumerated() { places[Int(row)] = Int32(place) }
    // Removed rows leave the order at once, and new rows are inserted at their true place at once.
    var kept = rows.filter { places[Int($0)] >= 0 }
    var isKnown = [Bool](repeating: false, count: count)
    for row in kept { isKnown[Int(row)] = true }
    var movers = target.filter { !isKnown[Int($0)] }
    let shownTarget = target.filter { isKnown[Int($0)] }
    var due = [Int64](repeating: Self.never, count: count)
    for (row, wanted) in zip(kept, shownTarget) where row != wanted {
      let since = min(now, Int(row) < dueSince.count ? dueSince[Int(row)] : now)
      if now - since >= delay { movers.append(row) } else { due[Int(row)] = since }
    }
    // If many rows move, replacing the order is faster than moving them one by one.
    if movers.count > min(kept.count / 4 + 32, Self.most) { return take(target) }
    if !movers.isEmpty {
      var isMoving = [Bool](repeating: false, count: count)
      for row in movers { isMoving[Int(row)] = true }
      kept.removeAll { isMoving[Int($0)] }
      for row in movers.sorted(by: { places[Int($0)] < places[Int($1)] }) {
        kept.insert(row, at: kept.firstIndex { places[Int($0)] > places[Int(row)] } ?? kept.count)
      }
    }
    rows = kept
    dueSince = due
  }

  /// Rows that are moved one by one at most: each passes many others.
  private static let most = 512

  /// Keeps the order, but adds new rows and removes rows that are no longer present.
  package mutating func hold(_ target: [Int32]) {
    let wanted = Set(target)
    let known = Set(rows)
    if wanted == known { return }
    rows = rows.filter(wanted.contains) + target.filter { !known.contains($0) }
  }

  package mutating func take(_ target: [Int32]) {
    rows = target
    dueSince = []
  }
}
