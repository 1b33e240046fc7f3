public import StockbusPlugin

extension Plugin {
  public static let movingAverage = Plugin(
    "moving_average", "Averages the last prices of each symbol, few and many of them, and says where the two averages cross.",
    .processor(MovingAverage.self))
}

public struct MovingAverageSettings: Options {
  @Setting("How many prices the short average is of.", in: 1...1000) public var short = 5
  @Setting("How many prices the long average is of, more than the short one.", in: 2...1000) public var long = 20
  public init() {}

  public func validate(_ problems: inout OptionProblems) {
    if long <= short { problems.add("'long' must be more than 'short'", at: "long") }
  }
}

/// Emits an average for each trade once the long window is full. It remembers nothing, so it begins anew after a failure, and with other
/// options.
public actor MovingAverage: EventProcessor {
  private let settings: MovingAverageSettings
  private var windows: [Symbol: Window] = [:]

  public init(_ settings: MovingAverageSettings, _: Context) { self.settings = settings }

  public func process(_ trade: Trade, into output: inout Outlet<Average>) {
    // Corrections and odd prints are trades too, but not the market's last price.
    guard trade.condition.countsForLast,
      let (short, long, signal) = windows[trade.symbol, default: Window()].add(trade.price, settings.short, settings.long)
    else { return output.filter() }
    output.send(Average(symbol: trade.symbol, short: short, long: long, signal: signal, time: trade.time))
  }
}

/// The last prices of one symbol.
struct Window {
  /// Oldest first, as many as the long average is of.
  private var prices: [Int64] = []
  /// Whether the short average was above the long one when they differed last; nil if they never did.
  private var isAbove: Bool?

  /// Both averages and what happened; nil as long as there are too few prices.
  mutating func add(_ price: Price, _ short: Int, _ long: Int) -> (short: Price, long: Price, signal: Signal)? {
    prices.append(price.raw)
    if prices.count > long { prices.removeFirst() }
    guard prices.count == long else { return nil }
    let averages = (short: Self.average(prices.suffix(short)), long: Self.average(prices[...]))
    var signal = Signal.none
    if averages.short != averages.long {
      let now = averages.short > averages.long
      if let isAbove, isAbove != now { signal = now ? .rise : .fall }
      isAbove = now
    }
    return (averages.short, averages.long, signal)
  }

  /// In the unit of prices, 1e-9, rounded towards zero. The sum of a thousand prices needs more than 64 bits.
  private static func average(_ prices: ArraySlice<Int64>) -> Price {
    Price(raw: Int64(prices.reduce(Int128(0)) { $0 + Int128($1) } / Int128(prices.count)))
  }
}
