/// The order in which rows are shown. It follows the true order, but a row moves only after it has belonged in another place for some time,
/// so that two rows that keep overtaking each other do not flicker.
package struct CalmOrder {
  /// Rows as they are shown.
  package private(set) var rows: [Int32] = []
  /// Since when a row has belonged in another place.
  private var dueSince: [Int32: Int64] = [:]

  package init() {}

  /// Moves the shown order towards the true one. `delay` is how long a row must have belonged in another place, in nanoseconds; with 0
  /// the true order is taken at once.
  package mutating func follow(_ target: [Int32], at now: Int64, delay: Int64) {
    if target == rows {
      if !dueSince.isEmpty { dueSince = [:] }
      return
    }
    if delay <= 0 || rows.isEmpty { return take(target) }
    let places = Dictionary(uniqueKeysWithValues: target.enumerated().map { ($1, $0) })
    // Rows that are gone are removed at once, and new rows are inserted at their true place at once.
    var kept = rows.filter { places[$0] != nil }
    let known = Set(kept)
    var movers = target.filter { !known.contains($0) }
    let shownTarget = target.filter { known.contains($0) }
    var due: [Int32: Int64] = [:]
    for (row, wanted) in zip(kept, shownTarget) where row != wanted {
      let since = dueSince[row] ?? now
      if now - since >= delay { movers.append(row) } else { due[row] = since }
    }
    // If many rows move, replacing the order is faster than moving them one by one.
    if movers.count > kept.count / 4 + 32 { return take(target) }
    if !movers.isEmpty {
      let moving = Set(movers)
      kept.removeAll { moving.contains($0) }
      for row in movers.sorted(by: { places[$0, default: 0] < places[$1, default: 0] }) {
        let place = places[row, default: 0]
        kept.insert(row, at: kept.firstIndex { places[$0, default: 0] > place } ?? kept.count)
      }
    }
    rows = kept
    dueSince = due
  }

  /// Keeps the order, but adds new rows and removes rows that are gone.
  package mutating func hold(_ target: [Int32]) {
    let wanted = Set(target)
    let known = Set(rows)
    if wanted == known { return }
    rows = rows.filter(wanted.contains) + target.filter { !known.contains($0) }
  }

  package mutating func take(_ target: [Int32]) {
    rows = target
    dueSince = [:]
  }
}
