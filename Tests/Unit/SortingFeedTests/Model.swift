@testable import SortingFeed

/// The simplest model of `RankedOrder`: a sorted array of (key, entry).
struct Model {
  private(set) var rows: [(key: Int64, entry: UInt32)] = []
  private var keys: [UInt32: Int64] = [:]
  let descending: Bool

  init(descending: Bool) { self.descending = descending }

  private func comes(_ left: (key: Int64, entry: UInt32), before right: (key: Int64, entry: UInt32)) -> Bool {
    if left.key != right.key { return descending ? left.key > right.key : left.key < right.key }
    return left.entry < right.entry
  }

  /// The number of rows before the row, not counting itself.
  private func rank(of row: (key: Int64, entry: UInt32)) -> Int {
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if comes(rows[middle], before: row) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func rank(of entry: UInt32) -> Int? { keys[entry].map { rank(of: ($0, entry)) } }

  func key(of entry: UInt32) -> Int64? { keys[entry] }

  mutating func update(_ entry: UInt32, key: Int64) -> (previous: Int?, rank: Int) {
    let previous = remove(entry)
    let rank = rank(of: (key, entry))
    rows.insert((key, entry), at: rank)
    keys[entry] = key
    return (previous, rank)
  }

  mutating func remove(_ entry: UInt32) -> Int? {
    guard let rank = rank(of: entry) else { return nil }
    rows.remove(at: rank)
    keys[entry] = nil
    return rank
  }
}
