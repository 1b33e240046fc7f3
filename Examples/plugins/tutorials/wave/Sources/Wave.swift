public import StockbusPlugin

extension Plugin {
  public static let wave = Plugin(
    "wave", "Makes trades whose price goes up and down between two bounds.", .source(Wave.self))
}

public struct WaveSettings: Options {
  @Setting("The symbol of all trades.")
  public var symbol: Symbol
  @Setting("The lowest price.", in: Price(raw: 1)...)
  public var low: Price = 100
  @Setting("The highest price.", in: Price(raw: 1)...)
  public var high: Price = 110
  @Setting("How far the price moves with each trade.", in: Price(raw: 1)...)
  public var step: Price = 1
  @Setting("The time between two trades.", in: .milliseconds(1) ... .seconds(3600))
  public var interval = Duration.seconds(1)
  @Setting("How many trades it makes; endless unless told.", in: 1...)
  public var count: Int?
  public init() {}

  public func validate(_ problems: inout OptionProblems) {
    if high <= low { problems.add("'high' must be above 'low'", at: "high") }
  }
}

public actor Wave: Source {
  private let settings: WaveSettings
  private let context: Context
  private var position: Position

  public init(_ settings: WaveSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    position = context.recall(Self.positionKey) ?? Position(price: settings.low)
  }

  public func run(into output: inout Outlet<Trade>) async throws {
    var next = context.clock.uptime
    while position.made < settings.count ?? .max {
      try await output.whileIdle { try await context.clock.sleep(until: next) }
      let now = output.receipt(context.clock.now)
      try await output.publish(Trade(symbol: settings.symbol, price: position.price, size: 1, time: now, received: now))
      position.move(by: settings.step, from: settings.low, to: settings.high)
      context.remember(position, Self.positionKey)
      next += settings.interval
    }
  }

  private static var positionKey: MemoryKey<Position> { MemoryKey("position", whenOptionsChange: .drop) }

  /// A configuration that filters for another symbol gets a warning.
  public static func knownSymbols(_ settings: WaveSettings) -> [String]? { [settings.symbol.description] }
}

/// Where the wave is.
struct Position: Sendable, Codable {
  var price: Price
  var isRising = true
  var made = 0

  mutating func move(by step: Price, from low: Price, to high: Price) {
    made += 1
    // Differences of two prices that are both positive do not overflow.
    if isRising, high.raw - price.raw <= step.raw {
      (price, isRising) = (high, false)
    } else if !isRising, price.raw - low.raw <= step.raw {
      (price, isRising) = (low, true)
    } else {
      price = Price(raw: price.raw + (isRising ? step.raw : -step.raw))
    }
  }
}
