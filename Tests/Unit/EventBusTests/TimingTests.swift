import Synchronization
import Testing

@testable import EventBus

/// How long single events take over an edge, by a clock that the test sets.
@Suite struct TimingTests {
  /// A clock and what was reported.
  private final class Watch: Sendable {
    let time = Atomic<Int>(0)
    let reports = Guarded([EdgeTiming]())

    func await(_ inlet: Inlet<Tick>) {
      inlet.time(by: { Int64(self.time.load(ordering: .relaxed)) }) { timing in self.reports.withLock { $0.append(timing) } }
    }

    func set(_ now: Int) { time.store(now, ordering: .relaxed) }
    var all: [[Int64]] { reports.withLock { $0 }.map { [$0.published, $0.taken, $0.finished] } }
  }

  private func take(_ inlet: Inlet<Tick>, _ n: Int = 1000) -> Int {
    let batch = inlet.nextBatch(limit: n)
    inlet.begin(batch.count)
    return batch.count
  }

  @Test func `an event is timed from its publication to its end, those before and after it are not`() {
    let topic = tickTopic()
    var outlet = Outlet(topic)
    let (inlet, watch) = (topic.attach(Parker()), Watch())
    outlet.send(.make(1))
    outlet.commit()
    watch.set(5)
    watch.await(inlet)
    // The one that waits already is not meant.
    inlet.finish(take(inlet))
    #expect(watch.all == [])
    watch.set(10)
    outlet.send(.make(2))
    outlet.send(.make(3))
    outlet.commit()
    watch.set(17)
    #expect(take(inlet, 1) == 1)
    inlet.finish(1)
    #expect(watch.all == [])
    watch.set(20)
    #expect(take(inlet, 1) == 1)
    watch.set(31)
    inlet.finish(1)
    #expect(watch.all == [[10, 20, 31]])
    // It is over: the edge is as if it had never been measured.
    #expect(inlet.indirect.number == 0)
    #expect(topic.attention.pointee.load(ordering: .relaxed) == 0)
    outlet.send(.make(4))
    outlet.commit()
    inlet.finish(take(inlet))
    #expect(watch.all.count == 1)
  }

  @Test func `the last look before the end is when it was taken`() {
    let topic = tickTopic()
    var outlet = Outlet(topic)
    let (inlet, watch) = (topic.attach(Parker()), Watch())
    watch.await(inlet)
    outlet.send(.make(1))
    outlet.commit()
    watch.set(2)
    _ = inlet.nextBatch(limit: 1)
    watch.set(7)
    _ = take(inlet)
    watch.set(9)
    inlet.finish(1)
    #expect(watch.all == [[0, 7, 9]])
  }

  @Test func `an event that the reader got before it could know of the timer is not reported`() {
    let topic = tickTopic()
    var outlet = Outlet(topic)
    let (inlet, watch) = (topic.attach(Parker()), Watch())
    watch.await(inlet)
    // As if the reader were faster than the producer's next step.
    outlet.send(.make(1))
    outlet.send(.make(2))
    topic.head.pointee.store(1, ordering: .releasing)
    inlet.finish(take(inlet))
    inlet.beginTiming(upTo: 1)
    outlet.commit()
    inlet.finish(take(inlet))
    #expect(watch.all == [] && inlet.indirect.number == 0)
  }

  @Test(arguments: [Overflow.dropOldest, .dropNewest, .conflate]) func `an event in a mailbox is over when nothing older can come`(
    overflow: Overflow
  ) {
    let topic = tickTopic()
    var outlet = Outlet(topic)
    let inlet = topic.attach(Parker(), options: SubscriptionOptions(overflow: overflow, capacity: 2))
    let watch = Watch()
    outlet.send(.make(1))
    outlet.commit()
    #expect(take(inlet) == 1)
    watch.await(inlet)
    watch.set(10)
    // With the first one in hand, four come, of which two wait, or four of four symbols.
    for number in 2...5 { outlet.send(.make(number)) }
    outlet.commit()
    watch.set(20)
    inlet.finish(1)
    #expect(watch.all == [])
    watch.set(30)
    let waiting: Int64 = overflow == .conflate ? 4 : 2
    for i in 1...Int(waiting) {
      #expect(watch.all == [] && take(inlet, 1) == 1)
      watch.set(30 + i)
      inlet.finish(1)
    }
    // The last one was taken when the one before it had been finished.
    #expect(watch.all == [[10, 29 + waiting, 30 + waiting]])
    #expect(topic.attention.pointee.load(ordering: .relaxed) == Topic<Tick>.mailboxBit)
  }

  @Test func `each reader is timed for itself, and one that leaves reports nothing`() {
    let topic = tickTopic()
    var outlet = Outlet(topic)
    let inlets = (0..<3).map { _ in topic.attach(Parker()) }
    let watches = (0..<3).map { _ in Watch() }
    for (inlet, watch) in zip(inlets, watches) { watch.await(inlet) }
    outlet.send(.make(1))
    outlet.commit()
    inlets[2].detach()
    for watch in watches { watch.set(4) }
    inlets[0].finish(take(inlets[0]))
    for watch in watches { watch.set(6) }
    inlets[1].finish(take(inlets[1]))
    #expect(watches.map(\.all) == [[[0, 4, 4]], [[0, 6, 6]], []])
  }

  @Test func `events that come with a snapshot are not those that were awaited`() {
    let topic = tickTopic(keepsLatest: true)
    var outlet = Outlet(topic)
    outlet.send(.make(1))
    outlet.send(.make(2))
    outlet.commit()
    let inlet = topic.attach(Parker(), options: SubscriptionOptions(initial: true))
    let watch = Watch()
    watch.await(inlet)
    outlet.send(.make(3))
    outlet.commit()
    watch.set(3)
    #expect(take(inlet) == 2)
    inlet.finish(2)
    #expect(watch.all == [])
    #expect(take(inlet) == 1)
    watch.set(8)
    inlet.finish(1)
    #expect(watch.all == [[0, 3, 8]])
  }

  /// A producer and a reader on two tasks, measured again and again: every event comes once, and what is reported is in order.
  @Test(.timeLimit(.minutes(15)), arguments: [Overflow.block, .dropOldest]) func `measuring disturbs nothing`(
    overflow: Overflow
  ) async throws {
    let topic = tickTopic(64)
    let inlet = topic.attach(Parker(), options: SubscriptionOptions(overflow: overflow, capacity: 1 << 20))
    let reports = Guarded([EdgeTiming]())
    let ticks = Atomic<Int>(0)
    async let sent: Void = produce(20_000, to: topic, seed: 1, pauses: 100)
    async let seen = consume(inlet, seed: 2, pauses: 100)
    while !topic.isClosed {
      inlet.time(by: { Int64(ticks.wrappingAdd(1, ordering: .relaxed).newValue) }) { timing in reports.withLock { $0.append(timing) } }
      await Task.yield()
    }
    try await sent
    let result = await seen
    #expect(result.count == 20_000 && result.problem == nil)
    for timing in reports.withLock({ $0 }) { #expect(timing.published < timing.taken && timing.taken < timing.finished) }
  }
}
