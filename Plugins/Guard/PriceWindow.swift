internal import StockbusInstruments
internal import StockbusPlugin

/// The last accepted prices of a symbol, and whether another one is odd.
struct PriceWindow: Sendable {
  /// In the order of arrival.
  private(set) var prices: [Int64] = []
  /// The same in order.
  private var sorted: [Int64] = []
  /// The odd prices since the last accepted one, at most two.
  private(set) var odd: [Int64] = []

  enum Judgement {
    case accepted
    case odd
    /// The third of three odd prices that agree, with which the window begins anew.
    case newLevel
  }

  init() {}

  init(prices: [Int64], odd: [Int64]) {
    self.prices = prices
    sorted = prices.sorted()
    self.odd = odd
  }

  /// Twice the median, so that it is a whole number; nil if fewer than half of `count` prices are known.
  func doubleMedian(of count: Int) -> Int128? {
    if sorted.isEmpty || 2 * sorted.count < count { return nil }
    return Int128(sorted[(sorted.count - 1) / 2]) + Int128(sorted[sorted.count / 2])
  }

  mutating func take(_ price: Int64, of count: Int, within limit: Percent) -> Judgement {
    if doubleMedian(of: count).map({ Self.isNear(price, toHalfOf: $0, within: limit) }) ?? true {
      odd = []
      add(price, of: count)
      return .accepted
    }
    odd.append(price)
    if odd.count < 3 { return .odd }
    let middle = 2 * Int128(odd.sorted()[1])
    if odd.allSatisfy({ Self.isNear($0, toHalfOf: middle, within: limit) }) {
      self = PriceWindow(prices: odd, odd: [])
      return .newLevel
    }
    odd.removeFirst()
    return .odd
  }

  /// True if a price differs from half of `double` by at most so many per cent of that.
  static func isNear(_ price: Int64, toHalfOf double: Int128, within limit: Percent) -> Bool {
    (2 * Int128(price) - double).magnitude * 100_000_000_000 <= UInt128(limit.raw.magnitude) * double.magnitude
  }

  private mutating func add(_ price: Int64, of count: Int) {
    // More than one where another instance has kept more.
    while prices.count >= count {
      let oldest = prices.removeFirst()
      sorted.remove(at: place(of: oldest))
    }
    prices.append(price)
    sorted.insert(price, at: place(of: price))
  }

  /// The first place of a price that is not less.
  private func place(of price: Int64) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < price { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Converts the prices to the shares after a split; those that do not fit are forgotten.
  mutating func apply(_ split: PriceSplit) {
    self = PriceWindow(prices: prices.compactMap(split.adjust), odd: odd.compactMap(split.adjust))
  }
}

/// Written as the prices.
extension PriceWindow: Codable {
  private enum CodingKeys: String, CodingKey { case prices, odd }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      prices: try container.decode([Int64].self, forKey: .prices), odd: try container.decode([Int64].self, forKey: .odd).suffix(2))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(prices, forKey: .prices)
    try container.encode(odd, forKey: .odd)
  }
}
