// Reading changes nothing and costs O(log n).
extension RankedOrder {
  /// The rank of the entry, 0 for the best; nil when it is not in the order.
  func rank(of entry: UInt32, tie: UInt32 = 0) -> Int? {
    guard let (leaf, index) = find(RankedMember(entry, tie: tie)) else { return nil }
    return spine.entries(before: leaf) + index
  }

  /// The key the entry was last given; nil when it is not in the order.
  func key(of entry: UInt32) -> Int64? {
    guard isPresent(entry) else { return nil }
    return ordered(records[Int(entry)].key)
  }

  /// The entry that has the rank; nil when the rank is negative or not below `count`.
  func entry(atRank rank: Int) -> UInt32? {
    guard rank >= 0, rank < count else { return nil }
    let (position, slot, index) = spot(ofRank: rank)
    return leaves[spine.leaf(atPosition: position, slot: slot), index].entry
  }

  /// Calls `body` with the entries of these ranks and their keys, best first; ranks outside the order are left out.
  func forEach<Failure: Error>(ranks: Range<Int>, _ body: (UInt32, Int64) throws(Failure) -> Void) throws(Failure) {
    let ranks = ranks.clamped(to: 0..<count)
    guard !ranks.isEmpty else { return }
    var (position, slot, index) = spot(ofRank: ranks.lowerBound)
    var left = ranks.count
    while left > 0 {
      let leaf = spine.leaf(atPosition: position, slot: slot)
      let end = min(leaves.count(leaf), index + left)
      for at in index..<end {
        let place = leaves[leaf, at]
        try body(place.entry, ordered(place.key))
      }
      left -= end - index
      index = 0
      slot += 1
      if slot == spine.leafCount(atPosition: position) { (position, slot) = (position + 1, 0) }
    }
  }

  /// The leaf of the entry and its index there.
  func find(_ member: RankedMember) -> (leaf: UInt32, index: Int)? {
    guard isPresent(member.entry) else { return nil }
    let record = records[Int(member.entry)]
    let place = Place(key: record.key, member)
    return (record.leaf, leaves.index(of: place, in: record.leaf, hint: Int(record.hint)))
  }

  private func isPresent(_ entry: UInt32) -> Bool {
    Int(entry) < records.count && records[Int(entry)].isPresent
  }

  private func spot(ofRank rank: Int) -> (position: Int, slot: Int, index: Int) {
    let position = spine.rootBefore.last(atMost: UInt32(rank), in: 0..<spine.rootCount)
    let start = Int(spine.rootNodes[position]) * Spine.fanOut
    let inNode = rank - Int(spine.rootBefore[position])
    let at = spine.before.last(atMost: UInt16(inNode), in: start..<start + spine.leafCount(atPosition: position))
    return (position, at - start, inNode - Int(spine.before[at]))
  }
}

extension Spine {
  func leafCount(atPosition position: Int) -> Int { Int(leafCounts[Int(rootNodes[position])]) }

  func leaf(atPosition position: Int, slot: Int) -> UInt32 { leaves[Int(rootNodes[position]) * Self.fanOut + slot] }
}
