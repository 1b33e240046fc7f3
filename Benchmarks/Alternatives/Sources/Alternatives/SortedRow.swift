// What the tree is measured beside: all places in one row, in order. Both use the tree's memory (`Slab`) and places, so that only the structure
// differs. They have no removal.

/// Searches the old place and the new one by halves, and moves what is between.
struct SortedRow: ~Copyable, Order {
  private var row: Row<Halves>
  /// By entry; an entry that is not there has no place of its key in the row.
  private var keys = Slab<Int64>()

  init(symbols: Int) {
    row = Row(entries: symbols)
    keys.extend(to: symbols, filling: 0)
  }

  @inline(__always)
  mutating func update(_ entry: UInt32, key: Int64) -> (previous: Int?, rank: Int) {
    let old = Place(key: keys[Int(entry)], Member(entry))
    let place = Place(key: key, Member(entry))
    keys[Int(entry)] = key
    let from = row.last(atOrBefore: old)
    guard row.places[from] == old else { return (nil, row.insert(place) &- 1) }
    if row.replace(at: from, with: place) { return (from &- 1, from &- 1) }
    return (from &- 1, row.move(from, to: place) &- 1)
  }
}

/// Keeps by entry the slot of its place, as the tree keeps hints, and moves a place slot by slot where the way is short; the hints of those it
/// passes are then kept right, otherwise they are not. Searches as the tree does, which takes more instructions than halving and less time.
struct HintedRow: ~Copyable, Order {
  struct Spot: BitwiseCopyable {
    var key: Int64
    var hint: UInt32
  }

  private var row: Row<EightWays>
  private var spots = Slab<Spot>()

  init(symbols: Int) {
    row = Row(entries: symbols)
    // The last slot, which no place ever takes.
    spots.extend(to: symbols, filling: Spot(key: 0, hint: UInt32(row.places.count - 1)))
  }

  @inline(__always)
  mutating func update(_ entry: UInt32, key: Int64) -> (previous: Int?, rank: Int) {
    let place = Place(key: key, Member(entry))
    let hint = Int(spots[Int(entry)].hint)
    if row.places[hint].isPlace(of: Member(entry)), row.replace(at: hint, with: place) {
      spots[Int(entry)].key = key
      return (hint &- 1, hint &- 1)
    }
    return move(entry, to: place)
  }

  @inline(never)
  private mutating func move(_ entry: UInt32, to place: Place) -> (previous: Int?, rank: Int) {
    let spot = spots[Int(entry)]
    let old = Place(key: spot.key, Member(entry))
    let from = row.places[Int(spot.hint)] == old ? Int(spot.hint) : row.last(atOrBefore: old)
    let isThere = row.places[from] == old
    let to = isThere ? walk(from, to: place) ?? row.move(from, to: place) : row.insert(place)
    spots[Int(entry)] = Spot(key: place.key, hint: UInt32(truncatingIfNeeded: to))
    return (isThere ? from &- 1 : nil, to &- 1)
  }

  /// Moves the place at `from` by a few slots; nil, and nothing has happened, where the way is longer.
  @inline(__always)
  private mutating func walk(_ from: Int, to place: Place) -> Int? {
    let most = 16
    if from &+ most &+ 1 < row.end, row.places[from &+ most &+ 1] < place { return nil }
    if from > most &+ 1, place < row.places[from &- most &- 1] { return nil }
    var at = from
    while row.places[at &+ 1] < place {
      let passed = row.places[at &+ 1]
      row.places[at] = passed
      spots[Int(passed.entry)].hint = UInt32(truncatingIfNeeded: at)
      at &+= 1
    }
    while place < row.places[at &- 1] {
      let passed = row.places[at &- 1]
      row.places[at] = passed
      spots[Int(passed.entry)].hint = UInt32(truncatingIfNeeded: at)
      at &-= 1
    }
    row.places[at] = place
    return at
  }
}

/// The places from slot 1 on: before them one that is before all, after them slots that are after all.
struct Row<Search: RowSearch>: ~Copyable {
  var places = Slab<Place>()
  /// The slot after the last place.
  private(set) var end = 1
  /// How many slots there are: a power of eight.
  private(set) var width = 8

  init(entries: Int) {
    while width < entries + 2 { width *= 8 }
    places.extend(to: width, filling: .beyond)
    places[0] = .lowest
  }

  /// The slot of the last place that is `place` or before it.
  @inline(__always)
  func last(atOrBefore place: Place) -> Int { Search.last(atOrBefore: place, in: self) }

  /// Writes `place` where it belongs between the same two neighbours; returns whether it does.
  @inline(__always)
  mutating func replace(at index: Int, with place: Place) -> Bool {
    guard places[index &- 1] < place, place < places[index &+ 1] else { return false }
    places[index] = place
    return true
  }

  /// Takes out the place at `from` and puts `place` in where it belongs; returns where.
  @inline(__always)
  mutating func move(_ from: Int, to place: Place) -> Int {
    var to = last(atOrBefore: place)
    if to < from {
      to &+= 1
      places.move(from &- to, from: to, to: to &+ 1)
    } else {
      places.move(to &- from, from: from &+ 1, to: from)
    }
    places[to] = place
    return to
  }

  /// Puts in a place whose entry is not there; returns where. There is a slot free.
  @inline(__always)
  mutating func insert(_ place: Place) -> Int {
    let at = last(atOrBefore: place) &+ 1
    places.move(end &- at, from: at, to: at &+ 1)
    places[at] = place
    end &+= 1
    return at
  }
}

protocol RowSearch {
  static func last(atOrBefore place: Place, in row: borrowing Row<Self>) -> Int
}

enum Halves: RowSearch {
  @inline(__always)
  static func last(atOrBefore place: Place, in row: borrowing Row<Halves>) -> Int {
    var found = 0
    var length = row.end
    // No branch depends on what is found: it would be predicted wrongly half the time.
    while length > 1 {
      let half = length / 2
      found &+= row.places[found &+ half] <= place ? half : 0
      length &-= half
    }
    return found
  }
}

enum EightWays: RowSearch {
  @inline(__always)
  static func last(atOrBefore place: Place, in row: borrowing Row<EightWays>) -> Int {
    row.places.last(atOrBefore: place, from: 0, width: row.width)
  }
}
