import MarketData
import StockbusTrading
import TestSupport
import Testing

@Suite struct SnapshotTests {
  /// A broker with everything that a state can have.
  private func busy() throws -> Desk {
    var desk = try Desk(fees: FeeRule(perUnit: price("0.01"), minimum: 1))
    desk.quote("9.99", "100", "10.01", "60")
    desk.submit("market", .buy, "100")
    desk.trade("10", "10")
    desk.submit("limit", .buy, "100", .limit, limit: "9", for: .day)
    desk.submit("stop", .sell, "10", .stop, stop: "9.5")
    desk.submit("trail", .sell, "10", .trailingStop, trail: "0.25")
    desk.trade("11", "10")
    desk.submit("refused", .buy, "0")
    desk.submit("done", .sell, "10", .limit, limit: "9", for: .ioc)
    return desk
  }

  /// A broker with the same configuration.
  private func fresh() throws -> Desk { try Desk(fees: FeeRule(perUnit: price("0.01"), minimum: 1)) }

  @Test func `a restored broker goes on as if nothing had happened`() throws {
    var desk = try busy()
    let snapshot = desk.broker.snapshot()
    #expect(snapshot.orders.map(\.key) == ["market", "limit", "stop", "trail"])
    #expect(snapshot.keys.map(\.key) == ["refused", "done"])
    var other = try fresh()
    try other.broker.restore(written(snapshot))
    #expect(other.broker.snapshot() == snapshot)
    desk.out.clear()
    other.second = desk.second
    for size in ["30", "31"] {
      // Standing quotes are not restored: the new one shows all of its size.
      desk.quote("9.97", "100", "10.02", size)
      other.quote("9.97", "100", "10.02", size)
      desk.trade("10.75", "5")
      other.trade("10.75", "5")
      #expect(desk.submit("refused", .buy, "10") == other.submit("refused", .buy, "10"))
      #expect(desk.submit("new", .buy, "10", for: .ioc) == other.submit("new", .buy, "10", for: .ioc))
      #expect(desk.out.fills == other.out.fills)
      #expect(desk.out.orders == other.out.orders)
      #expect(desk.out.accounts == other.out.accounts)
      #expect(desk.out.positions == other.out.positions)
    }
    #expect(desk.out.fills.count == 3)
  }

  @Test func `the records that a broker gives are its snapshot`() throws {
    var desk = try busy()
    // The last of each, as a caller that has made them durable would put them together.
    var orders: [Int64: Order] = [:]
    for order in desk.out.orders { orders[order.number] = order }
    var saved = BrokerSnapshot(lastOrder: Int64(orders.count), lastFill: desk.out.fills.last?.number ?? 0)
    saved.accounts = desk.out.accounts.suffix(1)
    saved.positions = desk.out.positions.suffix(1)
    desk.out.clear()
    desk.broker.reportTrails(at: desk.tick(), into: &desk.out)
    for order in desk.out.orders { orders[order.number] = order }
    saved.orders = orders.values.filter(\.state.isOpen).sorted { $0.number < $1.number }
    saved.keys = orders.values.filter { !$0.state.isOpen }.sorted { $0.number < $1.number }.map {
      BrokerSnapshot.Key(account: $0.account, key: $0.key, number: $0.number, reason: $0.state == .rejected ? $0.reason : .none)
    }
    let own = desk.broker.snapshot()
    saved.instruments = own.instruments
    var other = try fresh()
    try other.broker.restore(saved)
    var again = other.broker.snapshot()
    // Times are of the moment of saving.
    for at in again.accounts.indices {
      (again.accounts[at].time, again.accounts[at].received) = (own.accounts[at].time, own.accounts[at].received)
    }
    for at in again.positions.indices {
      (again.positions[at].time, again.positions[at].received) = (own.positions[at].time, own.positions[at].received)
    }
    #expect(again == own)
  }

  @Test func `a damaged state traps nowhere`() throws {
    var random = SplitMix(5)
    var restored = 0
    for _ in 0..<rounds(400, cost: 5) {
      var desk = try busy()
      guard let saved = try damaged(desk.broker.snapshot(), &random) else { continue }
      var other = try fresh()
      other.second = desk.second
      do throws(BrokerError) { try other.broker.restore(saved) } catch { continue }
      restored += 1
      other.quote("9.97", "100", "10.02", "30")
      other.trade("8", "500")
      other.submit("new", .buy, "10", for: .ioc)
      other.trade("12", "500")
      _ = other.broker.snapshot()
    }
    #expect(restored > 50)
  }

  @Test func `a state that contradicts itself or the configuration is refused`() throws {
    var desk = try busy()
    let snapshot = desk.broker.snapshot()
    func fault(_ change: (inout BrokerSnapshot) -> Void) throws -> String {
      var changed = snapshot
      change(&changed)
      var other = try fresh()
      do throws(BrokerError) { try other.broker.restore(changed) } catch { return error.description }
      return "none"
    }
    #expect(try fault { _ in } == "none")
    #expect(try fault { $0.accounts[0].account = "gone" } == "the saved state has an account 'gone' that was not opened")
    #expect(try fault { $0.accounts[0].currency = "EUR" } == "account 'a' was saved in EUR, but is opened in USD")
    #expect(try fault { $0.orders[0].account = "gone" } == "the saved state has an account 'gone' that was not opened")
    #expect(try fault { $0.orders[0].state = .filled } == "order 1 of 'a' is inconsistent")
    #expect(try fault { $0.orders[0].filled = $0.orders[0].quantity } == "order 1 of 'a' is inconsistent")
    #expect(try fault { $0.orders[1].limit = 0 } == "order 2 of 'a' is inconsistent")
    #expect(try fault { $0.orders[3].trailPercent = 5 } == "order 4 of 'a' is inconsistent")
    #expect(try fault { $0.orders[1].key = "market" } == "order 2 of 'a' is inconsistent")
    #expect(try fault { $0.orders[1].number = 1 } == "order 1: out of order")
    #expect(try fault { $0.orders[3].number = 99 } == "order 99: out of order")
    #expect(try fault { $0.orders[1].quantity = Quantity(raw: .max) } == "order 2 of 'a' is inconsistent")
    #expect(try fault { $0.keys.append($0.keys[0]) } == "key 'refused' of 'a' occurs twice, or its number is out of range")
    #expect(try fault { $0.keys[0].number = 0 } == "key 'refused' of 'a' occurs twice, or its number is out of range")
    #expect(try fault { $0.lastFill = -1 } == "the numbers of the last order and fill are out of range")
    #expect(try fault { $0.lastOrder = .max } == "the numbers of the last order and fill are out of range")
    let position = "the position of 'a' in 'X' occurs twice, or is inconsistent"
    #expect(try fault { $0.positions.append($0.positions[0]) } == position)
    #expect(try fault { $0.positions[0].cost = -1 } == position)
    #expect(try fault { $0.positions[0].quantity = 0 } == position)
    #expect(try fault { $0 = BrokerSnapshot() } == "none")
  }
}
