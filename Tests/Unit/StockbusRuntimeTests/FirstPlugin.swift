public import StockbusPlugin

extension Plugin {
  public static let bigTrades = Plugin("big_trades", "Passes trades of at least a size.", .processor(BigTrades.self))
}

public struct BigTradesSettings: Options {
  @Setting("The least size that passes.", in: Quantity(raw: 1)...)
  public var least: Quantity = 1000
  public init() {}
}

public actor BigTrades: EventProcessor {
  private let least: Quantity

  public init(_ settings: BigTradesSettings, _: Context) { least = settings.least }

  public func process(_ trade: Trade, into output: inout Outlet<Trade>) {
    if trade.size >= least { output.send(trade) } else { output.filter() }
  }
}
