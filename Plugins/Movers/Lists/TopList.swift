/// The entries with the largest keys, in order: exact at any time.
///
/// Members are in a sorted array; all others take part in a tournament, whose winner moves up when a member falls behind it. Equal keys are
/// ordered by entry, the lower number first. An update of an entry that stays outside costs a few comparisons, one inside the list moves
/// the members that it passes.
struct TopList<Key: FixedWidthInteger & BitwiseCopyable & Sendable> {
  struct Member: BitwiseCopyable, Equatable {
    var entry: UInt32
    var key: Key

    func precedes(_ other: Member) -> Bool { key > other.key || (key == other.key && entry < other.entry) }
  }

  /// The change of the list by an update: the entry's index before and now, nil outside of the list.
  struct Change: Equatable {
    var before: Int?
    var now: Int?
    /// The member that had to leave because the entry joined.
    var displaced: UInt32?
  }

  /// The key of an entry that does not take part.
  static var out: Key { Tournament<Key>.out }

  let capacity: Int
  /// The best first.
  private(set) var members: [Member] = []
  /// By entry: its index among the members plus one, or 0.
  private var positions: ContiguousArray<UInt16> = []
  private var others = Tournament<Key>()

  /// - Parameter capacity: at most 65,535.
  init(capacity: Int) {
    self.capacity = capacity
    members.reserveCapacity(capacity + 1)
  }

  /// Makes room for entries below `count`; new ones do not take part.
  mutating func extend(to count: Int) {
    if count > positions.count { positions.append(contentsOf: repeatElement(0, count: count - positions.count)) }
    others.extend(to: count)
  }

  /// The entry's index; nil if it is not a member.
  func index(of entry: UInt32) -> Int? {
    let position = positions[Int(entry)]
    return position == 0 ? nil : Int(position) - 1
  }

  /// Sets an entry's key; `out` removes it.
  mutating func update(_ entry: UInt32, _ key: Key) -> Change {
    if let index = index(of: entry) { return update(member: index, key) }
    let new = Member(entry: entry, key: key)
    // If there is room in the list, no entry is outside.
    guard key != Self.out, members.count < capacity || members.last.map(new.precedes) == true else {
      others.set(Int(entry), key)
      return Change()
    }
    others.set(Int(entry), Self.out)
    var displaced: UInt32?
    if members.count == capacity, let last = members.popLast() {
      displaced = last.entry
      positions[Int(last.entry)] = 0
      others.set(Int(last.entry), last.key)
    }
    let index = place(of: new, in: 0..<members.count)
    members.insert(new, at: index)
    renumber(from: index, to: members.count - 1)
    return Change(now: index, displaced: displaced)
  }

  private mutating func update(member index: Int, _ key: Key) -> Change {
    let new = Member(entry: members[index].entry, key: key)
    if new.key == Self.out || waits(before: new) {
      members.remove(at: index)
      positions[Int(new.entry)] = 0
      others.set(Int(new.entry), key)
      admitWinner()
      renumber(from: index, to: members.count - 1)
      return Change(before: index)
    }
    if new.key == members[index].key { return Change(before: index, now: index) }
    let isUp = new.precedes(members[index])
    let now = isUp ? place(of: new, in: 0..<index) : place(of: new, in: index + 1..<members.count) - 1
    if now != index {
      members.remove(at: index)
      members.insert(new, at: now)
      renumber(from: min(index, now), to: max(index, now))
    } else {
      members[index] = new
    }
    return Change(before: index, now: now)
  }

  /// True if an entry outside precedes `member`.
  private func waits(before member: Member) -> Bool {
    let best = others.best
    if best == Self.out || best < member.key { return false }
    return best > member.key || (others.winner.map { UInt32($0) < member.entry } ?? false)
  }

  /// Moves the best entry from outside to the end of the list, which has room.
  private mutating func admitWinner() {
    guard let winner = others.winner else { return }
    members.append(Member(entry: UInt32(winner), key: others.best))
    positions[winner] = UInt16(members.count)
    others.set(winner, Self.out)
  }

  /// The index of the first member of `range` that does not precede `new`.
  private func place(of new: Member, in range: Range<Int>) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if members[middle].precedes(new) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func renumber(from first: Int, to last: Int) {
    if first > last { return }
    for index in first...last { positions[Int(members[index].entry)] = UInt16(index + 1) }
  }
}
