internal import StockbusPlugin

/// The symbols with their prices and the price model; all prices are whole ticks.
struct SimulatedMarket {
  static let highest: Price = 1_000_000_000

  let symbols: [Symbol]
  private let model: PriceModel
  private let tick: Int64
  private let decimals: UInt8
  private let lowest: Int64
  private let highest: Int64
  private let increment: Int64
  /// Billionths of one per cent.
  private let volatility: Int64
  private var ticks: [Int64]
  private var random: RandomStream
  private var at = 0
  /// Simulated event times; nil if the clock is used.
  private var simulated: SimulatedTime?

  init(_ settings: GeneratorSettings, random: RandomStream) throws {
    var random = random
    symbols = try Self.symbols(settings.symbols)
    model = settings.model
    tick = settings.tick.raw
    decimals = UInt8(clamping: settings.tick.description.split(separator: ".").dropFirst().first?.count ?? 0)
    lowest = settings.lowestTicks
    highest = max(lowest, settings.highestTicks)
    increment = max(1, settings.increment.raw / tick)
    volatility = settings.volatility.raw
    let range = UInt64(highest - lowest) + 1
    let low = lowest
    ticks = symbols.map { _ in low + Int64(random.next(upperBound: range)) }
    self.random = random
    if let start = settings.start {
      if let rate = settings.rate, !rate.isUnlimited {
        simulated = SimulatedTime(start: start, period: rate.period, count: rate.count)
      } else {
        simulated = SimulatedTime(start: start, period: settings.interval, count: symbols.count)
      }
    }
  }

  /// The symbols' names; nil if there are too many to be useful.
  static func names(_ list: [Symbol]) -> [String]? {
    guard list.count == 1, let count = Int(list[0].description) else { return list.map(\.description) }
    return count > wellKnown.count ? nil : wellKnown.prefix(count).map(\.description)
  }

  /// The symbols of the option: a list of names, or a single whole number, which is a count.
  private static func symbols(_ list: [Symbol]) throws -> [Symbol] {
    guard list.count == 1, let count = Int(list[0].description) else { return list }
    var symbols: [Symbol] = Array(wellKnown.prefix(count))
    while symbols.count < count {
      let number = String(symbols.count + 1)
      symbols.append(try Symbol("S" + String(repeating: "0", count: max(0, 5 - number.count)) + number))
    }
    return symbols
  }

  static let wellKnown: [Symbol] = [
    "AAPL", "MSFT", "NVDA", "AMZN", "GOOGL", "META", "TSLA", "BRK.B", "JPM", "V", "UNH", "XOM", "JNJ", "WMT", "MA", "PG", "AVGO",
    "HD", "CVX", "MRK", "KO", "PEP", "COST", "ADBE", "NFLX",
  ]

  /// The present prices, in ticks.
  var prices: [Symbol: Int64] { Dictionary(zip(symbols, ticks)) { first, _ in first } }

  /// Continues from these prices; symbols that are not among them keep theirs.
  mutating func resume(from prices: [Symbol: Int64]) {
    for index in symbols.indices { if let price = prices[symbols[index]] { ticks[index] = min(max(1, price), Self.highest.raw / tick) } }
  }

  /// The simulated time of the next trade; nil if the clock is used.
  var upcoming: Timestamp? { simulated?.upcoming }

  func index(of name: String) -> Int? {
    guard let symbol = try? Symbol(name) else { return nil }
    return symbols.firstIndex(of: symbol)
  }

  func price(_ index: Int) -> String { Price(raw: ticks[index] * tick).formatted(decimals: Int(decimals)) }

  mutating func set(_ index: Int, to price: Price) { ticks[index] = min(max(1, price.raw / tick), Self.highest.raw / tick) }
  mutating func move(_ index: Int, by amount: Price) { set(index, to: Price(raw: ticks[index] * tick + amount.raw)) }
  mutating func randomise(_ index: Int) { ticks[index] = lowest + Int64(random.next(upperBound: UInt64(highest - lowest) + 1)) }

  /// Sends the next trades.
  mutating func send(_ count: Int, now: Timestamp, into output: inout Outlet<Trade>) {
    output.send(count) { _ in nextTrade(now: now) }
  }

  /// Changes the price of the next symbol in turn and trades it.
  @inline(__always)
  mutating func nextTrade(now: Timestamp) -> Trade {
    let index = at
    at = index &+ 1 == symbols.count ? 0 : index &+ 1
    let bits = random.next()
    switch model {
    case .randomWalk:
      let most = mostTicks(from: ticks[index])
      let width = UInt64(2 &* most &+ 1)
      // 32 bits are enough for all but the finest ticks, and then the product is one instruction.
      let drawn = width >> 32 == 0 ? ((bits >> 32) &* width) >> 32 : bits.multipliedFullWidth(by: width).high
      ticks[index] = min(max(1, ticks[index] &+ Int64(truncatingIfNeeded: drawn) &- most), Self.highest.raw / tick)
    case .uniform:
      ticks[index] = lowest + Int64(bits.multipliedFullWidth(by: UInt64(highest - lowest) + 1).high)
    case .step:
      ticks[index] = step(from: ticks[index], up: bits >> 63 == 0)
    }
    return trade(index, bits: bits, now: now)
  }

  /// The largest step of a random walk from a price, in ticks; at least one, so that cheap symbols change too.
  @inline(__always)
  private func mostTicks(from price: Int64) -> Int64 {
    let product = UInt64(price).multipliedFullWidth(by: UInt64(volatility))
    let scale: UInt64 = 100_000_000_000
    return max(1, Int64(product.high == 0 ? product.low / scale : scale.dividingFullWidth(product).quotient))
  }

  /// At the lowest and highest price the direction of the step is reversed, so that all steps have the same length.
  @inline(__always)
  private func step(from price: Int64, up: Bool) -> Int64 {
    let top = Self.highest.raw / tick
    let goesUp = up ? price + increment <= top : price - increment < 1
    return min(max(1, price + (goesUp ? increment : -increment)), top)
  }

  /// Trades a symbol at its current price.
  mutating func trade(_ index: Int, now: Timestamp) -> Trade { trade(index, bits: random.next(), now: now) }

  @inline(__always)
  private mutating func trade(_ index: Int, bits: UInt64, now: Timestamp) -> Trade {
    let time = simulated?.next() ?? now
    // The low bits, which the price does not use, give 1 to 10 round lots and a side.
    let lots = Int64(((bits & 0xffff) &* 10) >> 16) &+ 1
    return Trade(
      symbol: symbols[index], price: Price(raw: ticks[index] &* tick), size: Quantity(raw: lots &* 100_000_000_000), time: time,
      received: simulated == nil ? now : time, side: bits & 0x10000 == 0 ? .buy : .sell, priceDecimals: decimals)
  }
}

extension RandomStream {
  /// Uniform below `bound`: Lemire, "Fast Random Integer Generation in an Interval" (2019), without the rejection that 64 bits
  /// make unnoticeable.
  @inline(__always)
  mutating func next(upperBound bound: UInt64) -> UInt64 { next().multipliedFullWidth(by: bound).high }
}
