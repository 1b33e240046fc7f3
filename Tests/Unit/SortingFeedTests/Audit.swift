import Testing

@testable import SortingFeed

/// Expects the invariants of the order to hold: every statement about the tree in its files, checked in a slow way.
func expectSound(_ order: borrowing RankedOrder, sourceLocation: SourceLocation = #_sourceLocation) {
  var faults: [String] = []
  func check(_ holds: Bool, _ fault: @autoclosure () -> String) { if !holds { faults.append(fault()) } }

  let nodes = order.spine.rootCount
  var seen = 0
  var leavesSeen = 0
  var upper = Place.lowest
  check(nodes >= 1 && nodes < order.spine.rootNodes.count, "the root row has no unused slot")
  check(order.spine.rootBounds[0] == .lowest, "the first node does not begin at the lowest place")
  for position in nodes..<order.spine.rootBounds.count {
    check(order.spine.rootBounds[position] == .beyond, "an unused root slot is not beyond")
  }
  for position in 0..<nodes {
    let node = order.spine.rootNodes[position]
    let start = Int(node) * Spine.fanOut
    let leafCount = Int(order.spine.leafCounts[Int(node)])
    check(Int(order.spine.positions[Int(node)]) == position, "node \(node) does not know its position")
    check(Int(order.spine.rootBefore[position]) == seen, "node \(node) counts wrongly what is before it")
    check(order.spine.bounds[start] == order.spine.rootBounds[position], "node \(node) and the root differ on its bound")
    check(leafCount >= 1 && leafCount <= Spine.fanOut, "node \(node) has \(leafCount) leaves")
    for slot in leafCount..<Spine.fanOut {
      check(order.spine.bounds[start + slot] == .beyond, "an unused slot of node \(node) is not beyond")
    }
    let nodeStart = seen
    for slot in 0..<leafCount {
      let leaf = order.spine.leaves[start + slot]
      let count = order.leaves.count(leaf)
      let seat = order.spine.seats[Int(leaf)]
      let bound = order.spine.bounds[start + slot]
      leavesSeen += 1
      check(seat.node == node && Int(seat.slot) == slot, "leaf \(leaf) does not know its seat")
      check(Int(order.spine.before[start + slot]) == seen - nodeStart, "leaf \(leaf) counts wrongly what is before it")
      check(order.spine.entries(before: leaf) == seen, "leaf \(leaf) adds its rank up wrongly")
      check(count <= LeafPages.capacity, "leaf \(leaf) is too full")
      check(count > 0 || (nodes == 1 && leafCount == 1), "leaf \(leaf) is empty and not alone")
      check(leavesSeen == 1 || bound > upper, "the bound of leaf \(leaf) is not above all before it")
      upper = max(upper, bound)
      for index in 0..<LeafPages.capacity {
        let place = order.leaves[leaf, index]
        guard index < count else {
          check(place == .beyond, "an unused slot of leaf \(leaf) is not beyond")
          continue
        }
        check(place >= bound, "a place of leaf \(leaf) is below its bound")
        check(place > upper || (index == 0 && place == upper), "the places do not rise at leaf \(leaf)")
        upper = max(upper, place)
        let record = order.records[Int(place.entry)]
        check(record.leaf == leaf && record.key == place.key, "entry \(place.entry) does not know its place")
        check(Int(record.hint) < LeafPages.capacity, "the hint of entry \(place.entry) leaves the page")
      }
      seen += count
    }
  }
  check(seen == order.count, "\(seen) places for \(order.count) entries")
  var present = 0
  for entry in 0..<order.records.count where order.records[entry].isPresent { present += 1 }
  check(present == order.count, "\(present) records for \(order.count) entries")
  // Leaves are joined, so pages are given back when entries are removed.
  check(leavesSeen <= max(1, seen), "more leaves than entries")
  #expect(faults.isEmpty, sourceLocation: sourceLocation)
}

/// Expects the order to contain exactly the rows of the model, in every way of reading it.
func expectSame(
  _ order: borrowing RankedOrder, _ model: Model, sourceLocation: SourceLocation = #_sourceLocation
) {
  var rows: [(key: Int64, entry: UInt32)] = []
  order.forEach(ranks: 0..<order.count) { entry, key in rows.append((key, entry)) }
  #expect(rows.map(\.entry) == model.rows.map(\.entry), sourceLocation: sourceLocation)
  #expect(rows.map(\.key) == model.rows.map(\.key), sourceLocation: sourceLocation)
  var wrong: [Int] = []
  for (rank, row) in model.rows.enumerated()
  where order.entry(atRank: rank) != row.entry || order.rank(of: row.entry) != rank || order.key(of: row.entry) != row.key {
    wrong.append(rank)
  }
  #expect(wrong.isEmpty, sourceLocation: sourceLocation)
  let count = order.count
  #expect(count == model.rows.count, sourceLocation: sourceLocation)
}
