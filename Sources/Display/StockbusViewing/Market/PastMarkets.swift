internal import StockbusInstruments
package import StockbusPlugin

/// A component that shows a market. It begins with what it would have shown of the past that is played before the run.
package protocol MarketShowingComponent: Component {
  static func marketLimits(_ settings: Settings) -> MarketLimits
}

extension MarketShowingComponent {
  /// The limits with settings whose type is not known.
  package static func marketLimits(inAny settings: any Options) -> MarketLimits? { (settings as? Settings).map { marketLimits($0) } }
}

/// What the past has left for the components that show a market.
package final class PastMarkets: Service {
  package static let fallback = PastMarkets([:])
  private let markets: Guarded<[String: Market]>

  /// - Parameter markets: by component.
  package init(_ markets: [String: Market]) { self.markets = Guarded(markets) }

  /// Hands out a component's market, which is large, once.
  fileprivate func take(_ component: String) -> Market? { markets.withLock { $0.removeValue(forKey: component) } }
}

extension Context {
  /// The market with which an instance begins. Only the first one gets what the past has left.
  package func market(_ limits: MarketLimits = MarketLimits()) -> Market {
    services[PastMarkets.self].take(id) ?? Market(past, instruments, limits: limits)
  }
}
