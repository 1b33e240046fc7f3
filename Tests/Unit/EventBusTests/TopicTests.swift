import MarketData
import Synchronization
import Testing

@testable import EventBus

/// The ring's rules, with values worked out by hand.
@Suite struct TopicTests {
  @Test(arguments: [(-5, 2), (0, 2), (2, 2), (3, 4), (1000, 1024)]) func `rounds the capacity up to a power of two`(asked: Int, got: Int) {
    #expect(Topic<Tick>("t", capacity: asked).capacity == got)
  }

  @Test func `a topic gives its writing end out once at a time, and the next one goes on where the last one ended`() {
    func isFree(_ topic: Topic<Tick>) -> Bool { if let outlet = topic.claim() { outlet.topic === topic } else { false } }
    let topic = tickTopic()
    let inlet = topic.attach(Parker())
    func write(_ number: Int) {
      guard var outlet = topic.claim() else {
        Issue.record("the writing end is gone")
        return
      }
      #expect(!isFree(topic))
      outlet.send(.make(number))
      outlet.commit()
      // An event that is never committed belongs to no reader.
      outlet.send(.make(99))
    }
    write(1)
    #expect(isFree(topic))
    write(2)
    #expect(drain(inlet) == [1, 2])
  }

  @Test(arguments: [Overflow.block, .dropOldest, .dropNewest])
  func `a held inlet hands nothing out but what is in hand, and goes on where it was`(overflow: Overflow) {
    let topic = tickTopic()
    let inlet = topic.attach(Parker(), options: SubscriptionOptions(overflow: overflow, capacity: 8))
    var outlet = Outlet(topic)
    for i in 1...3 { outlet.send(.make(i)) }
    outlet.commit()
    let batch = inlet.nextBatch(limit: 1)
    inlet.begin(batch.count)
    inlet.hold()
    #expect(numbers(batch) == [1])
    inlet.finish(batch.count)
    topic.close()
    #expect(inlet.nextBatch(limit: 9).isEmpty && !inlet.isReady && !inlet.isFinished)
    #expect(inlet.counts.delivered == 1 && inlet.counts.inFlight == 2)
    inlet.release()
    #expect(inlet.isReady && !inlet.isFinished)
    #expect(drain(inlet) == [2, 3] && inlet.isFinished)
  }

  @Test func `whether an inlet is finished depends on what waits, not on a hold`() {
    let topic = tickTopic()
    let inlet = topic.attach(Parker())
    var outlet = Outlet(topic)
    outlet.send(.make(1))
    outlet.commit()
    topic.close()
    for isHeld in [false, true, false] {
      if isHeld { inlet.hold() } else { inlet.release() }
      #expect(!inlet.isFinished)
    }
    #expect(drain(inlet) == [1])
    for isHeld in [false, true] {
      if isHeld { inlet.hold() }
      #expect(inlet.isFinished)
    }
  }

  /// Two accounts with a position in the same instrument.
  @Test func `the last position is that of each account and instrument, and the last state that of each account`() {
    func position(_ account: Symbol, _ symbol: Symbol, _ quantity: Quantity) -> Position {
      var position = Position.schema.example
      (position.account, position.symbol, position.quantity) = (account, symbol, quantity)
      return position
    }
    let positions = Topic<Position>("positions", capacity: 16, keepsLatest: true)
    let slow = positions.attach(Parker(), options: SubscriptionOptions(overflow: .conflate))
    var outlet = Outlet(positions)
    for (account, symbol, quantity) in [("a", "X", 1), ("b", "X", 2), ("a", "Y", 3), ("a", "X", 4)] as [(Symbol, Symbol, Quantity)] {
      outlet.send(position(account, symbol, quantity))
    }
    outlet.commit()
    let late = positions.attach(Parker(), options: SubscriptionOptions(initial: true))
    for inlet in [slow, late] {
      let found = inlet.nextBatch(limit: 9).map { "\($0.account) \($0.symbol) \($0.quantity)" }
      #expect(found == ["a X 4", "b X 2", "a Y 3"])
    }
    #expect(slow.counts.conflated == 1)
    let accounts = Topic<AccountState>("accounts", capacity: 16, keepsLatest: true)
    var state = AccountState.schema.example
    var other = Outlet(accounts)
    for (account, cash) in [("a", 1), ("b", 2), ("a", 3)] as [(Symbol, Amount)] {
      (state.account, state.cash) = (account, cash)
      other.send(state)
    }
    other.commit()
    let reader = accounts.attach(Parker(), options: SubscriptionOptions(initial: true))
    #expect(reader.nextBatch(limit: 9).map { "\($0.account) \($0.cash)" } == ["a 3", "b 2"])
  }

  @Test func `nothing is seen before the commit, and nothing of what was rolled back`() {
    let topic = tickTopic()
    var outlet = Outlet(topic)
    let inlet = topic.attach(Parker())
    outlet.send(.make(1))
    outlet.send(.make(2))
    #expect(!inlet.isReady && topic.published == 0)
    outlet.rollback()
    outlet.send(.make(3))
    outlet.commit()
    #expect(topic.published == 1 && outlet.published == 1)
    #expect(drain(inlet) == [3])
  }

  @Test func `filtered events are counted apart`() {
    let topic = tickTopic()
    var outlet = Outlet(topic)
    let inlet = topic.attach(Parker())
    for i in 1...5 { outlet.send(.make(i)) }
    outlet.commit()
    let batch = inlet.nextBatch(limit: 5)
    inlet.begin(5)
    #expect(inlet.counts.inFlight == 5)
    inlet.finish(batch.count, filtered: 2)
    let counts = inlet.counts
    #expect([counts.published, counts.delivered, counts.filtered, counts.inFlight, counts.residue] == [5, 3, 2, 0, 0])
    outlet.filter()
    outlet.filter(3)
    #expect(outlet.takeFiltered() == 4)
    #expect(outlet.takeFiltered() == 0)
  }

  @Test func `drop_oldest keeps the newest, drop_newest the oldest, conflate the latest of each symbol`() {
    let topic = tickTopic(64)
    var outlet = Outlet(topic)
    let newest = topic.attach(Parker(), options: SubscriptionOptions(overflow: .dropOldest, capacity: 3))
    let oldest = topic.attach(Parker(), options: SubscriptionOptions(overflow: .dropNewest, capacity: 3))
    let latest = topic.attach(Parker(), options: SubscriptionOptions(overflow: .conflate))
    for i in 1...12 { outlet.send(.make(i)) }
    outlet.commit()
    #expect(oldest.counts.inFlight == 3 && oldest.counts.dropped == 9)
    #expect(latest.counts.inFlight == 5 && latest.counts.conflated == 7)
    #expect(drain(newest) == [10, 11, 12])
    #expect(drain(oldest) == [1, 2, 3])
    // In the order of the symbols' first events: 1 is of the symbol with remainder 1, whose last is 11.
    #expect(drain(latest) == [11, 12, 8, 9, 10])
    outlet.send(.make(13))
    outlet.commit()
    #expect([newest, oldest, latest].map(drain) == [[13], [13], [13]])
    for inlet in [newest, oldest, latest] {
      #expect(inlet.counts.residue == 0 && inlet.counts.delivered + inlet.counts.dropped + inlet.counts.conflated == 13)
    }
  }

  @Test func `conflation holds more symbols than it began with`() throws {
    let topic = tickTopic(1024)
    var outlet = Outlet(topic)
    let inlet = topic.attach(Parker(), options: SubscriptionOptions(overflow: .conflate))
    let symbols = try (0..<300).map { try Symbol("GROW\($0)") }
    for round in 0..<2 { for (i, symbol) in symbols.enumerated() { outlet.send(.make(round * 300 + i, symbol)) } }
    outlet.commit()
    #expect(drain(inlet) == Array(300..<600))
    #expect(inlet.counts.conflated == 300 && inlet.counts.residue == 0)
  }

  @Test func `a poisoned event is found one by one and set aside alone`() {
    let topic = tickTopic()
    var outlet = Outlet(topic)
    let inlet = topic.attach(Parker())
    for i in 1...4 { outlet.send(.make(i)) }
    outlet.commit()
    #expect(inlet.recover("x", component: "c", at: Timestamp(ns: 1)) == nil, "nothing was in hand")
    inlet.begin(inlet.nextBatch(limit: 4).count)
    #expect(inlet.recover("x", component: "c", at: Timestamp(ns: 1)) == nil)
    #expect(inlet.nextBatch(limit: 0).isEmpty)
    #expect(numbers(inlet.nextBatch(limit: 4)) == [1])
    inlet.begin(1)
    inlet.finish(1)
    #expect(numbers(inlet.nextBatch(limit: 4)) == [2])
    inlet.begin(1)
    let letter = inlet.recover("too odd", component: "c", at: Timestamp(ns: 9))
    #expect(
      letter
        == DeadLetter(
          component: "c", origin: "ticks", sequence: 2, reason: "too odd",
          payload: #"{"symbol":"TEST2","value":2,"time":"1970-01-01T00:00:00Z"}"#, time: Timestamp(ns: 9)))
    #expect(numbers(inlet.nextBatch(limit: 4)) == [3])
    inlet.begin(1)
    inlet.finish(1)
    #expect(numbers(inlet.nextBatch(limit: 4)) == [4])
    inlet.begin(1)
    inlet.finish(1)
    #expect(inlet.counts.deadLettered == 1 && inlet.counts.delivered == 3 && inlet.counts.residue == 0)
  }

  @Test func `a detached reader holds nobody back, and what it missed counts as dropped`() {
    let topic = tickTopic(4)
    var outlet = Outlet(topic)
    let slow = topic.attach(Parker())
    for i in 1...4 { outlet.send(.make(i)) }
    outlet.commit()
    #expect(outlet.room() == 0)
    slow.detach()
    #expect(outlet.room() == 4)
    outlet.send(.make(5))
    outlet.commit()
    #expect(slow.nextBatch(limit: 9).isEmpty && slow.isFinished)
    let counts = slow.counts
    #expect([counts.published, counts.dropped, counts.inFlight, counts.residue] == [5, 5, 0, 0])
  }

  @Test func `closing ends the readers after what is there`() {
    let topic = tickTopic()
    var outlet = Outlet(topic)
    let inlets = Overflow.allCases.map { topic.attach(Parker(), options: SubscriptionOptions(overflow: $0)) }
    outlet.send(.make(1))
    outlet.commit()
    topic.close()
    topic.close()
    #expect(topic.isClosed)
    for inlet in inlets {
      #expect(!inlet.isFinished)
      #expect(drain(inlet) == [1])
      #expect(inlet.isFinished)
    }
    #expect(topic.attach(Parker()).isFinished)
  }
}
