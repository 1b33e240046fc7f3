/// The order that a ranking tells, followed move by move.
struct Standings {
  /// Rows from rank 1 on.
  private(set) var order: [Int32] = []
  /// True where the ranking comes through a filter: its moves cannot be followed, so each symbol stands by the last rank it told.
  private(set) var isPartial = false

  /// The rank of every row, by row; 0 where it has none. The last ranks that were told where moves cannot be followed.
  func ranks(_ rows: ContiguousArray<Row>) -> [Int32] {
    var ranks = rows.map(\.rank)
    if !isPartial { for (place, row) in order.enumerated() { ranks[Int(row)] = Int32(place + 1) } }
    return ranks
  }

  /// One move: out of the old place, into the new one; everything between shifts by one. Rank 0 leaves.
  ///
  /// `rows` tells the last ranks of the others; they are looked at for partial rankings only.
  mutating func move(_ row: Int32, to rank: Int, from previous: Int, _ rows: ContiguousArray<Row>) {
    let old: Int? = previous >= 1 && previous <= order.count && order[previous - 1] == row ? previous - 1 : order.firstIndex(of: row)
    // In a whole ranking no rank is beyond the symbols there are.
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
    // Only what lies between moves: most moves are short.
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
