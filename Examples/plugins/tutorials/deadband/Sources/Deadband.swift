public import StockbusPlugin

extension Plugin {
  public static let deadband = Plugin(
    "deadband", "Passes a trade when its price has moved far enough from the last one that passed.", .processor(Deadband.self))
}

public struct DeadbandSettings: Options {
  @Setting("How far the price has to move.", in: Price(raw: 1)...)
  public var least: Price = 1
  public init() {}
}

public actor Deadband: EventProcessor, CommandableComponent {
  private let context: Context
  private var least: Price
  private var passed: [Symbol: Price]
  /// The last trade of each symbol, where it has not passed.
  private var held: [Symbol: Trade]

  public init(_ settings: DeadbandSettings, _ context: Context) {
    self.context = context
    least = settings.least
    let state = context.recall(Self.stateKey)
    passed = state?.passed ?? [:]
    held = state?.held ?? [:]
  }

  public func process(_ trade: Trade, into output: inout Outlet<Trade>) {
    // What was held until now is left out; the ledger counts it as filtered.
    if held.removeValue(forKey: trade.symbol) != nil { output.filter() }
    if let last = passed[trade.symbol], (trade.price.raw - last.raw).magnitude < least.raw.magnitude {
      held[trade.symbol] = trade
    } else {
      passed[trade.symbol] = trade.price
      output.send(trade)
    }
  }

  /// At the end of the inputs the last price of each symbol passes too, in the order in which these came.
  public func drain(into output: inout Outlet<Trade>) {
    for trade in held.values.sorted(by: { ($0.received, $0.symbol.description) < ($1.received, $1.symbol.description) }) {
      output.send(trade)
    }
  }

  /// Another instance goes on with what this one knows: nothing is sent early.
  public func handOver(into output: inout Outlet<Trade>) { context.remember(State(passed: passed, held: held), Self.stateKey) }

  struct State: Sendable, Codable {
    var passed: [Symbol: Price]
    var held: [Symbol: Trade]
  }
  private static var stateKey: MemoryKey<State> { MemoryKey("state", whenOptionsChange: .keep) }

  public static var commands: [CommandInfo] { [CommandInfo("least PRICE", "Sets how far the price has to move from now on.")] }

  public func perform(_ command: Command) throws(CommandError) -> String {
    guard let word = command.arguments.first, let price = try? Price(word), price > 0 else {
      throw CommandError("it needs a price above 0")
    }
    least = price
    return "passes moves of \(price) and more"
  }
}
