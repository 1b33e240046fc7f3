internal import StockbusPlugin

/// Made-up trades.
enum Workload {
  /// `S1` to `S500` and so on.
  static func symbols(_ count: Int) throws -> [Symbol] { try (1...count).map { try Symbol("S\($0)") } }

  /// Every symbol once, then random ones. Prices change by at most a thousandth, or jump anywhere.
  static func trades(_ count: Int, symbols: [Symbol], jumps: Bool = false) -> [Trade] {
    var random = RandomStream(seed: 7)
    var ticks = symbols.map { _ in Int64.random(in: 500...90_000, using: &random) }
    return (0..<count).map { i in
      let s = i < symbols.count ? i : Int.random(in: 0..<symbols.count, using: &random)
      if i >= symbols.count {
        let most = max(1, ticks[s] / 1000)
        ticks[s] =
          jumps ? Int64.random(in: 500...90_000, using: &random) : max(1, ticks[s] + Int64.random(in: -most...most, using: &random))
      }
      return Trade(
        symbol: symbols[s], price: Price(raw: ticks[s] * 10_000_000), size: 100,
        time: Timestamp(ns: 1_719_850_000_000_000_000 + Int64(i) * 1000),
        received: Timestamp(ns: 0), priceDecimals: 2)
    }
  }
}

extension Workload {
  static let minute: Int64 = 60_000_000_000

  /// Bars of a length in nanoseconds: of each symbol one, then those of the next one.
  static func bars(_ count: Int, symbols: [Symbol], length: Int64 = minute) -> [Bar] {
    var random = RandomStream(seed: 9)
    return (0..<count).map { i in
      let open = Price(raw: Int64.random(in: 500...90_000, using: &random) * 10_000_000)
      let close = Price(raw: open.raw + 10_000_000)
      let volume = Quantity(raw: Int64.random(in: 1...100_000, using: &random) * 1_000_000_000)
      let turnover = Amount(Price(raw: open.raw + Int64.random(in: -3...5, using: &random) * 1_234_567), times: volume)
      let start = (1_719_850_020_000_000_000 / length + Int64(i / symbols.count)) * length
      return Bar(
        symbol: symbols[i % symbols.count], open: open, high: Price(raw: open.raw + 50_000_000), low: Price(raw: open.raw - 30_000_000),
        close: close, volume: volume, time: Timestamp(ns: start), received: Timestamp(ns: start + length + 200_000_000), priceDecimals: 2,
        length: .time(length), turnover: turnover, vwap: turnover.divided(by: volume), count: 17, session: .regular)
    }
  }
}

extension Trade {
  /// Trade number `i`, counted from 0.
  @inline(__always)
  init(number i: Int) {
    self.init(
      symbol: Symbol(id: 1), price: Price(raw: Int64(i)), size: 100, time: Timestamp(ns: Int64(i)), received: Timestamp(ns: Int64(i)))
  }
}
