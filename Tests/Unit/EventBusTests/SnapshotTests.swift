import MarketData
import Synchronization
import Testing

@testable import EventBus

/// The last values with which a reader begins.
@Suite struct SnapshotTests {
  @Test func `a snapshot can be held too, and what threw is found in a held inlet`() {
    let topic = tickTopic(keepsLatest: true)
    var outlet = Outlet(topic)
    outlet.send(.make(1))
    outlet.commit()
    let inlet = topic.attach(Parker(), options: SubscriptionOptions(initial: true))
    outlet.send(.make(2))
    outlet.commit()
    inlet.hold()
    #expect(inlet.nextBatch(limit: 9).isEmpty && !inlet.isReady)
    inlet.release()
    #expect(drain(inlet) == [1, 2])
    outlet.send(.make(3))
    outlet.commit()
    inlet.begin(inlet.nextBatch(limit: 9).count)
    inlet.hold()
    #expect(inlet.recover("why", component: "c", at: Timestamp(ns: 0))?.sequence == 3)
    #expect(inlet.counts.deadLettered == 1 && inlet.counts.inFlight == 0)
  }

  @Test(arguments: Overflow.allCases) func `the event after a snapshot is the following one`(overflow: Overflow) {
    let topic = tickTopic(64, keepsLatest: true)
    var outlet = Outlet(topic)
    for i in 1...7 { outlet.send(.make(i)) }
    outlet.commit()
    outlet.send(.make(8))
    let inlet = topic.attach(Parker(), options: SubscriptionOptions(overflow: overflow, initial: true))
    #expect(inlet.start == 7)
    outlet.commit()
    #expect(drain(inlet) == [6, 7, 3, 4, 5, 8])
    let counts = inlet.counts
    #expect([counts.published, counts.delivered, counts.inFlight, counts.residue] == [6, 6, 0, 0])
  }

  @Test func `a snapshot has the values that the ring has forgotten`() {
    let topic = tickTopic(2, keepsLatest: true)
    var outlet = Outlet(topic)
    for i in 1...100 {
      outlet.send(i == 1 ? .make(1, "ONCE") : .make(i, "OFTEN"))
      outlet.commit()
    }
    let inlet = topic.attach(Parker(), options: SubscriptionOptions(initial: true))
    #expect(drain(inlet) == [1, 100])
  }

  @Test func `a topic keeps the last values from the moment on at which somebody asks for them, and says what is missing`() {
    let topic = tickTopic()
    var outlet = Outlet(topic)
    outlet.send(.make(1))
    outlet.send(.make(2))
    outlet.commit()
    let slow = topic.attach(Parker())
    outlet.send(.make(3))
    outlet.commit()
    // The slow reader has not passed the third, so it cannot be overwritten; the first two may have been.
    let early = topic.attach(Parker(), options: SubscriptionOptions(initial: true))
    #expect(drain(early) == [3] && !early.beginsComplete)
    #expect(drain(slow) == [3] && slow.beginsComplete)
    outlet.send(.make(4))
    outlet.commit()
    let late = topic.attach(Parker(), options: SubscriptionOptions(initial: true))
    #expect(drain(late) == [3, 4] && !late.beginsComplete)
    let whole = tickTopic()
    #expect(whole.attach(Parker(), options: SubscriptionOptions(initial: true)).beginsComplete)
  }

  @Test func `a trade whose price does not count takes the place of none whose price does`() {
    let topic = Topic<Trade>("trades", capacity: 64, keepsLatest: true)
    let late = topic.attach(Parker(), options: SubscriptionOptions(overflow: .conflate))
    var outlet = Outlet(topic)
    func trade(_ symbol: Symbol, _ price: Price, _ condition: TradeCondition = .regular) -> Trade {
      Trade(symbol: symbol, price: price, size: 1, time: Timestamp(ns: 0), received: Timestamp(ns: 0), condition: condition)
    }
    for trade in [
      trade("HIDES-A", 1), trade("HIDES-A", 99, .oddLot), trade("HIDES-B", 98, .oddLot), trade("HIDES-B", 97, .cancelled),
      trade("HIDES-C", 96, .oddLot),
      trade("HIDES-C", 3),
    ] { outlet.send(trade) }
    outlet.commit()
    func prices(_ inlet: Inlet<Trade>) -> [Price] {
      let batch = inlet.nextBatch(limit: 64)
      return batch.indices.map { batch[$0].price }
    }
    #expect(prices(late) == [1, 97, 3])
    #expect(late.counts.conflated == 3)
    #expect(prices(topic.attach(Parker(), options: SubscriptionOptions(initial: true))) == [1, 97, 3])
  }

  /// A price of a type of somebody else, which has a condition.
  private struct Print: SymbolEvent {
    var symbol: Symbol = "HIDES-A"
    var number: Int64
    var kind = TradeCondition.regular
    var time = Timestamp(ns: 0)

    static let schema = EventSchema<Print>(
      "print", "A price.", key: \.symbol, condition: \Print.kind, time: \.time, example: Print(number: 0),
      fields: [
        .init("symbol", \.symbol, "The instrument."), .init("number", \.number, "The number."), .init("kind", \.kind, "The condition."),
        .init("time", \.time, "The time."),
      ])
  }

  @Test func `any event type may declare the condition of its price`() {
    let topic = Topic<Print>("prints", capacity: 64, keepsLatest: true)
    let late = topic.attach(Parker(), options: SubscriptionOptions(overflow: .conflate))
    var outlet = Outlet(topic)
    for print in [Print(number: 1), Print(number: 2, kind: .oddLot), Print(number: 3, kind: .closing), Print(number: 4, kind: .cancelled)] {
      outlet.send(print)
    }
    outlet.commit()
    let waiting = late.nextBatch(limit: 64)
    #expect(waiting.count == 1 && waiting[0].number == 3 && late.counts.conflated == 3)
    let first = topic.attach(Parker(), options: SubscriptionOptions(initial: true)).nextBatch(limit: 64)
    #expect(first.count == 1 && first[0].number == 3)
  }
}
