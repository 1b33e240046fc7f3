internal import StockbusInstruments
public import StockbusPlugin

extension Plugin {
  /// Buys when prices rise.
  public static let demoMomentum = Plugin(
    "demo_momentum", "A toy strategy: buys symbols that have risen and sells symbols that have fallen, on paper.",
    .processor(DemoStrategy<Momentum>.self)
  ).example("account: paper")
  /// Buys when prices fall.
  public static let demoReversion = Plugin(
    "demo_reversion", "A toy strategy: buys symbols below their average price and sells symbols above it, on paper.",
    .processor(DemoStrategy<Reversion>.self)
  ).example("account: paper")
}

package struct DemoStrategySettings: Options {
  @Setting("The account that its orders are for.")
  package var account: Symbol
  @Setting("Units of each order.", in: Quantity(raw: 1)...)
  package var quantity: Quantity = 100
  @Setting("How many trades of a symbol are compared with the last one.", in: 2...10_000)
  package var window = 20
  @Setting("How far the price must have moved.", in: Percent(raw: 0)...)
  package var threshold: Percent = Percent(raw: 500_000_000)

  package init() {}
}

/// The wish of a toy strategy, given the change of a price within its window.
protocol DemoStyle: SendableMetatype {
  /// 1 to hold, -1 to hold nothing, 0 for no change.
  static func wish(_ change: Percent, threshold: Percent) -> Int
}

/// Expects that a movement continues.
enum Momentum: DemoStyle {
  static func wish(_ change: Percent, threshold: Percent) -> Int { change > threshold ? 1 : change.raw < -threshold.raw ? -1 : 0 }
}

/// Expects that a movement reverses.
enum Reversion: DemoStyle {
  static func wish(_ change: Percent, threshold: Percent) -> Int { change.raw < -threshold.raw ? 1 : change > threshold ? -1 : 0 }
}

/// Compares each trade with the average of the last ones of its symbol, and orders at the market: once to buy, once to sell what it bought.
///
/// It shows how a strategy is written: trades arrive, orders are published, and a broker reads both. It sets its orders' keys itself, so an
/// order that is repeated after a restart is the same order. It is no advice.
actor DemoStrategy<Style: DemoStyle>: EventProcessor {
  private struct Watched: Codable {
    var prices: [Price] = []
    var next = 0
    var sum: Int128 = 0
    var isHeld = false
    var orders = 0

    /// False for what no strategy with this window has left.
    func isSound(_ window: Int) -> Bool {
      prices.count <= window && (0..<window).contains(next) && sum == prices.reduce(0) { $0 + Int128($1.raw) } && orders >= 0
        && orders < .max
    }

    /// Converts the kept prices to the shares after a split, so that later prices compare with them.
    mutating func apply(_ split: PriceSplit) {
      prices = prices.map { split.adjust($0) ?? $0 }
      sum = prices.reduce(0) { $0 + Int128($1.raw) }
    }
  }

  private struct Left: Codable, Sendable {
    var watched: [Symbol: Watched]
    var splits: SplitWatch?
  }

  private static var memory: MemoryKey<Left> { MemoryKey("watched", whenOptionsChange: .drop) }
  private let settings: DemoStrategySettings
  private let context: Context
  private var watched: [Symbol: Watched] = [:]
  private var splits: SplitWatch?

  init(_ settings: DemoStrategySettings, _ context: Context) {
    self.settings = settings
    self.context = context
    let left = context.recall(Self.memory)
    splits = SplitWatch(context.instruments, after: left?.splits)
    watched = (left?.watched ?? [:]).filter { $0.value.isSound(settings.window) }
  }

  func keepMemory() { context.remember(Left(watched: watched, splits: splits), Self.memory) }

  func handOver(into output: inout Outlet<Order>) { keepMemory() }

  func process(_ trade: Trade, into output: inout Outlet<Order>) {
    output.filter()
    if !trade.condition.countsForLast { return }
    var state = watched[trade.symbol] ?? Watched()
    defer { watched[trade.symbol] = state }
    while let split = splits?.take(trade) { state.apply(split) }
    guard state.prices.count == settings.window else {
      state.prices.append(trade.price)
      state.sum += Int128(trade.price.raw)
      return
    }
    let average = Price(raw: Int64(state.sum / Int128(settings.window)))
    state.sum += Int128(trade.price.raw) - Int128(state.prices[state.next].raw)
    state.prices[state.next] = trade.price
    state.next = (state.next + 1) % settings.window
    guard let change = Percent.change(from: average, to: trade.price) else { return }
    let wish = Style.wish(change, threshold: settings.threshold)
    if wish == 0 || (wish > 0) == state.isHeld { return }
    state.isHeld = wish > 0
    state.orders += 1
    output.send(
      Order(
        account: settings.account, key: "\(trade.symbol)-\(state.orders)", symbol: trade.symbol, side: wish > 0 ? .buy : .sell,
        type: .market, quantity: settings.quantity, timeInForce: .gtc, time: trade.time, received: trade.received))
  }
}
