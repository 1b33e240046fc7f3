import MarketData
import Synchronization
import Testing

@testable import EventBus

/// The ring's rules, with values worked out by hand.
@Suite struct TopicTests {
  private func make(_ capacity: Int = 8, keepsLatest: Bool = false) -> Topic<Tick> {
    Topic("ticks", capacity: capacity, keepsLatest: keepsLatest)
  }

  private func numbers(_ batch: UnsafeBufferPointer<Tick>) -> [Int] { batch.map(\.number) }

  /// All waiting events, in batches of any size.
  private func drain(_ inlet: Inlet<Tick>) -> [Int] {
    var result: [Int] = []
    while true {
      let batch = inlet.nextBatch(limit: 1000)
      if batch.isEmpty { return result }
      inlet.begin(batch.count)
      result += numbers(batch)
      inlet.finish(batch.count)
    }
  }

  @Test(arguments: [(-5, 2), (0, 2), (2, 2), (3, 4), (1000, 1024)]) func `rounds the capacity up to a power of two`(asked: Int, got: Int) {
    #expect(Topic<Tick>("t", capacity: asked).capacity == got)
  }

  @Test func `a topic gives its writing end out once at a time, and the next one goes on where the last one ended`() {
    func isFree(_ topic: Topic<Tick>) -> Bool { if let outlet = topic.claim() { outlet.topic === topic } else { false } }
    let topic = make()
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
    let topic = make()
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
    inlet.letGo()
    #expect(inlet.isReady && !inlet.isFinished)
    #expect(drain(inlet) == [2, 3] && inlet.isFinished)
  }

  @Test func `whether an inlet is finished depends on what waits, not on a hold`() {
    let topic = make()
    let inlet = topic.attach(Parker())
    var outlet = Outlet(topic)
    outlet.send(.make(1))
    outlet.commit()
    topic.close()
    for isHeld in [false, true, false] {
      if isHeld { inlet.hold() } else { inlet.letGo() }
      #expect(!inlet.isFinished)
    }
    #expect(drain(inlet) == [1])
    for isHeld in [false, true] {
      if isHeld { inlet.hold() }
      #expect(inlet.isFinished)
    }
  }

  /// Cuts a producer off at the moment at which it has announced that it waits for room.
  private final class Cutter: SleepWatch {
    let stop = StopToken()

    func notice(_ parker: Parker) -> Bool {
      stop.cutOff()
      parker.wake()
      return true
    }
  }

  @Test func `a producer that has given up waiting is announced no more`() async {
    let watch = Cutter()
    let producer = Parker(Waiting(.park, watch: watch))
    let topic = Topic<Tick>("ticks", capacity: 2, keepsLatest: false, memory: 1 << 20, producer: producer)
    let inlet = topic.attach(Parker())
    var outlet = Outlet(topic, waitsWhenCancelled: true, stop: watch.stop)
    for i in 1...3 { outlet.send(.make(i)) }
    await #expect(throws: CancellationError.self) { try await outlet.flush() }
    #expect(topic.starved.pointee.load(ordering: .relaxed) == 0)
    #expect(inlet.counts.inFlight == 2)
  }

  @Test func `a reader that shares its bit and is awake has missed nothing, whoever else has announced itself`() {
    let topic = make()
    let inlets = (0..<64).map { _ in topic.attach(Parker()) }
    let (awake, asleep) = (inlets[62], inlets[63])
    #expect(awake.bit == asleep.bit)
    awake.announce()
    awake.retract()
    var outlet = Outlet(topic)
    outlet.send(.make(1))
    outlet.commit()
    asleep.announce()
    #expect(!awake.isUnheard && asleep.isUnheard)
  }

  @Test func `a snapshot can be held too, and what threw is found in a held inlet`() {
    let topic = make(keepsLatest: true)
    var outlet = Outlet(topic)
    outlet.send(.make(1))
    outlet.commit()
    let inlet = topic.attach(Parker(), options: SubscriptionOptions(initial: true))
    outlet.send(.make(2))
    outlet.commit()
    inlet.hold()
    #expect(inlet.nextBatch(limit: 9).isEmpty && !inlet.isReady)
    inlet.letGo()
    #expect(drain(inlet) == [1, 2])
    outlet.send(.make(3))
    outlet.commit()
    inlet.begin(inlet.nextBatch(limit: 9).count)
    inlet.hold()
    #expect(inlet.recover("why", component: "c", at: Timestamp(ns: 0))?.sequence == 3)
    #expect(inlet.counts.deadLettered == 1 && inlet.counts.inFlight == 0)
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
    let topic = make()
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
    let topic = make()
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

  @Test(arguments: [2, 4, 64]) func `tells the free slots, none while something stands aside`(capacity: Int) {
    let topic = make(capacity)
    var outlet = Outlet(topic)
    let inlet = topic.attach(Parker())
    #expect(outlet.room() == capacity)
    for i in 1...capacity { outlet.send(.make(i)) }
    #expect(outlet.room() == 0)
    outlet.commit()
    outlet.send(.make(capacity + 1))
    let batch = inlet.nextBatch(limit: 1)
    inlet.begin(1)
    inlet.finish(batch.count)
    #expect(outlet.room() == 0)
    outlet.rollback()
    #expect(outlet.room() == 1)
  }

  @Test func `what was sent while something stood aside comes after it`() async throws {
    let topic = make(4)
    var outlet = Outlet(topic)
    let inlet = topic.attach(Parker())
    for i in 1...6 { outlet.send(.make(i)) }
    outlet.commit()
    #expect(drain(inlet) == [1, 2, 3, 4])
    _ = outlet.room()
    outlet.send(.make(7))
    try await outlet.waitForRoom()
    outlet.send(.make(8))
    outlet.commit()
    #expect(drain(inlet) == [5, 6, 7, 8])
  }

  @Test func `publishing goes behind what stands aside`() async throws {
    let topic = make(4)
    var outlet = Outlet(topic)
    let inlet = topic.attach(Parker())
    for i in 1...6 { outlet.send(.make(i)) }
    outlet.commit()
    #expect(drain(inlet) == [1, 2, 3, 4])
    try await outlet.publish(.make(7))
    #expect(drain(inlet) == [5, 6, 7])
  }

  @Test func `a flush that is cut short keeps the rest in order and sends nothing twice`() async throws {
    let topic = Topic<Tick>("ticks", capacity: 4)
    let inlet = topic.attach(Parker())
    // A task that is already cancelled when it starts, so that the first wait throws.
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var outlet = Outlet(topic)
      for i in 1...7 { outlet.send(.make(i)) }
      await #expect(throws: CancellationError.self) { try await outlet.flush() }
      var seen = drain(inlet)
      outlet.send(.make(8))
      outlet.commit()
      #expect(!inlet.isReady, "what stands aside comes first")
      await #expect(throws: CancellationError.self) { try await outlet.flush() }
      seen += drain(inlet)
      try? await outlet.flush()
      return seen + drain(inlet)
    }
    #expect(await task.value == [1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test func `drop_oldest keeps the newest, drop_newest the oldest, conflate the latest of each symbol`() {
    let topic = make(64)
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
    let topic = make(1024)
    var outlet = Outlet(topic)
    let inlet = topic.attach(Parker(), options: SubscriptionOptions(overflow: .conflate))
    let symbols = try (0..<300).map { try Symbol("GROW\($0)") }
    for round in 0..<2 { for (i, symbol) in symbols.enumerated() { outlet.send(.make(round * 300 + i, symbol)) } }
    outlet.commit()
    #expect(drain(inlet) == Array(300..<600))
    #expect(inlet.counts.conflated == 300 && inlet.counts.residue == 0)
  }

  @Test(arguments: Overflow.allCases) func `the event after a snapshot is the following one`(overflow: Overflow) {
    let topic = make(64, keepsLatest: true)
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
    let topic = make(2, keepsLatest: true)
    var outlet = Outlet(topic)
    for i in 1...100 {
      outlet.send(i == 1 ? .make(1, "ONCE") : .make(i, "OFTEN"))
      outlet.commit()
    }
    let inlet = topic.attach(Parker(), options: SubscriptionOptions(initial: true))
    #expect(drain(inlet) == [1, 100])
  }

  @Test func `a topic keeps the last values from the moment on at which somebody asks for them, and says what is missing`() {
    let topic = make()
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
    let whole = make()
    #expect(whole.attach(Parker(), options: SubscriptionOptions(initial: true)).beginsComplete)
  }

  @Test func `a poisoned event is found one by one and set aside alone`() {
    let topic = make()
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

  @Test func `a hundred readers share the bits and are all woken`() async {
    let topic = make()
    var outlet = Outlet(topic)
    let inlets = (0..<100).map { _ in topic.attach(Parker()) }
    #expect(Set(inlets.map(\.bit)).count == 62)
    for inlet in inlets { inlet.announce() }
    inlets[99].retract()  // it shares its bit with others, whose announcements stay
    outlet.send(.make(1))
    outlet.commit()
    for inlet in inlets { await inlet.parker.sleep() }  // returns because each was woken
    #expect(inlets.allSatisfy { drain($0) == [1] })
  }

  @Test func `a bit goes to the next reader, and its former one takes nothing back`() async {
    let topic = make()
    var outlet = Outlet(topic)
    let first = topic.attach(Parker())
    first.announce()
    first.detach()
    let second = topic.attach(Parker())
    #expect(second.bit == first.bit)
    second.announce()
    first.retract()
    outlet.send(.make(1))
    outlet.commit()
    await second.parker.sleep()
    #expect(drain(second) == [1])
  }

  @Test func `a publisher without lossy readers does not look for mailboxes`() {
    let topic = make()
    let one = topic.attach(Parker(), options: SubscriptionOptions(overflow: .conflate))
    let two = topic.attach(Parker(), options: SubscriptionOptions(overflow: .dropOldest))
    one.detach()
    #expect(topic.attention.pointee.load(ordering: .relaxed) == Topic<Tick>.mailboxBit)
    two.detach()
    #expect(topic.attention.pointee.load(ordering: .relaxed) == 0)
  }

  @Test func `a detached reader holds nobody back, and what it missed counts as dropped`() {
    let topic = make(4)
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
    let topic = make()
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
