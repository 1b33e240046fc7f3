package import MarketData

/// The last trades of as many symbols as there is room for. A symbol without room gets some when it is viewed.
package struct Tape {
  package struct Print: Hashable {
    package var time = Timestamp(ns: 0)
    package var price = Price(raw: 0)
    package var size = Quantity(raw: 0)
    package var side = Side.unknown
    package var decimals: UInt8 = 0
    package var sizeDecimals: UInt8 = 0
  }

  /// Trades stored for a symbol; a power of two.
  package static let length = 32
  /// Values in `places`: the symbol has not had a trade; there was no room.
  private static let isNew: Int32 = -1
  private static let isLeftOut: Int32 = -2

  /// `length` prints for each place, used in turn.
  private var prints: ContiguousArray<Print> = []
  /// The number of trades at each place, and the row that it belongs to.
  private var counts: ContiguousArray<Int> = []
  private var owners: ContiguousArray<Int32> = []
  /// By row.
  private var places: ContiguousArray<Int32> = []
  private let most: Int
  /// The place that is taken from its row when room is needed next.
  private var hand = 0

  /// - Parameter memory: how many bytes the trades may take.
  package init(memory: Int = MarketLimits().memory / 4) { most = max(1, memory / (Self.length * MemoryLayout<Print>.stride)) }

  @inline(__always)
  package mutating func add(_ print: Print, to row: Int) {
    if row >= places.count || places[row] == Self.isNew { open(row) }
    let place = Int(places[row])
    if place < 0 { return }
    let count = counts[place]
    prints[place * Self.length + count & (Self.length - 1)] = print
    counts[place] = count &+ 1
  }

  @inline(never)
  private mutating func open(_ row: Int) {
    places.grow(toHold: row, filling: Self.isNew)
    guard owners.count < most else {
      places[row] = Self.isLeftOut
      return
    }
    places[row] = Int32(owners.count)
    owners.append(Int32(row))
    counts.append(0)
    prints.append(contentsOf: repeatElement(Print(), count: Self.length))
  }

  /// Gives a row that was left out the place of another one, unless that is protected too.
  mutating func makeRoom(for row: Int, isProtected: (Int32) -> Bool) {
    if row >= places.count || places[row] == Self.isNew { open(row) }
    guard places[row] == Self.isLeftOut else { return }
    for _ in owners.indices {
      hand = hand + 1 < owners.count ? hand + 1 : 0
      if isProtected(owners[hand]) { continue }
      places[Int(owners[hand])] = Self.isLeftOut
      owners[hand] = Int32(row)
      counts[hand] = 0
      places[row] = Int32(hand)
      return
    }
  }

  /// How many trades of a row have been stored so far, including removed ones.
  package func count(of row: Int) -> Int { place(of: row).map { counts[$0] } ?? 0 }

  /// The last trades, the newest first.
  package func last(_ count: Int, of row: Int) -> [Print] {
    guard let place = place(of: row) else { return [] }
    let total = counts[place]
    return (0..<min(count, total, Self.length)).map { prints[place * Self.length + (total - 1 - $0) & (Self.length - 1)] }
  }

  private func place(of row: Int) -> Int? { row < places.count && places[row] >= 0 ? Int(places[row]) : nil }
}
