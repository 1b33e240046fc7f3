// Adding and removing leaves. The cost of each operation is amortised over the dozens of insertions or removals that led to it.
extension Spine {
  /// Adds `leaf` directly after `neighbour`, from which it takes over the places from `bound` on; `kept` entries stay in the neighbour.
  mutating func insert(_ leaf: UInt32, after neighbour: UInt32, bound: Place, kept: Int) {
    var seat = seats[Int(neighbour)]
    let total = UInt16(before[Int(seat.node) * Self.fanOut + Int(seat.slot)]) + UInt16(kept)
    if leafCounts[Int(seat.node)] == UInt32(Self.fanOut) {
      if isLast(neighbour) {
        // So leaves that are added one after the other at the end fill the nodes instead of leaving them half full.
        addNode(with: leaf, after: seat.node, bound: bound, before: total)
        return
      }
      splitNode(seat.node)
      seat = seats[Int(neighbour)]
    }
    let start = Int(seat.node) * Self.fanOut
    let slot = Int(seat.slot) + 1
    let end = Int(leafCounts[Int(seat.node)])
    for moved in stride(from: end, to: slot, by: -1) {
      let at = start + moved - 1
      put(leaves[at], in: seat.node, slot: moved, bound: bounds[at], before: before[at])
    }
    // The node may have been split meanwhile, so the neighbour's total is read again.
    put(leaf, in: seat.node, slot: slot, bound: bound, before: before[start + slot - 1] + UInt16(kept))
    leafCounts[Int(seat.node)] += 1
  }

  /// Removes a leaf whose entries were removed or moved to the leaf before it. Its places are then covered by the leaf before it, or by the
  /// one after it if it is the first of its node. It must not be the only leaf.
  mutating func remove(_ leaf: UInt32) {
    let seat = seats[Int(leaf)]
    let start = Int(seat.node) * Self.fanOut
    let last = Int(leafCounts[Int(seat.node)]) - 1
    let nodeBound = bounds[start]
    for slot in Int(seat.slot)..<last {
      let at = start + slot + 1
      put(leaves[at], in: seat.node, slot: slot, bound: bounds[at], before: before[at])
    }
    bounds[start + last] = .beyond
    leafCounts[Int(seat.node)] = UInt32(last)
    if last == 0 {
      removeNode(seat.node)
    } else {
      bounds[start] = nodeBound
      mendNode(seat.node)
    }
  }

  /// The leaf that follows within the same node.
  func neighbour(after leaf: UInt32) -> UInt32? {
    let seat = seats[Int(leaf)]
    guard seat.slot + 1 < leafCounts[Int(seat.node)] else { return nil }
    return leaves[Int(seat.node) * Self.fanOut + Int(seat.slot) + 1]
  }

  /// The leaf that precedes within the same node.
  func neighbour(before leaf: UInt32) -> UInt32? {
    let seat = seats[Int(leaf)]
    guard seat.slot > 0 else { return nil }
    return leaves[Int(seat.node) * Self.fanOut + Int(seat.slot) - 1]
  }

  func isFirst(_ leaf: UInt32) -> Bool {
    let seat = seats[Int(leaf)]
    return seat.slot == 0 && positions[Int(seat.node)] == 0
  }

  func isLast(_ leaf: UInt32) -> Bool {
    let seat = seats[Int(leaf)]
    return seat.slot + 1 == leafCounts[Int(seat.node)] && Int(positions[Int(seat.node)]) + 1 == rootCount
  }

  var isOneLeaf: Bool { rootCount == 1 && leafCounts[Int(rootNodes[0])] == 1 }
}

// Adding and removing nodes.
extension Spine {
  mutating func makeNode() -> UInt32 {
    if let node = freeNodes.popLast() { return node }
    let node = leafCounts.count
    leafCounts.extend(to: node + 1, filling: 0)
    positions.extend(to: node + 1, filling: 0)
    bounds.extend(to: (node + 1) * Self.fanOut, filling: .beyond)
    before.extend(to: (node + 1) * Self.fanOut, filling: 0)
    leaves.extend(to: (node + 1) * Self.fanOut, filling: 0)
    return UInt32(node)
  }

  /// Gives the root row `width` slots, a power of eight.
  mutating func widenRoot(to width: Int) {
    rootBounds.extend(to: width, filling: .beyond)
    rootBefore.extend(to: width, filling: 0)
    rootNodes.extend(to: width, filling: 0)
  }

  /// Moves the upper half of a full node to a new node after it.
  private mutating func splitNode(_ node: UInt32) {
    let half = Self.fanOut / 2
    let right = makeNode()
    let start = Int(node) * Self.fanOut
    let total = before[start + half]
    insertInRoot(right, after: node, bound: bounds[start + half], before: total)
    moveLeaves(of: node, from: half, to: right, subtracting: total)
  }

  /// Adds a node with one leaf directly after `node`, in which `total` entries are before the leaf.
  private mutating func addNode(with leaf: UInt32, after node: UInt32, bound: Place, before total: UInt16) {
    let right = makeNode()
    insertInRoot(right, after: node, bound: bound, before: total)
    put(leaf, in: right, slot: 0, bound: bound, before: 0)
    leafCounts[Int(right)] = 1
  }

  /// Joins a node that has become small with its neighbour if both fit with room to spare.
  private mutating func mendNode(_ node: UInt32) {
    guard leafCounts[Int(node)] < UInt32(Self.fanOut / 4) else { return }
    let position = Int(positions[Int(node)])
    if position + 1 < rootCount, joinNodes(node, rootNodes[position + 1]) { return }
    if position > 0 { _ = joinNodes(rootNodes[position - 1], node) }
  }

  private mutating func joinNodes(_ left: UInt32, _ right: UInt32) -> Bool {
    guard leafCounts[Int(left)] + leafCounts[Int(right)] <= UInt32(Self.fanOut * 3 / 4) else { return false }
    let distance = rootBefore[Int(positions[Int(right)])] - rootBefore[Int(positions[Int(left)])]
    moveLeaves(of: right, from: 0, to: left, subtracting: 0 &- UInt16(distance))
    removeNode(right)
    return true
  }

  private mutating func moveLeaves(of node: UInt32, from slot: Int, to target: UInt32, subtracting total: UInt16) {
    let count = Int(leafCounts[Int(node)])
    var end = Int(leafCounts[Int(target)])
    for at in Int(node) * Self.fanOut + slot..<Int(node) * Self.fanOut + count {
      put(leaves[at], in: target, slot: end, bound: bounds[at], before: before[at] &- total)
      bounds[at] = .beyond
      end += 1
    }
    leafCounts[Int(node)] = UInt32(slot)
    leafCounts[Int(target)] = UInt32(end)
  }

  private mutating func insertInRoot(_ node: UInt32, after neighbour: UInt32, bound: Place, before total: UInt16) {
    // One slot stays unused after this, as the upper bound of the last node.
    if rootCount + 2 > rootNodes.count { widenRoot(to: rootNodes.count * 8) }
    let position = Int(positions[Int(neighbour)]) + 1
    for at in stride(from: rootCount, to: position, by: -1) { moveInRoot(from: at - 1, to: at) }
    rootNodes[position] = node
    rootBounds[position] = bound
    rootBefore[position] = rootBefore[position - 1] + UInt32(total)
    positions[Int(node)] = UInt32(position)
    rootCount += 1
  }

  /// Removes a node without leaves from the root row; its places are then covered by the node before it, or by the one after it if it is
  /// the first.
  private mutating func removeNode(_ node: UInt32) {
    let position = Int(positions[Int(node)])
    for at in position..<rootCount - 1 { moveInRoot(from: at + 1, to: at) }
    rootCount -= 1
    rootBounds[rootCount] = .beyond
    rootBounds[0] = .lowest
    bounds[Int(rootNodes[0]) * Self.fanOut] = .lowest
    freeNodes.append(node)
  }

  private mutating func moveInRoot(from source: Int, to target: Int) {
    rootNodes[target] = rootNodes[source]
    rootBounds[target] = rootBounds[source]
    rootBefore[target] = rootBefore[source]
    positions[Int(rootNodes[target])] = UInt32(target)
  }
}
