internal import Measuring

/// `FeedBench SYMBOLS small|random SECONDS`: prints a line of JSON with the processor time of an update of the feed's order in nanoseconds,
/// including the ranks before and after.
///
/// The order is the plugin's own source, linked into this folder; the workload is that of `Peers/cpp/orderfeed.cpp`.
@main
struct FeedBench {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let symbols = Int(arguments[1]), let seconds = Double(arguments[3]), symbols > 0,
      ["small", "random"].contains(arguments[2])
    else { return print("usage: FeedBench SYMBOLS small|random SECONDS") }
    var feed = Feed(symbols: symbols, jumps: arguments[2] == "random")
    let chunk = symbols >= 100_000 ? 1024 : 16_384
    feed.update(20_000)
    var updates = 0
    let began = processorNanoseconds()
    var now = began
    while now - began < Int64(seconds * 1e9) {
      feed.update(chunk)
      updates += chunk
      now = processorNanoseconds()
    }
    var report = Report()
    report.add("ns", Double(now - began) / Double(updates))
    report.add("updates", updates)
    report.add("ranks", feed.ranks)
    report.add("in_order", feed.isInOrder)
    report.print()
  }
}

/// Symbols with their prices, and the prepared updates.
struct Feed: ~Copyable {
  private var order: RankedOrder
  private var prices: [Int64]
  private let moves: [Move]
  private let jumps: Bool
  private var next = 0
  /// A sum of the ranks, so that the compiler does not remove their computation.
  private(set) var ranks = 0

  struct Move {
    var symbol: UInt32
    /// The price it jumps to, and the factor of a small step.
    var price: Int64
    var step: Double
  }

  init(symbols: Int, jumps: Bool) {
    var random = Random(state: 7)
    prices = (0..<symbols).map { _ in random.price() }
    moves = (0..<1 << 20).map { _ in
      Move(symbol: UInt32(random.below(UInt64(symbols))), price: random.price(), step: 0.0004 * random.normal())
    }
    self.jumps = jumps
    order = RankedOrder(descending: false, capacity: symbols)
    for symbol in 0..<symbols { _ = order.update(UInt32(symbol), key: prices[symbol]) }
  }

  mutating func update(_ count: Int) {
    let isLarge = order.isLarge
    for _ in 0..<count {
      // As the plugin does within a batch.
      if isLarge {
        order.prefetchRecord(of: moves[(next + Lookahead.record) & (moves.count - 1)].symbol)
        order.prefetchPlace(of: moves[(next + Lookahead.place) & (moves.count - 1)].symbol)
      }
      let move = moves[next]
      next = (next + 1) & (moves.count - 1)
      let symbol = Int(move.symbol)
      let price = jumps ? move.price : max(10_000, Int64(Double(prices[symbol]) * (1 + move.step)))
      prices[symbol] = price
      let (previous, rank) = order.update(move.symbol, key: price)
      ranks &+= rank &- (previous ?? 0)
    }
  }

  /// True if the order has every symbol once, with its price, and in the order of prices.
  var isInOrder: Bool {
    var seen = Set<UInt32>()
    var last = Int64.min
    var isInOrder = true
    order.forEach(ranks: 0..<prices.count) { symbol, price in
      if price < last || price != prices[Int(symbol)] || !seen.insert(symbol).inserted { isInOrder = false }
      last = price
    }
    return isInOrder && seen.count == prices.count
  }
}
