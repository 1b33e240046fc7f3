/// What `sorting_feed` needs of an order for every update.
protocol Order: ~Copyable {
  init(symbols: Int)
  /// Inserts the entry, or moves it to its new key; returns its rank before, nil when it was not there, and its rank now.
  mutating func update(_ entry: UInt32, key: Int64) -> (previous: Int?, rank: Int)
}

extension RankedOrder: Order {
  init(symbols: Int) { self.init(descending: false, capacity: symbols) }
}

extension Contest {
  /// The tree beside a sorted array, each with every symbol in it.
  static func order(symbols: Int, _ kind: Moves.Kind) -> Contest {
    let moves = Moves(symbols: symbols, kind)
    return Contest(
      units: moves.updates.count, prepare: moves.next,
      contestants: [
        Contestant(name: "tree", run: Ranks<RankedOrder>(moves).run),
        Contestant(name: "array", run: Ranks<SortedRow>(moves).run),
        Contestant(name: "hinted", run: Ranks<HintedRow>(moves).run),
      ])
  }
}

/// An order and the updates it is given.
final class Ranks<O: Order & ~Copyable> {
  private var order: O
  private let moves: Moves

  init(_ moves: Moves) {
    self.moves = moves
    order = O(symbols: moves.prices.count)
    for (symbol, price) in moves.prices.enumerated() { _ = order.update(UInt32(symbol), key: price) }
  }

  func run() -> UInt64 { moves.updates.withUnsafeBufferPointer { Self.apply($0, to: &order) } }

  // One access to the order a round, as the plugin has one a batch.
  @inline(never)
  private static func apply(_ updates: UnsafeBufferPointer<Moves.Update>, to order: inout O) -> UInt64 {
    var digest: UInt64 = 0
    for update in updates {
      let (previous, rank) = order.update(update.symbol, key: update.price)
      digest = digest &* 31 &+ UInt64(truncatingIfNeeded: (previous ?? -1) << 32 | rank)
    }
    return digest
  }
}

/// Symbols with their prices, and what happens to them in a round.
final class Moves {
  enum Kind: String {
    /// A step of some 0.04 % of the price, as in `FeedBench`.
    case tick
    /// A step that passes some three others, however many there are.
    case places
    /// Any other price.
    case jump
  }

  struct Update {
    var symbol: UInt32
    var price: Int64
  }

  private(set) var prices: [Int64]
  private(set) var updates: [Update]
  private let kind: Kind
  private var random = Random(state: 7)
  private static let range: ClosedRange<Int64> = 50_000...9_000_000

  init(symbols: Int, _ kind: Kind) {
    self.kind = kind
    prices = []
    for _ in 0..<symbols { prices.append(random.price()) }
    updates = [Update](repeating: Update(symbol: 0, price: 0), count: 1 << 14)
  }

  func next() {
    for i in updates.indices {
      let symbol = Int(random.below(UInt64(prices.count)))
      var price = prices[symbol]
      switch kind {
      case .tick: price = max(10_000, Int64(Double(price) * (1 + 0.0004 * random.normal())))
      case .places:
        price += Int64(4 * random.normal() * Double(Self.range.upperBound - Self.range.lowerBound) / Double(prices.count))
        // Turned back at the ends, so that prices stay evenly spread.
        if price > Self.range.upperBound { price = 2 * Self.range.upperBound - price }
        if price < Self.range.lowerBound { price = 2 * Self.range.lowerBound - price }
      case .jump: price = random.price()
      }
      prices[symbol] = price
      updates[i] = Update(symbol: UInt32(symbol), price: price)
    }
  }
}
