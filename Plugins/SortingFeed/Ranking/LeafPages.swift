/// The leaves of the order: pages of up to 64 places each, ascending within a page.
///
/// A page has no links to its neighbours; `Spine` stores which page covers which places. Pages given back are reused before new ones are
/// made.
struct LeafPages: ~Copyable {
  static var capacity: Int { 64 }

  private var places = Slab<Place>()  // Page after page; unused slots of a page hold `.beyond`.
  private var counts = Slab<UInt32>()
  private var free: [UInt32] = []

  mutating func reserve(_ pages: Int) {
    places.reserve(pages * Self.capacity)
    counts.reserve(pages)
  }

  /// The number of pages, including those given back.
  var made: Int { counts.count }

  @inline(__always)
  func count(_ leaf: UInt32) -> Int { Int(counts[Int(leaf)]) }

  @inline(__always)
  subscript(leaf: UInt32, index: Int) -> Place { places[Int(leaf) &* Self.capacity &+ index] }

  /// Prefetches the places around an index.
  @inline(__always)
  func prefetch(_ index: Int, in leaf: UInt32) { places.prefetch(Int(leaf) &* Self.capacity &+ index) }

  /// An empty page.
  mutating func make() -> UInt32 {
    if let leaf = free.popLast() { return leaf }
    let leaf = counts.count
    counts.extend(to: leaf + 1, filling: 0)
    places.extend(to: (leaf + 1) * Self.capacity, filling: .beyond)
    return UInt32(leaf)
  }

  /// Releases an empty page.
  mutating func discard(_ leaf: UInt32) {
    assert(count(leaf) == 0, "a page is discarded with places in it")
    free.append(leaf)
  }

  /// The index of a place that is in the page; `hint` is its last known index.
  @inline(__always)
  func index(of place: Place, in leaf: UInt32, hint: Int) -> Int {
    if self[leaf, hint] == place { return hint }
    let start = Int(leaf) &* Self.capacity
    return places.last(atOrBefore: place, from: start, width: Self.capacity) &- start
  }

  /// Replaces the place at `index` by `place` if it is the entry's and stays between the same two neighbours in this page; returns true if
  /// it did. At the ends of the page it always returns false.
  @inline(__always)
  mutating func replace(at index: Int, in leaf: UInt32, with place: Place) -> Bool {
    // Indices wrap around: the last slot precedes the first, and the first follows the last. No place is above the last and below the
    // second, or above the last but one and below the first, so the ends need no check of their own.
    let next = places[row: leaf, index &+ 1]
    guard places[row: leaf, index].isPlace(of: place.member), !next.isBeyond else { return false }
    // The direction of the move is not checked first: it is unpredictable, and a mispredicted branch costs more than everything else here.
    guard places[row: leaf, index &- 1] < place, place < next else { return false }
    places[row: leaf, index] = place
    return true
  }

  /// Moves the place at `index` to the index of `place` in the same page; returns the new index. The hints of the entries that it passes
  /// are updated: in a small order all hints are then right, which saves nearly every search.
  @inline(__always)
  mutating func slide(from index: Int, in leaf: UInt32, to place: Place, telling records: inout Slab<Record>) -> Int {
    let start = Int(leaf) &* Self.capacity
    let last = start &+ count(leaf) &- 1
    var at = start &+ index
    while at < last, places[at &+ 1] < place {
      let passed = places[at &+ 1]
      places[at] = passed
      records[Int(passed.entry)].hint = UInt32(truncatingIfNeeded: at &- start)
      at &+= 1
    }
    while at > start, place < places[at &- 1] {
      let passed = places[at &- 1]
      places[at] = passed
      records[Int(passed.entry)].hint = UInt32(truncatingIfNeeded: at &- start)
      at &-= 1
    }
    places[at] = place
    return at &- start
  }

  /// Removes the place at `index` from the page.
  @inline(__always)
  mutating func remove(at index: Int, in leaf: UInt32) {
    let start = Int(leaf) &* Self.capacity
    let last = count(leaf) &- 1
    places.move(last &- index, from: start &+ index &+ 1, to: start &+ index)
    places[start &+ last] = .beyond
    counts[Int(leaf)] = UInt32(truncatingIfNeeded: last)
  }

  /// Inserts a place that is not in the page, which must have room; returns its index.
  @inline(__always)
  mutating func insert(_ place: Place, in leaf: UInt32) -> Int {
    let start = Int(leaf) &* Self.capacity
    let count = count(leaf)
    assert(count < Self.capacity, "a full page is given another place")
    let before = places.last(atOrBefore: place, from: start, width: Self.capacity)
    // The search assumes that the first place is lower; if it is not, the new place is inserted before it.
    let at = place < places[start] ? start : before &+ 1
    places.move(start &+ count &- at, from: at, to: at &+ 1)
    places[at] = place
    counts[Int(leaf)] = UInt32(truncatingIfNeeded: count &+ 1)
    return at &- start
  }

  /// Moves the places from `index` on to the end of the page `target`, which has room.
  mutating func moveTail(of leaf: UInt32, from index: Int, to target: UInt32) {
    let moved = count(leaf) - index
    let start = Int(leaf) * Self.capacity + index
    let end = Int(target) * Self.capacity + count(target)
    assert(count(target) + moved <= Self.capacity, "a page is given more places than it holds")
    for step in 0..<moved {
      places[end + step] = places[start + step]
      places[start + step] = .beyond
    }
    counts[Int(leaf)] = UInt32(index)
    counts[Int(target)] += UInt32(moved)
  }
}
