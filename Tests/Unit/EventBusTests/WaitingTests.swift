import MarketData
import TestSupport
import Testing

@testable import EventBus

/// Events that wait at a reader, and are the first ones of a reader in another run.
@Suite struct WaitingTests {
  private func trade(_ size: Int64) -> Trade {
    Trade(symbol: ["A", "B"][Int(size % 2)], price: 1, size: Quantity(raw: size), time: Timestamp(ns: size), received: Timestamp(ns: size))
  }

  private func sizes(_ inlet: Inlet<Trade>) -> [Int64] {
    var sizes: [Int64] = []
    while true {
      let batch = inlet.nextBatch(limit: 3)
      if batch.isEmpty { return sizes }
      inlet.begin(batch.count)
      sizes += batch.map(\.size.raw)
      inlet.finish(batch.count)
    }
  }

  @Test(arguments: [Overflow.block, .dropOldest, .conflate]) func `they come first, once, and are counted`(overflow: Overflow) async throws
  {
    var options = SubscriptionOptions()
    options.overflow = overflow
    let topic = Topic<Trade>("ticks", capacity: 4)
    let inlet = topic.attach(Parker(), options: options)
    var output = Outlet(topic)
    for size in 1...3 { try await output.publish(trade(Int64(size))) }
    if overflow != .conflate {
      let batch = inlet.nextBatch(limit: 1)
      inlet.begin(batch.count)
      inlet.finish(1)
    }
    for size in 4...5 { try await output.publish(trade(Int64(size))) }
    inlet.hold()
    let left = try written(inlet.waiting)
    let expected: [Int64] = overflow == .conflate ? [4, 5] : [2, 3, 4, 5]
    #expect(left.count == expected.count)
    // They still wait.
    inlet.release()
    #expect(sizes(inlet).sorted() == expected)

    let next = Topic<Trade>("ticks", capacity: 4)
    let reader = try #require(next.attachReader(Parker(), options: options, waiting: left) as? Inlet<Trade>)
    var after = Outlet(next)
    try await after.publish(trade(6))
    #expect(reader.waiting.count == expected.count + 1)
    let found = sizes(reader)
    #expect(found.dropLast().sorted() == expected && found.last == 6)
    #expect(reader.counts.published == expected.count + 1 && reader.counts.delivered == expected.count + 1)
    #expect(reader.counts.inFlight == 0 && reader.waiting.count == 0)
  }

  @Test func `those of another type are not given`() throws {
    let topic = Topic<Quote>("quotes")
    let left = try written(WaitingEvents(EventCopies(events: [trade(1)])))
    let reader = try #require(topic.attachReader(Parker(), options: SubscriptionOptions(), waiting: left) as? Inlet<Quote>)
    #expect(reader.nextBatch(limit: 1).isEmpty)
  }

  @Test func `a producer without room says so until everything is in the ring`() async throws {
    let topic = Topic<Trade>("ticks", capacity: 2)
    let inlet = topic.attach(Parker())
    var output = Outlet(topic)
    for size in 1...3 { output.send(trade(Int64(size))) }
    #expect(!topic.isSpilling)
    let flushed = Task {
      try await output.flush()
      return output.published
    }
    while !topic.awaitsRoom { await Task.yield() }
    #expect(topic.isSpilling)
    while inlet.counts.delivered < 3 {
      _ = sizes(inlet)
      await Task.yield()
    }
    #expect(try await flushed.value == 3)
    #expect(!topic.isSpilling)
  }
}
