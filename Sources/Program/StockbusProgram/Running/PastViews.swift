import EventBus
import MarketData
import StockbusConfig
import StockbusInstruments
import StockbusPlugin
import StockbusRuntime
import StockbusViewing

/// The components of a run that show a market, and what they would have shown of its past.
struct PastViews {
  /// A component, and the topics that it reads.
  private let viewers: [(id: String, limits: MarketLimits, inputs: [String])]

  init(of topology: Topology) {
    viewers = topology.nodes.compactMap { node in
      guard let type = node.assembly.component as? any MarketShowingComponent.Type else { return nil }
      return type.marketLimits(inAny: node.assembly.settings).map { (node.id, $0, node.inputs.map(\.from)) }
    }
  }

  var isEmpty: Bool { viewers.isEmpty }

  /// The nodes from which something comes to these components.
  func sources(in nodes: [PlannedNode]) -> [PlannedNode] {
    var reached = Set(viewers.flatMap(\.inputs))
    var count = -1
    while reached.count != count {
      count = reached.count
      for node in nodes where reached.contains(node.id) { reached.formUnion(node.inputs.map(\.from)) }
    }
    return nodes.filter { reached.contains($0.id) }
  }

  /// Shows them what comes from now on. Returns a function that waits for the end, and gives their markets.
  func showing(_ pipeline: Pipeline, _ past: PastPrices, _ instruments: Instruments) -> () async -> PastMarkets {
    let shown = viewers.map { viewer in
      let market = Guarded(Market(past, instruments, limits: viewer.limits))
      let tasks = viewer.inputs.compactMap { pipeline.topic($0) }.compactMap { Self.show($0, in: market) }
      return (id: viewer.id, market: market, tasks: tasks)
    }
    return {
      var markets: [String: Market] = [:]
      for each in shown {
        for task in each.tasks { await task.value }
        markets[each.id] = each.market.withLock {
          $0.beginRun()
          return $0
        }
      }
      return PastMarkets(markets.filter { !$0.value.rows.isEmpty })
    }
  }

  private static func show(_ topic: any AnyTopic, in market: Guarded<Market>) -> Task<Void, Never>? {
    func reader<E: Event>(_ topic: Topic<E>, _ take: @escaping @Sendable (inout Market, Span<E>) -> Void) -> Task<Void, Never> {
      topic.folded(into: ()) { _, event in market.withLock { take(&$0, CollectionOfOne(event).span) } }
    }
    return switch topic {
    case let topic as Topic<Trade>: reader(topic) { $0.take($1, at: 0) }
    case let topic as Topic<Quote>: reader(topic) { $0.take($1, at: 0) }
    case let topic as Topic<Bar>: reader(topic) { $0.take($1, at: 0) }
    case let topic as Topic<Ranked>: reader(topic) { $0.take($1, at: 0) }
    default: nil
    }
  }
}
