// Keeps the sizes of leaves between small and full. After a split or a join a leaf is far from both, so dozens of insertions or removals
// pass before the next one.
extension RankedOrder {
  /// A leaf with fewer entries is joined with a neighbour if possible.
  static var smallLeaf: Int { LeafPages.capacity / 4 }
  /// The largest number of entries that two leaves may have together to be joined.
  static var joinedLeaf: Int { LeafPages.capacity * 3 / 4 }

  /// Returns the leaf that covers `place` and has room for it. `leaf` covers it now, and is split if it is full.
  mutating func leafWithRoom(for place: Place, in leaf: UInt32) -> UInt32 {
    guard leaves.count(leaf) == LeafPages.capacity else { return leaf }
    let kept = entriesKept(splitting: leaf, for: place)
    let bound = kept < LeafPages.capacity ? leaves[leaf, kept] : place
    let right = leaves.make()
    leaves.moveTail(of: leaf, from: kept, to: right)
    rememberEntries(of: right, from: 0)
    spine.insert(right, after: leaf, bound: bound, kept: kept)
    return place < bound ? leaf : right
  }

  /// Half of them, except at the two ends of the order, so that entries that arrive there one after the other fill the leaves instead of
  /// leaving them half full.
  private func entriesKept(splitting leaf: UInt32, for place: Place) -> Int {
    if place > leaves[leaf, LeafPages.capacity - 1], spine.isLast(leaf) { return LeafPages.capacity }
    if place < leaves[leaf, 0], spine.isFirst(leaf) { return 0 }
    return LeafPages.capacity / 2
  }

  /// Joins a leaf that has become small with a neighbour if both fit with room to spare; removes it if it is empty.
  mutating func mend(_ leaf: UInt32) {
    guard leaves.count(leaf) < Self.smallLeaf else { return }
    if leaves.count(leaf) == 0 {
      if !spine.isOneLeaf { drop(leaf) }
    } else if let right = spine.neighbour(after: leaf), canJoin(leaf, right) {
      join(leaf, right)
    } else if let left = spine.neighbour(before: leaf), canJoin(left, leaf) {
      join(left, leaf)
    }
  }

  private func canJoin(_ left: UInt32, _ right: UInt32) -> Bool {
    leaves.count(left) + leaves.count(right) <= Self.joinedLeaf
  }

  private mutating func join(_ left: UInt32, _ right: UInt32) {
    let kept = leaves.count(left)
    leaves.moveTail(of: right, from: 0, to: left)
    rememberEntries(of: left, from: kept)
    drop(right)
  }

  private mutating func drop(_ leaf: UInt32) {
    spine.remove(leaf)
    leaves.discard(leaf)
  }

  /// Updates the records of the leaf's entries from `index` on.
  mutating func rememberEntries(of leaf: UInt32, from index: Int) {
    for at in index..<leaves.count(leaf) { remember(leaves[leaf, at], in: leaf, at: at) }
  }
}
