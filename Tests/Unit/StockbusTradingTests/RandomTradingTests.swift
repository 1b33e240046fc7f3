import MarketData
import TestSupport
import StockbusTrading
import Testing

/// Random orders and prices, each given to the broker and to the model. `STOCKBUS_FUZZ_COUNT` sets the number of orders of all seeds.
@Suite struct RandomTradingTests {
  private static let seeds = 12

  private func run(_ seed: Int, orders: Int) throws -> RandomTrading {
    var trading = try RandomTrading(seed: seed, splits: seed % 3 == 0, restarts: seed % 2 == 0)
    while trading.submitted < orders { try trading.step() }
    return trading
  }

  @Test func `the broker agrees with the model, nothing is lost, and every rule was tried`() throws {
    let orders = rounds(3000) / Self.seeds
    var fills: Set<FillReason> = []
    var reasons: Set<OrderReason> = []
    var states: Set<OrderState> = []
    for seed in 1...Self.seeds {
      do {
        let trading = try run(seed, orders: orders)
        fills.formUnion(trading.fillReasons)
        reasons.formUnion(trading.orderReasons)
        states.formUnion(trading.orderStates)
      } catch { Issue.record("seed \(seed): \(error)") }
    }
    #expect(fills == Set(FillReason.allCases))
    #expect(states == Set(OrderState.allCases).subtracting([.new]))
    // What a random order is not, or only after a very long time.
    let others: Set<OrderReason> = [.unknownInstrument, .badSide, .badQuantity, .badTrail, .tooManyOrders, .outOfRange, .belowZero]
    #expect(reasons.union(others).symmetricDifference(OrderReason.allCases) == [])
    #expect(reasons.isDisjoint(with: others))
  }

  @Test func `the same run twice gives the same`() throws {
    let digest = try run(6, orders: 200).digest
    #expect(try run(6, orders: 200).digest == digest)
    #expect(try run(7, orders: 200).digest != digest)
  }
}
