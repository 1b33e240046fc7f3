import MarketData
import Synchronization
import Testing

@testable import EventBus

/// A producer that has no room: what stands aside, and how it waits.
@Suite struct RoomTests {
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

  @Test(arguments: [2, 4, 64]) func `tells the free slots, none while something stands aside`(capacity: Int) {
    let topic = tickTopic(capacity)
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
    let topic = tickTopic(4)
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
    let topic = tickTopic(4)
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
}
