internal import StockbusPlugin

/// The symbols with their prices, and how they move; everything in whole ticks.
struct Market {
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
  /// Event time of the next trade and the step between two, in nanoseconds; nil where the clock decides.
  private var simulated: (next: Int64, step: Int64)?

  init(_ settings: GeneratorSettings, random: RandomStream) throws {
    var random = random
    symbols = try Self.symbols(settings.symbols)
    model = settings.model
    tick = settings.tick.raw
    decimals = UInt8(clamping: settings.tick.description.split(separator: ".").dropFirst().first?.count ?? 0)
    lowest = max(1, settings.lowest.raw / tick)
    highest = max(lowest, settings.highest.raw / tick)
    increment = max(1, settings.increment.raw / tick)
    volatility = settings.volatility.raw
    let range = UInt64(highest - lowest) + 1
    let low = lowest
    ticks = symbols.map { _ in low + Int64(random.next(upperBound: range)) }
    self.random = random
    if let start = settings.start {
      let step: Int64
      if let perSecond = settings.rate?.eventsPerSecond {
        step = max(1, Int64(1_000_000_000 / perSecond))
      } else {
        let (seconds, attoseconds) = settings.interval.components
        step = max(1, (seconds * 1_000_000_000 + attoseconds / 1_000_000_000) / Int64(symbols.count))
      }
      simulated = (start.ns, step)
    }
  }

  /// A list is itself; a single whole number is a count.
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
    for _ in 0..<count { output.send(nextTrade(now: now)) }
  }

  /// Moves the next symbol in turn and trades it.
  @inline(__always)
  mutating func nextTrade(now: Timestamp) -> Trade {
    let index = at
    at = index &+ 1 == symbols.count ? 0 : index &+ 1
    let bits = random.next()
    switch model {
    case .randomWalk:
      // The most it moves, in ticks; at least one, so that cheap symbols move too.
      let most = max(1, Int64(truncatingIfNeeded: (UInt64(ticks[index]).multipliedFullWidth(by: UInt64(volatility)).low) / 100_000_000_000))
      let drawn = (bits >> 32).multipliedFullWidth(by: UInt64(2 &* most &+ 1)).low >> 32
      ticks[index] = min(max(1, ticks[index] &+ Int64(truncatingIfNeeded: drawn) &- most), Self.highest.raw / tick)
    case .uniform:
      ticks[index] = lowest + Int64(bits.multipliedFullWidth(by: UInt64(highest - lowest) + 1).high)
    case .step:
      ticks[index] = min(max(1, ticks[index] + (bits >> 63 == 0 ? increment : -increment)), Self.highest.raw / tick)
    }
    return trade(index, bits: bits, now: now)
  }

  /// Trades a symbol at the price it has.
  mutating func trade(_ index: Int, now: Timestamp) -> Trade { trade(index, bits: random.next(), now: now) }

  @inline(__always)
  private mutating func trade(_ index: Int, bits: UInt64, now: Timestamp) -> Trade {
    var time = now
    if let (next, step) = simulated {
      time = Timestamp(ns: next)
      simulated = (next &+ step, step)
    }
    // The low bits are not used for the price: 1 to 10 round lots, and a side.
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
