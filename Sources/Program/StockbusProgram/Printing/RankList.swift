import MarketData

/// The order of a ranking, which follows its events move by move: the symbol leaves its old rank and takes its new one, and the symbols
/// between shift.
///
/// The cost of a move grows slowly with the number of symbols. In a complete sequence of a ranking's events, an event that cannot follow
/// the events before it ends the order.
struct RankList {
  /// Handles of symbols in order from rank 1, in pieces that are never empty.
  private var pieces: [[UInt32]] = []
  private var isListed: [Bool] = []
  private var count = 0
  /// False once an event did not fit the ones before it.
  private(set) var isWhole = true

  /// Handles of symbols in order from rank 1.
  var order: some Sequence<UInt32> { pieces.joined() }

  mutating func follow(_ event: Ranked) {
    guard isWhole else { return }
    isWhole = move(event.symbol.id, to: Int(event.rank), from: Int(event.previousRank))
    if !isWhole { (pieces, isListed, count) = ([], [], 0) }
  }

  /// Returns false if the move does not fit.
  private mutating func move(_ symbol: UInt32, to rank: Int, from previous: Int) -> Bool {
    let id = Int(symbol)
    isListed.grow(toHold: id, filling: false)
    // A symbol that is new to the ranking cannot be listed already.
    if isListed[id], previous == 0 { return false }
    // A ranking of the top ranks also sends events for symbols that a move has shifted.
    if rank > 0, self[rank - 1] == symbol { return true }
    if isListed[id] {
      // A symbol that another one has pushed out of the top ranks is one place lower than its event says.
      let place = self[previous - 1] == symbol ? previous - 1 : rank == 0 && self[previous] == symbol ? previous : nil
      guard let place else { return false }
      remove(at: place)
      isListed[id] = false
    } else if previous > 0 {
      return false
    }
    if rank == 0 { return true }
    guard rank <= count + 1 else { return false }
    insert(symbol, at: rank - 1)
    isListed[id] = true
    return true
  }

  // MARK: Places, counted from 0

  private static var longest: Int { 4096 }

  /// The piece that contains a place from 0 to the end, and the index in it.
  private func find(_ place: Int) -> (piece: Int, at: Int) {
    var at = place
    for piece in pieces.indices {
      if at < pieces[piece].count { return (piece, at) }
      at -= pieces[piece].count
    }
    return (pieces.count, at)
  }

  private subscript(place: Int) -> UInt32? {
    guard place >= 0, place < count else { return nil }
    let (piece, at) = find(place)
    return pieces[piece][at]
  }

  private mutating func remove(at place: Int) {
    let (piece, at) = find(place)
    pieces[piece].remove(at: at)
    count -= 1
    if pieces[piece].isEmpty { pieces.remove(at: piece) }
  }

  private mutating func insert(_ symbol: UInt32, at place: Int) {
    count += 1
    var (piece, at) = find(place)
    if piece == pieces.count {
      // After all others.
      if pieces.isEmpty { pieces.append([]) }
      piece = pieces.count - 1
      at = pieces[piece].count
    }
    pieces[piece].insert(symbol, at: at)
    if pieces[piece].count > Self.longest {
      let half = Self.longest / 2
      pieces.insert(Array(pieces[piece][half...]), at: piece + 1)
      pieces[piece].removeSubrange(half...)
    }
  }
}
