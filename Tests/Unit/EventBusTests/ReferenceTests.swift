import EventBus
import MarketData
import Testing

/// Events with references: each one is released exactly once, wherever it is stored when its owner is freed.
@Suite struct ReferenceTests {
  private func end(_ outlet: consuming Outlet<Parcel>) {}

  private func publish(_ numbers: ClosedRange<Int>, _ outlet: inout Outlet<Parcel>, _ tally: Parcel.Tally) {
    for i in numbers { outlet.send(.make(i, five[i % 5], tally)) }
    outlet.commit()
  }

  private func read(_ inlet: Inlet<Parcel>, _ n: Int) {
    for _ in 0..<n {
      let batch = inlet.nextBatch(limit: 1)
      inlet.begin(batch.count)
      inlet.finish(batch.count)
    }
  }

  @Test(arguments: [1, 3, 4, 9, 12]) func `a ring releases what all have passed where it looks, and the rest at its end`(count: Int) {
    let tally = Parcel.Tally()
    do {
      let topic = Topic<Parcel>("t", capacity: 4)
      var outlet = Outlet(topic)
      for i in 1...count { publish(i...i, &outlet, tally) }
      // There is no reader; the producer releases events once a ring.
      #expect(tally.count == (count - 1) % 4 + 1)
    }
    #expect(tally.count == 0)
  }

  @Test func `what was rolled back and what stood aside is released`() {
    let tally = Parcel.Tally()
    do {
      let topic = Topic<Parcel>("t", capacity: 4)
      let inlet = topic.attach(Parker())
      defer { inlet.detach() }
      var outlet = Outlet(topic)
      for round in 1...5 {
        for i in 1...7 { outlet.send(.make(round * 10 + i, five[0], tally)) }
        #expect(tally.count == 7)
        outlet.rollback()
        #expect(tally.count == 0)
      }
      publish(1...2, &outlet, tally)
      end(consume outlet)
      outlet = Outlet(topic)  // a later life
      publish(3...6, &outlet, tally)
      #expect(tally.count == 6)
      #expect(inlet.nextBatch(limit: 9).map(\.number) == [1, 2, 3, 4])
      outlet.rollback()
      #expect(tally.count == 4)
    }
    #expect(tally.count == 0)
  }

  @Test func `lives that end in the first lap leave no slot behind and free none twice`() {
    let tally = Parcel.Tally()
    do {
      let topic = Topic<Parcel>("t", capacity: 8)
      for life in 0..<5 {
        var outlet = Outlet(topic)
        publish(1...1, &outlet, tally)
        outlet.send(.make(2, five[1], tally))
        if life % 2 == 0 { outlet.rollback() }
      }
      // The events of earlier lives were released when the last life began; that one has rolled its second event back.
      #expect(tally.count == 1)
    }
    #expect(tally.count == 0)
  }

  @Test(arguments: Overflow.allCases) func `queues and snapshots release what they hold`(overflow: Overflow) {
    let tally = Parcel.Tally()
    do {
      let topic = Topic<Parcel>("t", capacity: 32, keepsLatest: true)
      var outlet = Outlet(topic)
      publish(1...7, &outlet, tally)
      let options = SubscriptionOptions(overflow: overflow, capacity: 4, initial: true)
      let inlets = (0..<4).map { _ in topic.attach(Parker(), options: options) }
      publish(8...20, &outlet, tally)
      read(inlets[1], 2)  // within the snapshot
      read(inlets[2], 5)  // the snapshot, and no more
      read(inlets[3], 7)  // within the queue
      #expect(tally.count == 20)
      for inlet in inlets { inlet.detach() }
    }
    #expect(tally.count == 0)
  }

  @Test func `a mailbox releases what it drops, conflates and hands over`() {
    let tally = Parcel.Tally()
    let topic = Topic<Parcel>("t", capacity: 2)
    let newest = topic.attach(Parker(), options: SubscriptionOptions(overflow: .dropOldest, capacity: 2))
    let oldest = topic.attach(Parker(), options: SubscriptionOptions(overflow: .dropNewest, capacity: 2))
    let latest = topic.attach(Parker(), options: SubscriptionOptions(overflow: .conflate))
    var outlet = Outlet(topic)
    for i in 1...20 { publish(i...i, &outlet, tally) }
    // The ring has 19 and 20, as has the first mailbox; the second 1 and 2; the third the last of five symbols, 16 to 20.
    #expect(tally.count == 7)
    read(oldest, 2)
    #expect(tally.count == 5)
    read(latest, 5)
    #expect(tally.count == 2)
    read(newest, 2)
    #expect(tally.count == 2)
    for inlet in [newest, oldest, latest] { inlet.detach() }
  }
}
