import StockbusConfig
import StockbusInstruments
import StockbusPlugin
import StockbusTestKit
import StockbusTrading
import Testing

@testable import PaperBroker

/// A broker that knows some instruments, and texts of what it does.
struct InstrumentDesk {
  var options = "accounts: [{ name: paper, deposit: 100000 }]"
  let instruments: Instruments

  /// - Parameter csv: lines without a header: `AAPL,us_equities,0.01,1,USD,2014-06-09 7:1`.
  init(_ csv: String..., calendars: String? = nil) {
    var builder = InstrumentsBuilder()
    if let root = calendars.flatMap({ YAMLParser.parse(Array($0.utf8), file: "calendars.yaml").root }) { builder.add(calendars: root) }
    builder.add(
      csv: Array((["symbol,calendar,tick_size,lot,currency,splits"] + csv).joined(separator: "\n").utf8), file: "instruments.csv")
    precondition(builder.problems.isEmpty, "\(builder.problems)")
    instruments = builder.finish()
  }

  func harness() -> PluginHarness { PluginHarness(services: Services(instruments)) }

  func run(_ feeds: Feed...) async throws -> [BrokerRecord] {
    try await harness().output(of: Plugin.paperBroker, options: options, feeds: feeds)
  }

  func start() throws -> RunningPlugin<BrokerRecord> {
    try harness().start(Plugin.paperBroker, options: options, taking: Quote.self, emitting: BrokerRecord.self)
  }

  /// Orders and fills.
  static func summary(_ records: [BrokerRecord]) -> [String] {
    records.compactMap { record in
      switch record.content {
      case .order(let order):
        let reason = order.reason == .none ? "" : " \(order.reason.fieldName)"
        return "\(record.received) order \(order.key) \(order.state.fieldName)\(reason)"
      case .fill(let fill):
        return "\(record.received) fill \(fill.order) \(fill.side.fieldName) \(fill.quantity) at \(fill.price) \(fill.reason.fieldName)"
      case .position, .account: return nil
      }
    }
  }
}

func time(_ text: String) throws -> Timestamp { try Timestamp(iso8601: text) }

func trade(_ price: Price, _ at: String, size: Quantity = 1000, side: Side = .unknown, _ symbol: Symbol = "AAPL") throws -> Trade {
  let at = try time(at)
  return Trade(symbol: symbol, price: price, size: size, time: at, received: at, side: side)
}

func quote(_ bid: Price, _ ask: Price, _ at: String, _ symbol: Symbol = "AAPL") throws -> Quote {
  let at = try time(at)
  return Quote(symbol: symbol, bid: bid, ask: ask, bidSize: 1000, askSize: 1000, time: at, received: at)
}

func order(
  _ key: String, _ side: Side, _ quantity: Quantity, limit: Price = 0, _ force: TimeInForce, _ at: String, _ symbol: Symbol = "AAPL"
) throws -> Order {
  let at = try time(at)
  return Order(
    account: "paper", key: key, symbol: symbol, side: side, type: limit.raw == 0 ? .market : .limit, quantity: quantity, limit: limit,
    timeInForce: force, time: at, received: at)
}
