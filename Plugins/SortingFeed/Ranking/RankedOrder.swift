/// Keeps entries ordered by a 64-bit key and returns their ranks before and after every update.
///
/// Rank 0 is the best: the lowest key, or the highest when descending. Entries with equal keys are ordered by the ties that their owner gives
/// them, always the same for an entry, and then by their number, the lower one first, ascending and descending alike, so there is exactly one
/// right order. Keys may be any `Int64`. Entries are small numbers chosen by
/// the caller, densely from 0: memory is allocated for every number up to the highest one, 16 bytes each, and some 25 bytes more for each
/// entry in the order.
///
/// A B+ tree of three levels: leaves of up to 64 places (`LeafPages`), nodes of up to 64 leaves and a root row of nodes
/// (`Spine`). An update costs O(log n) up to some million entries, wherever the entry goes; one that stays within its
/// leaf touches nothing else. Splits and joins are amortised over dozens of updates. Once the tree has reached its size
/// updates allocate nothing.
///
/// Not safe to share: it belongs to one actor, or one task, that owns it.
struct RankedOrder: ~Copyable {
  /// How many entries are in the order.
  private(set) var count = 0
  /// All ones when descending, otherwise zero; keys are inverted by XOR with it.
  private let inversion: Int64

  var records = Slab<Record>()
  var leaves: LeafPages
  var spine: Spine

  /// An empty order with room for entries below `capacity`; it grows on demand, but growing copies, which makes one update slow.
  init(descending: Bool, capacity: Int = 0) {
    inversion = descending ? -1 : 0
    leaves = LeafPages()
    records.reserve(capacity)
    leaves.reserve(capacity / (LeafPages.capacity / 2) + 1)
    spine = Spine(leaf: leaves.make())
  }

  /// Inserts the entry, or moves it to its new key; returns its rank before (nil if it was not there) and its rank now.
  @inline(__always)
  mutating func update(_ entry: UInt32, key: Int64, tie: UInt32 = 0) -> (previous: Int?, rank: Int) {
    let member = RankedMember(entry, tie: tie)
    if let rank = stay(member, key: key) { return (rank, rank) }
    return move(member, key: key)
  }

  /// If the entry stays between the same two neighbours, as it does after most small steps, sets its new key and returns its rank;
  /// otherwise does nothing. Short, so that it is inlined into the caller's loop.
  @inline(__always)
  private mutating func stay(_ member: RankedMember, key: Int64) -> Int? {
    let entry = member.entry
    guard Int(entry) < records.count else { return nil }
    let record = records[Int(entry)]
    let place = Place(key: ordered(key), member)
    guard leaves.replace(at: Int(record.hint), in: record.leaf, with: place) else { return nil }
    records[Int(entry)].key = place.key
    return spine.entries(before: record.leaf) &+ Int(record.hint)
  }

  @inline(never)
  private mutating func move(_ member: RankedMember, key: Int64) -> (previous: Int?, rank: Int) {
    records.extend(to: Int(member.entry) + 1, filling: .absent)
    let record = records[Int(member.entry)]
    let place = Place(key: ordered(key), member)
    guard record.isPresent else { return (nil, insert(place)) }

    let leaf = record.leaf
    let index = leaves.index(of: Place(key: record.key, member), in: leaf, hint: Int(record.hint))
    let start = spine.entries(before: leaf)
    let previous = start &+ index
    if spine.covers(leaf, place) {
      let moved = leaves.slide(from: index, in: leaf, to: place, telling: &records)
      remember(place, in: leaf, at: moved)
      return (previous, start &+ moved)
    }
    return (previous, transfer(place, from: leaf, at: index))
  }

  /// True if the order, with the data that its owner stores for each entry, is larger than a processor's second-level cache. A caller that
  /// knows the next entries should then prefetch: the record `Lookahead.record` updates ahead, the place `Lookahead.place` updates ahead.
  @inline(__always)
  var isLarge: Bool { count > 1 << 14 }

  /// Prefetches the entry's record.
  @inline(__always)
  func prefetchRecord(of entry: UInt32) { records.prefetch(Int(entry)) }

  /// Prefetches the entry's place, whose address is in its record.
  @inline(__always)
  func prefetchPlace(of entry: UInt32) {
    guard Int(entry) < records.count else { return }
    let record = records[Int(entry)]
    leaves.prefetch(Int(record.hint), in: record.leaf)
    spine.seats.prefetch(Int(record.leaf))
  }

  /// Removes the entry; returns its rank, or nil if it was not there.
  mutating func remove(_ entry: UInt32, tie: UInt32 = 0) -> Int? {
    guard let (leaf, index) = find(RankedMember(entry, tie: tie)) else { return nil }
    let rank = spine.entries(before: leaf) + index
    leaves.remove(at: index, in: leaf)
    spine.countEntry(in: leaf, -1)
    records[Int(entry)] = .absent
    count -= 1
    keepHints(of: leaf, from: index)
    mend(leaf)
    return rank
  }

  /// Inserts a place whose entry is not in the order; returns its rank.
  private mutating func insert(_ place: Place) -> Int {
    let leaf = leafWithRoom(for: place, in: spine.leaf(covering: place))
    let index = leaves.insert(place, in: leaf)
    spine.countEntry(in: leaf)
    remember(place, in: leaf, at: index)
    keepHints(of: leaf, from: index + 1)
    count += 1
    return spine.entries(before: leaf) + index
  }

  /// Moves an entry from `index` of `leaf` to a place that another leaf covers; returns its new rank.
  @inline(never)
  private mutating func transfer(_ place: Place, from leaf: UInt32, at index: Int) -> Int {
    var target = spine.leaf(covering: place, near: leaf)
    leaves.remove(at: index, in: leaf)
    if leaves.count(target) == LeafPages.capacity { target = leafWithRoom(for: place, in: target) }
    let moved = leaves.insert(place, in: target)
    spine.countMove(from: leaf, to: target)
    remember(place, in: target, at: moved)
    // After a far jump the hints of two leaves would be updated for an entry that will soon jump again.
    if spine.areNeighbours(leaf, target) {
      keepHints(of: leaf, from: index)
      keepHints(of: target, from: moved &+ 1)
    }
    let rank = spine.entries(before: target) &+ moved
    // Ranks do not depend on how the entries are distributed over leaves, so this may be done afterwards.
    if leaves.count(leaf) < Self.smallLeaf { mend(leaf) }
    return rank
  }

  @inline(__always)
  mutating func remember(_ place: Place, in leaf: UInt32, at index: Int) {
    records[Int(place.entry)] = Record(key: place.key, leaf: leaf, hint: UInt32(truncatingIfNeeded: index))
  }

  /// Updates the hints of entries that were pushed along by an insertion or removal. Only in an order of up to some thousand entries: there
  /// it saves nearly every search; in a larger one each record would be a cache miss.
  @inline(__always)
  private mutating func keepHints(of leaf: UInt32, from index: Int) {
    if spine.isOneNode { rememberEntries(of: leaf, from: index) }
  }

  /// Converts the caller's key to the tree's order, and back. Inverting the bits reverses the order of all of `Int64` exactly; negating
  /// would overflow at its lowest value.
  @inline(__always)
  func ordered(_ key: Int64) -> Int64 { key ^ inversion }
}
