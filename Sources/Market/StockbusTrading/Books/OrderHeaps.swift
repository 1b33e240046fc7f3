/// Priority queues of orders, all in one array of nodes: the first of each is the one with the smallest key, then the smallest number.
///
/// They are pairing heaps (Fredman, Sedgewick, Sleator and Tarjan, "The Pairing Heap: A New Form of Self-Adjusting Heap", 1986). A heap is
/// the index of its first node, or `none`, and an order's node has the order's index. Adding an order and merging two heaps take constant
/// time, removing any order takes logarithmic time on average, and nothing is allocated.
struct OrderHeaps {
  struct Node: BitwiseCopyable {
    var key: Int64 = 0
    var number: Int64 = 0
    /// The first of the nodes below this one.
    var child: Int32 = none
    /// The next node with the same parent.
    var next: Int32 = none
    /// The previous node with the same parent; the parent for a first child, `none` for the first node of a heap.
    var previous: Int32 = none
  }

  static var none: Int32 { -1 }
  private(set) var nodes: ContiguousArray<Node> = []

  /// Makes `index` valid.
  mutating func grow(toHold index: Int32) {
    while nodes.count <= Int(index) { nodes.append(Node()) }
  }

  @inline(__always)
  func key(of node: Int32) -> Int64 { nodes[Int(node)].key }

  @inline(__always)
  func number(of node: Int32) -> Int64 { nodes[Int(node)].number }

  mutating func insert(_ node: Int32, key: Int64, number: Int64, into heap: inout Int32) {
    nodes[Int(node)] = Node(key: key, number: number)
    heap = merged(heap, node)
  }

  /// Merges two heaps into one.
  mutating func merged(_ a: Int32, _ b: Int32) -> Int32 {
    if a == Self.none { return b }
    if b == Self.none { return a }
    let isFirst = precedes(a, b)
    let (first, second) = isFirst ? (a, b) : (b, a)
    let child = nodes[Int(first)].child
    nodes[Int(second)].next = child
    nodes[Int(second)].previous = first
    if child != Self.none { nodes[Int(child)].previous = second }
    nodes[Int(first)].child = second
    nodes[Int(first)].next = Self.none
    nodes[Int(first)].previous = Self.none
    return first
  }

  /// Removes a node of `heap`.
  mutating func remove(_ node: Int32, from heap: inout Int32) {
    let below = paired(nodes[Int(node)].child)
    if node == heap {
      heap = below
      return
    }
    // The nodes below this one are not before its parent, so they can take its place.
    let (previous, next) = (nodes[Int(node)].previous, nodes[Int(node)].next)
    let replacement = below == Self.none ? next : below
    if nodes[Int(previous)].child == node {
      nodes[Int(previous)].child = replacement
    } else {
      nodes[Int(previous)].next = replacement
    }
    if below != Self.none {
      nodes[Int(below)].previous = previous
      nodes[Int(below)].next = next
      if next != Self.none { nodes[Int(next)].previous = below }
    } else if next != Self.none {
      nodes[Int(next)].previous = previous
    }
  }

  /// The first node of the heap that contains `node`. Walks past the earlier nodes with the same parent, so it is only for cancellations.
  func first(ofHeapWith node: Int32) -> Int32 {
    var at = node
    while nodes[Int(at)].previous != Self.none { at = nodes[Int(at)].previous }
    return at
  }

  /// Calls `body` with every node of `heap`, in an undefined order.
  func forEach(in heap: Int32, _ body: (Int32) -> Void) {
    var waiting = heap == Self.none ? [] : [heap]
    while let node = waiting.popLast() {
      body(node)
      var child = nodes[Int(node)].child
      while child != Self.none {
        waiting.append(child)
        child = nodes[Int(child)].next
      }
    }
  }

  @inline(__always)
  private func precedes(_ a: Int32, _ b: Int32) -> Bool {
    let (x, y) = (nodes[Int(a)].key, nodes[Int(b)].key)
    return x != y ? x < y : nodes[Int(a)].number < nodes[Int(b)].number
  }

  /// Merges a list of siblings into one heap: in pairs from the left, then the pairs from the right.
  private mutating func paired(_ first: Int32) -> Int32 {
    var rest = first
    var pairs = Self.none  // linked by `next`, the last one first
    while rest != Self.none {
      let a = rest
      let b = nodes[Int(a)].next
      rest = b == Self.none ? Self.none : nodes[Int(b)].next
      nodes[Int(a)].next = Self.none
      if b != Self.none { nodes[Int(b)].next = Self.none }
      let pair = merged(a, b)
      nodes[Int(pair)].next = pairs
      pairs = pair
    }
    var heap = Self.none
    while pairs != Self.none {
      let next = nodes[Int(pairs)].next
      nodes[Int(pairs)].next = Self.none
      heap = merged(heap, pairs)
      pairs = next
    }
    if heap != Self.none { nodes[Int(heap)].previous = Self.none }
    return heap
  }
}
