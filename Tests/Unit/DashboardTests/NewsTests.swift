import MarketData

import StockbusPlugin
import Testing

@testable import Dashboard
@testable import StockbusPeople

/// What clients are told besides prices.
@Suite struct NewsTests {
  private func text(_ push: inout Push, _ id: Push.ClientID, at now: Int64 = 0) -> String? {
    _ = push.tick(now: now, time: 0)
    let text = push.next(for: id, now: now)?.text
    push.painted(id, push.board.frame)
    return text
  }

  @Test func `alerts of a person's own rules are told to that person, under the rule's own name`() {
    var push = Push(PageBoard(), calm: 0) { 0 }
    func viewer(_ id: Int64, _ name: String) -> Viewer { Viewer(Person(id: id, name: name, scopes: [.read]), hasAccounts: true) }
    let clients = [push.connect(viewer(1, "hannah"), cursor: 0), push.connect(viewer(2, "otto"), cursor: 0), push.connect(cursor: 0)]
    let alerts = ["all", "@hannah dear", "@otto @x"].map {
      Alert(symbol: "A", rule: $0, message: "m", price: 88, time: Timestamp(ns: 5_000_000_000), priceDecimals: 2)
    }
    push.take(alerts.span)
    // More of one's own than are kept; the others lose none by it.
    for _ in 0..<50 { push.take([alerts[2]].span) }
    _ = push.tick(now: 0, time: 0)
    let told = clients.map { push.next(for: $0, now: 0)?.text ?? "" }
    #expect(told.map { $0.split(separator: #""rule":""#, omittingEmptySubsequences: false).count - 1 } == [2, 51, 52])
    #expect(told[0].contains(#""rule":"all""#) && told[0].contains(#""rule":"dear""#) && !told[0].contains("alertsMissed"))
    #expect(told[1].contains(#""rule":"@x""#) && told[1].contains(#""alertsMissed":1"#))
    #expect(told[2].contains(#""rule":"@hannah dear""#) && told[2].contains(#""rule":"@otto @x""#))
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
    #expect(push.nextTick() == 250_000_000 + Push.silence)
  }

  @Test func `a client that has been told nothing for a while is told the numbers, to show that the connection lasts`() {
    var push = PushTests.push()
    let id = push.connect(cursor: 0)
    #expect(text(&push, id) == nil && push.nextTick() == nil)
    push.board.take([PushTests.trade("A", 100)].span, at: 0)
    push.count(1)
    #expect(text(&push, id, at: 1_000_000_000)?.contains(#""status":{"events":1"#) == true)
    #expect(push.nextTick() == 4_000_000_000)
    #expect(text(&push, id, at: 3_999_999_999) == nil)
    #expect(text(&push, id, at: 4_000_000_000)?.contains(#""status":{"events":1"#) == true)
    #expect(push.nextTick() == 7_000_000_000)
  }
}

/// What an account was worth, thinned as the run goes on.
@Suite struct EquityLineTests {
  @Test func `the last value is always there, and others are at least a step apart`() {
    var line = EquityLine()
    for (second, value) in [(0.0, 1), (0.4, 2), (1.0, 3), (1.2, 4), (1.9, 5), (2.5, 6)] as [(Double, Int64)] {
      line.add(Amount(integerLiteral: value), at: Timestamp(ns: Int64(second * 1e9)))
    }
    // 0.4 and 1.2 are less than a second behind the points before them.
    #expect(line.points.map { "\($0.time.ns / 100_000_000) \($0.equity)" } == ["0 1", "10 3", "25 6"])
  }

  @Test func `a long run has no more points than a short one`() {
    var line = EquityLine()
    for second in 0..<10_000 { line.add(Amount(integerLiteral: Int64(second)), at: Timestamp(ns: Int64(second) * 1_000_000_000)) }
    #expect((100...240).contains(line.points.count))
    #expect(line.points.first?.equity == 0 && line.points.last?.equity == 9999)
    let gaps = zip(line.points, line.points.dropFirst()).dropLast().map { $1.time.ns - $0.time.ns }
    #expect(Set(gaps).count <= 2, "\(Set(gaps))")
  }
}
