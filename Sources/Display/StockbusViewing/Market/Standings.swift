/// The order of a ranking, updated move by move.
package struct Standings {
  /// Rows from rank 1 on.
  package private(set) var order: [Int32] = []
  /// True if the ranking arrives through a filter: moves are missing then, so each symbol has the rank of its last event.
  package private(set) var isPartial = false

  package init() {}

  /// The rank of every row, by row; 0 if it has none. In a partial ranking, the ranks of the last events.
  package func ranks(_ rows: ContiguousArray<Row>) -> [Int32] {
    var ranks = rows.map(\.rank)
    if !isPartial { for (place, row) in order.enumerated() { ranks[Int(row)] = Int32(place + 1) } }
    return ranks
  }

  /// The ranks of a few rows, by row.
  package func ranks(of few: some Collection<Int32>, _ rows: ContiguousArray<Row>) -> [Int32: Int32] {
    var ranks = Dictionary(few.map { ($0, rows[Int($0)].rank) }) { first, _ in first }
    if isPartial || order.isEmpty { return ranks }
    for (place, row) in order.enumerated() where ranks[row] != nil { ranks[row] = Int32(place + 1) }
    return ranks
  }

  /// Applies one move: the row leaves the old rank and gets the new one; all rows between shift by one. Rank 0 means that it leaves.
  ///
  /// `rows` has the last ranks of the others; they are used for partial rankings only.
  package mutating func move(_ row: Int32, to rank: Int, from previous: Int, _ rows: ContiguousArray<Row>) {
    let old: Int? = previous >= 1 && previous <= order.count && order[previous - 1] == row ? previous - 1 : order.firstIndex(of: row)
    // In a complete ranking no rank exceeds the number of symbols.
    if rank > order.count + (old == nil ? 1 : 0) { isPartial = true }
    if isPartial {
      if let old { order.remove(at: old) }
      if rank > 0 { order.insert(row, at: order.firstIndex { rows[Int($0)].rank >= rank } ?? order.count) }
      return
    }
    if rank == 0 {
      if let old { order.remove(at: old) }
      return
    }
    var at: Int
    if let old {
      at = old
    } else {
      at = order.count
      order.append(row)
    }
    // Only the rows between the two ranks are moved; most moves are short.
    let target = rank - 1
    while at > target {
      order[at] = order[at - 1]
      at -= 1
    }
    while at < target {
      order[at] = order[at + 1]
      at += 1
    }
    order[at] = row
  }
}
