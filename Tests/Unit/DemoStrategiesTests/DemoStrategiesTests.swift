import StockbusInstruments
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import DemoStrategies

@Suite struct DemoStrategiesTests {
  private func trades(_ prices: [Price]) -> [Trade] {
    prices.enumerated().map { Trade(symbol: "A", price: $1, size: 1, time: Timestamp(ns: Int64($0)), received: Timestamp(ns: Int64($0))) }
  }

  private let options = "account: fund\nwindow: 2\nthreshold: 5%\nquantity: 7"

  /// Averages of the two prices before: 100, 105, 120, 110, 85; changes +10 %, +23.8 %, −16.7 %, −27.3 %, +2.9 %.
  private let prices: [Price] = [100, 100, 110, 130, 100, 80, 90]

  @Test func `momentum buys what has risen and sells what has fallen, once each`() async throws {
    let orders: [Order] = try await PluginHarness().output(of: Plugin.demoMomentum, options: options, inputs: [trades(prices)])
    #expect(orders.map { "\($0.time.ns) \($0.side.fieldName) \($0.quantity) \($0.key)" } == ["2 buy 7 A-1", "4 sell 7 A-2"])
  }

  @Test func `reversion buys what has fallen and sells what has risen`() async throws {
    let orders: [Order] = try await PluginHarness().output(of: Plugin.demoReversion, options: options, inputs: [trades(prices + [110])])
    #expect(orders.map { "\($0.time.ns) \($0.side.fieldName)" } == ["4 buy", "7 sell"])
  }

  @Test func `a split that the instruments know is no move`() async throws {
    var instrument = Instrument("A")
    instrument.splits = [try Split(option: "1970-01-02 10:1")]
    var events = trades([1000, 1000, 101, 102])
    for i in 2...3 { (events[i].time, events[i].received) = (Timestamp(ns: 86_400_000_000_000), Timestamp(ns: 86_400_000_000_000)) }
    let harness = PluginHarness(services: Services(Instruments([instrument])))
    let orders: [Order] = try await harness.output(of: Plugin.demoMomentum, options: options, inputs: [events])
    #expect(orders == [])
  }

  @Test func `keep the contract`() async {
    #expect(await checkContract(.demoMomentum, options: options) == [])
    #expect(await checkContract(.demoReversion, options: options) == [])
  }
}
