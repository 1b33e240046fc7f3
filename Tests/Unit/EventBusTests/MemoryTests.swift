import EventBus
import MarketData
import TestSupport
import Testing

/// A text, and an object that counts the events that exist.
struct Crate: SymbolEvent {
  var symbol: Symbol
  var text: String
  var content: Parcel.Content
  var time = Timestamp(ns: 0)

  init(_ number: Int, bytes: Int, _ tally: Parcel.Tally) {
    symbol = five[number % 5]
    text = String(repeating: "x", count: bytes)
    content = Parcel.Content(number, tally)
  }

  static let schema = EventSchema<Crate>(
    "crate", "A text and an object.", key: \.symbol, time: \.time, example: Crate(0, bytes: 0, Parcel.Tally()),
    fields: [.init("symbol", \.symbol, "The instrument."), .init("text", \.text, "The text."), .init("time", \.time, "The time.")])
}

/// Memory is limited by bytes, not only by the number of events, and events that all readers have passed are released.
@Suite(.timeLimit(.minutes(15))) struct MemoryTests {
  private func read(_ inlet: Inlet<Crate>, _ count: Int = .max) -> Int {
    var done = 0
    while done < count, case let batch = inlet.nextBatch(limit: 1), batch.count > 0 {
      inlet.begin(1)
      inlet.finish(1)
      done += 1
    }
    return done
  }

  @Test func `large events that were read are gone, long before the ring is full`() async throws {
    let tally = Parcel.Tally()
    let topic = Topic<Crate>("t", memory: 64 << 10)
    let inlet = topic.attach(Parker())
    var outlet = Outlet(topic)
    for number in 0..<2000 {
      try await outlet.publish(Crate(number, bytes: 10_000, tally))
      #expect(read(inlet) == 1)
      #expect(tally.count == 1)
    }
    inlet.detach()
  }

  @Test func `small events that were read are gone after a sixty-fourth of the budget`() async throws {
    let tally = Parcel.Tally()
    let topic = Topic<Crate>("t", memory: 64_000)
    let inlet = topic.attach(Parker())
    var outlet = Outlet(topic)
    for number in 0..<5000 {
      try await outlet.publish(Crate(number, bytes: 20, tally))
      #expect(read(inlet) == 1)
      // 50 of them have the 1,000 bytes after which the producer releases events.
      #expect(tally.count <= 51)
    }
    inlet.detach()
  }

  @Test func `where nobody reads on, the budget and one event are in the ring, and the rest stands aside`() async throws {
    let tally = Parcel.Tally()
    let topic = Topic<Crate>("t", memory: 50_000)
    let inlet = topic.attach(Parker())
    var outlet = Outlet(topic)
    for number in 0..<20 { outlet.send(Crate(number, bytes: 10_000, tally)) }
    outlet.commit()
    #expect(topic.published == 5)
    #expect(outlet.room() == 0)
    #expect(tally.count == 20)
    #expect(read(inlet, 2) == 2)
    // There is room for two more; events in the spill are published first, when the producer waits.
    outlet.rollback()
    #expect(tally.count == 5)
    outlet.send(Crate(20, bytes: 10_000, tally))
    outlet.send(Crate(21, bytes: 10_000, tally))
    outlet.send(Crate(22, bytes: 10_000, tally))
    outlet.commit()
    #expect(topic.published == 7)
    #expect(tally.count == 6)
    inlet.detach()
    try await outlet.flush()
    #expect(topic.published == 8)
  }

  @Test func `an event larger than the budget passes alone`() async throws {
    let tally = Parcel.Tally()
    let topic = Topic<Crate>("t", memory: 1000)
    let inlet = topic.attach(Parker())
    var outlet = Outlet(topic)
    for number in 0..<10 {
      outlet.send(Crate(2 * number, bytes: 5000, tally))
      outlet.send(Crate(2 * number + 1, bytes: 1, tally))
      outlet.commit()
      #expect(topic.published == 2 * number + 1)
      #expect(read(inlet) == 1)
      try await outlet.flush()
      #expect(read(inlet) == 1)
      #expect(tally.count <= 2)
    }
    inlet.detach()
  }

  @Test(arguments: [1, 30, 100, 5000]) func `a producer that waits for bytes is woken, whatever the sizes`(memory: Int) async throws {
    let topic = Topic<Crate>("t", capacity: 64, memory: memory)
    let tally = Parcel.Tally()
    let inlets = (0..<2).map { _ in topic.attach(Parker()) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        var random = SplitMix(memory)
        var outlet = Outlet(topic)
        var number = 0
        while number < 3000 {
          if random.oneIn(2) {
            try await outlet.publish(Crate(number, bytes: random.upTo(200), tally))
            number += 1
          } else {
            for _ in 0...random.upTo(5) {
              outlet.send(Crate(number, bytes: random.upTo(200), tally))
              number += 1
            }
            try await outlet.flush()
          }
        }
        topic.close()
      }
      for inlet in inlets {
        group.addTask {
          var next = 0
          for await event in Crates(inlet: inlet) {
            #expect(event.content.number == next)
            next += 1
          }
          #expect(next >= 3000)
        }
      }
      try await group.waitForAll()
    }
    for inlet in inlets { inlet.detach() }
  }

  @Test func `a mailbox holds as many bytes as it may, and counts what it drops`() {
    let tally = Parcel.Tally()
    let topic = Topic<Crate>("t", capacity: 2)
    func attach(_ overflow: Overflow) -> Inlet<Crate> {
      topic.attach(Parker(), options: SubscriptionOptions(overflow: overflow, capacity: 100, memory: 350))
    }
    let (newest, oldest, latest) = (attach(.dropOldest), attach(.dropNewest), attach(.conflate))
    var outlet = Outlet(topic)
    for number in 0..<20 {
      outlet.send(Crate(number, bytes: 100, tally))
      outlet.commit()
    }
    #expect(newest.counts.inFlight == 3 && newest.counts.dropped == 17)
    #expect(oldest.counts.inFlight == 3 && oldest.counts.dropped == 17)
    // The first three of five symbols wait, and their latest events.
    #expect(latest.counts.inFlight == 3 && latest.counts.conflated == 9 && latest.counts.dropped == 8)
    #expect(latest.nextBatch(limit: 9).map(\.content.number) == [15, 16, 17])
    #expect(newest.nextBatch(limit: 9).map(\.content.number) == [17, 18, 19])
    // One that is larger than the whole budget may wait alone.
    outlet.send(Crate(20, bytes: 1000, tally))
    outlet.commit()
    outlet.send(Crate(21, bytes: 1000, tally))
    outlet.commit()
    #expect(newest.counts.inFlight == 3 + 1 && oldest.counts.inFlight == 3)
    for inlet in [newest, oldest, latest] {
      #expect(inlet.counts.residue == 0)
      inlet.detach()
    }
  }

  @Test func `events that grow do not take a conflating mailbox beyond its bytes`() {
    let tally = Parcel.Tally()
    let topic = Topic<Crate>("t", capacity: 2)
    let inlet = topic.attach(Parker(), options: SubscriptionOptions(overflow: .conflate, memory: 350))
    var outlet = Outlet(topic)
    func send(_ number: Int, bytes: Int) {
      outlet.send(Crate(number, bytes: bytes, tally))
      outlet.commit()
    }
    func waiting() -> [Int] { inlet.nextBatch(limit: 9).map(\.content.number) }
    for number in 0..<3 { send(number, bytes: 100) }
    // 50 bytes are left: number 5 takes them, 6 would need 100 more, 7 gives 90 back, and then there is room for 11.
    send(5, bytes: 150)
    send(6, bytes: 200)
    send(7, bytes: 10)
    send(11, bytes: 190)
    #expect(inlet.counts.conflated == 3 && inlet.counts.dropped == 1)
    #expect(waiting() == [5, 11, 7])
    // A single event may have any size.
    inlet.begin(3)
    inlet.finish(3)
    send(20, bytes: 100)
    send(25, bytes: 1000)
    #expect(inlet.counts.conflated == 4 && inlet.counts.dropped == 1)
    #expect(waiting() == [25])
    #expect(inlet.counts.residue == 0)
    inlet.detach()
  }

  @Test func `a dead letter keeps a bounded part of what was too large`() {
    let tally = Parcel.Tally()
    let topic = Topic<Crate>("t")
    let inlet = topic.attach(Parker())
    var outlet = Outlet(topic)
    outlet.send(Crate(0, bytes: 1 << 20, tally))
    outlet.commit()
    inlet.begin(inlet.nextBatch(limit: 1).count)
    let letter = inlet.recover(String(repeating: "é", count: 1000), component: "me", at: Timestamp(ns: 0))
    #expect(letter?.payload.utf8.count == DeadLetter.textLimit + 3)
    #expect(letter?.reason.utf8.count == DeadLetter.textLimit + 3)
    #expect(letter?.payload.hasPrefix(#"{"symbol":"TEST0","text":"xxx"#) == true)
    inlet.detach()
  }
}

/// The events of an inlet, one by one.
private struct Crates: AsyncSequence, AsyncIteratorProtocol {
  let inlet: Inlet<Crate>

  func makeAsyncIterator() -> Crates { self }

  func next() async throws(Never) -> Crate? { await next(isolation: nil) }

  func next(isolation actor: isolated (any Actor)?) async -> Crate? {
    while true {
      if let event = inlet.nextBatch(limit: 1).first {
        inlet.begin(1)
        inlet.finish(1)
        return event
      }
      if inlet.isFinished { return nil }
      inlet.announce()
      inlet.parker.fence()
      if !inlet.isReady, !inlet.isFinished { await inlet.parker.sleep() }
      inlet.retract()
    }
  }
}
