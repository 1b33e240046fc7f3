import Foundation
import MarketData
import Synchronization
import TestSupport
import Testing

@testable import EventBus
@testable import StockbusPlugin

/// The order of several inputs, and when their reader sleeps.
@Suite(.timeLimit(.minutes(15))) struct InputMergeTests {
  /// An input with its writing end.
  private final class Feed {
    let topic: Topic<Trade>
    let inlet: Inlet<Trade>
    private var outlet: Outlet<Trade>
    private(set) var sent: [Trade] = []

    init(_ parker: Parker, capacity: Int = 256) {
      topic = Topic("feed", capacity: capacity, keepsLatest: false, memory: 1 << 20, producer: Parker())
      inlet = topic.attach(parker)
      inlet.follow()
      outlet = Outlet(topic)
    }

    func send(_ trade: Trade) {
      sent.append(trade)
      outlet.send(trade)
      outlet.commit()
    }

    func advance(to time: Int) { topic.advance(to: Timestamp(ns: Int64(time))) }
  }

  private func trade(_ received: Int, _ number: Int = 0) -> Trade {
    let time = Timestamp(ns: Int64(received))
    return Trade(symbol: "A", price: 1, size: Quantity(raw: Int64(number)), time: time, received: time)
  }

  private func isReady(_ inlets: [any AnyInlet]) -> Bool { inlets.contains { $0.isReady } }

  private func sleep(_ feeds: [Feed]) -> Int {
    _ = Merge(feeds.map(\.inlet)).next(limit: 1)
    return Merge(feeds.map(\.inlet)).prepareToSleep()
  }

  @Test func `an input that has come far enough does not keep the reader awake that waits for another`() {
    let feeds = (0..<3).map { _ in Feed(Parker()) }
    feeds[1].send(trade(10))
    feeds[0].advance(to: 10)
    #expect(Merge(feeds.map(\.inlet)).next(limit: 1) == nil)
    // The input that is listed last may bring something at the same receipt.
    #expect(sleep(feeds) == 9)
    #expect(feeds.map(\.inlet.isReady) == [false, false, false])
    feeds[2].advance(to: 8)
    #expect(feeds.map(\.inlet.isReady) == [false, false, false])
    feeds[2].advance(to: 9)
    #expect(feeds.map(\.inlet.isReady) == [false, false, true])
    let next = Merge(feeds.map(\.inlet)).next(limit: 1)
    #expect(next?.place == 1 && next?.count == 1)
  }

  /// The slow model: all events sorted by receipt, stable in the order of the inputs. Before each sleep no input is ready; after each change
  /// that makes the next event certain one is.
  @Test(arguments: 0..<40) func `the reader sleeps exactly while the next event is not certain`(seed: UInt64) {
    var random = SplitMix(seed)
    let parker = Parker()
    let feeds = (0..<(2 + random.upTo(2))).map { _ in Feed(parker) }
    let inlets = feeds.map(\.inlet)
    var times = feeds.map { _ in 0 }
    var merged: [Trade] = []
    func read() {
      while let next = Merge(inlets).next(limit: 1 + random.upTo(6)) {
        let inlet = inlets[next.place]
        let batch = inlet.nextBatch(limit: next.count)
        merged += Array(batch)
        inlet.begin(batch.count)
        inlet.finish(batch.count)
      }
      let wanted = Merge(inlets).prepareToSleep()
      let first = inlets.compactMap { $0.nextReceipt() }.min()
      #expect(!isReady(inlets), "awake, and nothing is certain")
      #expect((wanted == .max) == (first == nil))
    }
    read()
    for number in 0..<200 {
      let place = random.upTo(feeds.count - 1)
      if random.oneIn(3) {
        times[place] += random.upTo(3)
        feeds[place].advance(to: times[place])
        // Nothing received up to that time comes any more.
        times[place] += 1
      } else {
        times[place] += random.upTo(2)
        feeds[place].send(trade(times[place], number))
      }
      let isAwake = isReady(inlets)
      if Merge(inlets).next(limit: 1) != nil { #expect(isAwake, "asleep, and the next event is certain") }
      if isAwake || random.oneIn(4) { read() }
    }
    for feed in feeds {
      feed.topic.close()
      read()
    }
    let model = feeds.enumerated().flatMap { place, feed in feed.sent.map { (place, $0) } }
      .enumerated().sorted { ($0.1.1.received, $0.1.0, $0.0) < ($1.1.1.received, $1.1.0, $1.0) }.map(\.1.1)
    #expect(merged == model)
    #expect(areFinished(inlets))
  }

  /// What is read of an input may change between two readings, as a topic ends on its producer's thread.
  @Test func `an input may end while its reader prepares to sleep`() {
    for round in 0..<500 {
      let feed = Feed(Parker())
      feed.advance(to: round)
      let topic = feed.topic
      Thread.detachNewThread { topic.close() }
      var last = feed.inlet.unreached
      while last != .max {
        #expect(last == round + 1 || last == .min + 1)
        last = feed.inlet.unreached
      }
      #expect(feed.inlet.isFinished)
    }
  }

  /// It has not noted their receipts, and others may wait to learn how far it is, for whom the producer has no room.
  @Test func `a reader that follows only when it has finished all events learns from their producer how far they go`() async throws {
    let topic = Topic<Trade>("source", capacity: 4)
    let (done, held) = (topic.attach(Parker()), topic.attach(Parker()))
    let events = (1...5).map { trade($0) }
    let producer = Task {
      var outlet = Outlet(topic)
      for event in events { try await outlet.publish(event) }
      topic.close()
    }
    func take(_ count: Int, from inlet: Inlet<Trade>) async {
      var taken = 0
      while taken < count {
        let batch = inlet.nextBatch(limit: count - taken)
        inlet.begin(batch.count)
        inlet.finish(batch.count)
        taken += batch.count
        if batch.isEmpty { await Task.yield() }
      }
    }
    await take(4, from: done)
    held.follow()
    done.follow()
    for _ in 0..<1_000_000 where done.reached < 3 {
      _ = done.nextReceipt()
      await Task.yield()
    }
    #expect(done.reached == 3)
    await take(5, from: held)
    try await producer.value
  }

  /// Everything has one receipt, and the other input is waited for, which may come from the same producer. So events are taken as long as
  /// the producer waits for room, however few of them at a time.
  @Test(arguments: [1, 2, 3, 16]) func `a producer without room is served in pieces of any size`(piece: Int) async throws {
    let parker = Parker()
    let (late, topic) = (Feed(parker), Topic<Trade>("burst", capacity: 16))
    late.advance(to: 4)
    let inlets: [any AnyInlet] = [late.inlet, topic.attach(parker)]
    for inlet in inlets { inlet.follow() }
    let events = (0..<100).map { trade(5, $0) }
    let producer = Task {
      var outlet = Outlet(topic)
      for event in events { try await outlet.publish(event) }
      topic.close()
    }
    guard let crowded = inlets[1] as? Inlet<Trade> else { return }
    var taken: [Trade] = []
    while taken.count < events.count {
      guard let next = Merge(inlets).next(limit: piece) else {
        _ = Merge(inlets).prepareToSleep()
        if topic.isClosed { break }
        await Task.yield()
        continue
      }
      #expect(next.place == 1)
      let batch = crowded.nextBatch(limit: next.count)
      taken += Array(batch)
      crowded.begin(batch.count)
      crowded.finish(batch.count)
    }
    // What comes last fits into the ring, so it waits for the other input.
    late.advance(to: 5)
    while let next = Merge(inlets).next(limit: piece) {
      let batch = crowded.nextBatch(limit: next.count)
      taken += Array(batch)
      crowded.begin(batch.count)
      crowded.finish(batch.count)
    }
    try await producer.value
    #expect(taken == events)
  }

  /// The first of three inputs is waited for; the second's event is next, and the third's producer waits for room.
  @Test func `a crowded input counts where its receipt is the next one`() {
    for (receipt, isNext) in [(5, true), (6, false)] {
      let parker = Parker()
      let feeds = [Feed(parker), Feed(parker), Feed(parker, capacity: 4)]
      feeds[0].advance(to: 4)
      feeds[1].send(trade(5))
      for number in 0..<4 { feeds[2].send(trade(receipt, number)) }
      // As its producer does before it sleeps.
      feeds[2].topic.starved.pointee.store(1, ordering: .sequentiallyConsistent)
      let next = Merge(feeds.map(\.inlet)).next(limit: 9)
      #expect(next?.place == (isNext ? 1 : nil) && next?.count == (isNext ? 1 : nil))
      if !isNext {
        _ = sleep(feeds)
        #expect(!isReady(feeds.map(\.inlet)))
      }
    }
  }
}
