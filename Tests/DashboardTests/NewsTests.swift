import MarketData
import StockbusPlugin
import Testing

@testable import Dashboard

/// What clients are told besides prices.
@Suite struct NewsTests {
  private func text(_ push: inout Push, _ id: Push.ClientID, at now: Int64 = 0) -> String? {
    _ = push.tick(now: now, time: 0)
    let text = push.next(for: id, now: now)?.text
    push.painted(id, push.board.frame)
    return text
  }

  @Test func `alerts are told once, and what a late client missed is counted`() {
    var push = PushTests.push()
    let id = push.connect(cursor: 0)
    let alerts = (1...3).map {
      Alert(symbol: "A", rule: "r\($0)", message: "m", price: 88, time: Timestamp(ns: 5_000_000_000), priceDecimals: 2)
    }
    push.take([alerts[0]].span)
    #expect(
      text(&push, id)
        == #"{"op":"state","frame":1,"alerts":[{"number":1,"rule":"r1","symbol":"A","message":"m","price":"88.00","time":5000}]}"#)
    #expect(text(&push, id) == nil)
    push.take([alerts[1], alerts[2]].span)
    #expect(text(&push, id)?.contains(#""number":2"#) == true)
    for _ in 0..<200 { push.take([alerts[0]].span) }
    let late = push.connect(cursor: 0)
    let told = text(&push, late) ?? ""
    #expect(told.contains(#""number":4,"#) && !told.contains(#""number":3,"#) && told.contains(#""alertsMissed":3"#))
  }

  @Test func `trades of the chosen symbol have numbers, so that a gap shows`() {
    var push = PushTests.push()
    let id = push.connect(cursor: 0)
    push.choose(id, "A")
    push.board.take([PushTests.trade("A", 100), PushTests.trade("B", 1)].span, at: 0)
    #expect(
      text(&push, id) == #"{"op":"state","frame":1,"trades":{"from":1,"prints":[[1381239000000,"1.00","1","unknown"]]}}"#)
    for cents in 1...40 { push.board.take([PushTests.trade("A", Int64(cents))].span, at: 0) }
    // 41 trades, of which the last 32 are kept.
    #expect(text(&push, id)?.contains(#""from":10,"prints":[[1381239000000,"0.09""#) == true)
  }

  @Test func `what an account is worth follows the prices, at most four times a second`() {
    var push = PushTests.push()
    let id = push.connect(cursor: 0)
    var position = Position.schema.example
    (position.symbol, position.quantity, position.mark, position.value, position.cost) = ("A", 10, 1, 10, 8)
    (position.unrealised, position.time) = (2, Timestamp(ns: 0))
    push.board.take([PushTests.trade("A", 100)].span, at: 0)
    push.take([position].span)
    #expect(text(&push, id)?.contains(#""value":"10""#) == true)
    push.board.take([PushTests.trade("A", 150)].span, at: 0)
    #expect(text(&push, id, at: 100_000_000) == nil)
    #expect(push.nextTick() == 250_000_000)
    #expect(text(&push, id, at: 250_000_000)?.contains(#""value":"15""#) == true)
    #expect(push.nextTick() == nil)
  }
}
