/// Stores which leaf covers which places, and how many entries are before each leaf.
///
/// Two levels: nodes of up to 64 leaves, and one root row of nodes. Both store running totals, not counts, so a rank is computed with two
/// additions. A change adjusts the totals between the old leaf and the new one: at most 64 in a node and one for each node between, a few
/// vector instructions even at a million entries.
///
/// A leaf covers the places from its own lower bound up to the next leaf's. Bounds change only when leaves are added or removed, so changes
/// within a leaf do not affect the spine.
struct Spine: ~Copyable {
  static var fanOut: Int { 64 }

  /// The position of a leaf: its node, and its slot in that node.
  struct Seat: BitwiseCopyable {
    /// The slot's number among all slots of all nodes.
    let at: UInt32

    @inline(__always)
    init(node: UInt32, slot: Int) { at = node &* UInt32(Spine.fanOut) &+ UInt32(truncatingIfNeeded: slot) }

    var node: UInt32 {
      @inline(__always) get { at / UInt32(Spine.fanOut) }
    }
    var slot: UInt32 {
      @inline(__always) get { at % UInt32(Spine.fanOut) }
    }
  }

  // By leaf.
  var seats = Slab<Seat>()

  // By node, `fanOut` slots each.
  var bounds = Slab<Place>()
  var before = Slab<UInt16>()
  var leaves = Slab<UInt32>()

  // By node.
  var leafCounts = Slab<UInt32>()
  var positions = Slab<UInt32>()  // Position in the root row.
  var freeNodes: [UInt32] = []

  // By position in the root row; the number of slots is a power of eight, and at least one of them is unused.
  var rootBounds = Slab<Place>()
  var rootBefore = Slab<UInt32>()
  var rootNodes = Slab<UInt32>()
  var rootCount = 0

  /// A spine of one leaf that covers every place.
  init(leaf: UInt32) {
    widenRoot(to: Self.fanOut)
    let node = makeNode()
    rootNodes[0] = node
    rootBounds[0] = .lowest
    rootBefore[0] = 0
    rootCount = 1
    positions[Int(node)] = 0
    put(leaf, in: node, slot: 0, bound: .lowest, before: 0)
    leafCounts[Int(node)] = 1
  }

  /// True if all leaves are in one node, as in an order of up to some thousand entries.
  @inline(__always)
  var isOneNode: Bool { rootCount == 1 }

  /// True if the two leaves are side by side in one node.
  @inline(__always)
  func areNeighbours(_ left: UInt32, _ right: UInt32) -> Bool {
    let (a, b) = (seats[Int(left)], seats[Int(right)])
    return a.node == b.node && (a.at == b.at &+ 1 || b.at == a.at &+ 1)
  }

  /// The number of entries before the leaf.
  @inline(__always)
  func entries(before leaf: UInt32) -> Int {
    let seat = seats[Int(leaf)]
    let inNode = Int(before[Int(seat.at)])
    // A single node has no entries before it.
    return isOneNode ? inNode : Int(rootBefore[Int(positions[Int(seat.node)])]) &+ inNode
  }

  /// True if the leaf covers `place`.
  @inline(__always)
  func covers(_ leaf: UInt32, _ place: Place) -> Bool {
    let seat = seats[Int(leaf)]
    let at = Int(seat.at)
    guard bounds[at] <= place else { return false }
    if seat.slot &+ 1 < leafCounts[Int(seat.node)] { return place < bounds[at &+ 1] }
    // The slot after the last node is unused and contains `.beyond`.
    return place < rootBounds[Int(positions[Int(seat.node)]) &+ 1]
  }

  /// The leaf that covers `place`.
  func leaf(covering place: Place) -> UInt32 {
    let position = rootBounds.last(atOrBefore: place, from: 0, width: rootBounds.count)
    return leaf(covering: place, in: rootNodes[position])
  }

  /// The leaf that covers `place`; found without the root if it is in the same node as `neighbour`.
  @inline(__always)
  func leaf(covering place: Place, near neighbour: UInt32) -> UInt32 {
    let node = seats[Int(neighbour)].node
    let position = Int(positions[Int(node)])
    if rootBounds[position] <= place, place < rootBounds[position &+ 1] { return leaf(covering: place, in: node) }
    return leaf(covering: place)
  }

  @inline(__always)
  private func leaf(covering place: Place, in node: UInt32) -> UInt32 {
    leaves[bounds.last(atOrBefore: place, from: Int(node) &* Self.fanOut, width: Self.fanOut)]
  }

  /// Counts an entry that was added to `leaf`.
  mutating func countEntry(in leaf: UInt32, _ amount: Int = 1) {
    let seat = seats[Int(leaf)]
    let first = Int(seat.node) * Self.fanOut
    before.add(
      UInt16(truncatingIfNeeded: amount), to: first + Int(seat.slot) + 1..<first + Int(leafCounts[Int(seat.node)]))
    rootBefore.add(UInt32(truncatingIfNeeded: amount), to: Int(positions[Int(seat.node)]) + 1..<rootCount)
  }

  /// Counts an entry that was moved from one leaf to another.
  @inline(__always)
  mutating func countMove(from source: UInt32, to target: UInt32) {
    let (left, entered) = (seats[Int(source)], seats[Int(target)])
    let (leftStart, enteredStart) = (Int(left.node) &* Self.fanOut, Int(entered.node) &* Self.fanOut)
    let (leftSlot, enteredSlot) = (Int(left.at), Int(entered.at))
    if left.node == entered.node {
      if leftSlot < enteredSlot {
        before.add(.max, to: leftSlot &+ 1..<enteredSlot &+ 1)
      } else {
        before.add(1, to: enteredSlot &+ 1..<leftSlot &+ 1)
      }
      return
    }
    before.add(.max, to: leftSlot &+ 1..<leftStart &+ Int(leafCounts[Int(left.node)]))
    before.add(1, to: enteredSlot &+ 1..<enteredStart &+ Int(leafCounts[Int(entered.node)]))
    let (leftPosition, enteredPosition) = (Int(positions[Int(left.node)]), Int(positions[Int(entered.node)]))
    if leftPosition < enteredPosition {
      rootBefore.add(.max, to: leftPosition &+ 1..<enteredPosition &+ 1)
    } else {
      rootBefore.add(1, to: enteredPosition &+ 1..<leftPosition &+ 1)
    }
  }

  /// Writes a leaf into a slot of a node.
  @inline(__always)
  mutating func put(_ leaf: UInt32, in node: UInt32, slot: Int, bound: Place, before count: UInt16) {
    let at = Int(node) * Self.fanOut + slot
    leaves[at] = leaf
    bounds[at] = bound
    before[at] = count
    seats.extend(to: Int(leaf) + 1, filling: Seat(node: 0, slot: 0))
    seats[Int(leaf)] = Seat(node: node, slot: slot)
  }
}
