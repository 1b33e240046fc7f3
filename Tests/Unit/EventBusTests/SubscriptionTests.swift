import MarketData
import TestSupport
import Synchronization
import Testing

@testable import EventBus

/// Subscriptions and the events that they deliver.
@Suite(.timeLimit(.minutes(15))) struct SubscriptionTests {
  /// Records what it gets; throws at `limit`.
  private actor Listener: Subscriber {
    var numbers: [Int] = []
    var deliveries: [Delivery] = []
    var batches: [[Int]] = []
    private let limit: Int
    private let onDeinit: @Sendable () -> Void
    private var token: Subscription?

    init(failingAt limit: Int = .max, onDeinit: @escaping @Sendable () -> Void = {}) {
      self.limit = limit
      self.onDeinit = onDeinit
    }
    deinit { onDeinit() }

    struct Enough: Error {}

    func receive(_ events: Span<Tick>, _ delivery: Delivery) throws {
      deliveries.append(delivery)
      var batch: [Int] = []
      for i in events.indices { batch.append(events[i].number) }
      batches.append(batch)
      numbers += batch
      if numbers.contains(limit) { throw Enough() }
      token?.cancel()
    }

    /// Without a suspension, so that everything waits before the first batch is delivered.
    func subscribeAndPublish(_ count: Int, to topic: Topic<Tick>) -> Subscription {
      let token = topic.subscribe(self)
      self.token = token
      var outlet = Outlet(topic)
      for i in 1...count { outlet.send(.make(i)) }
      outlet.commit()
      return token
    }
  }

  /// A list that a closure may append to.
  private final class Notebook: Sendable {
    private let lines = Mutex<[Int]>([])
    func note(_ number: Int) { lines.withLock { $0.append(number) } }
    var all: [Int] { lines.withLock { $0 } }
  }

  private func publish(_ numbers: ClosedRange<Int>, to topic: Topic<Tick>) async throws {
    var outlet = Outlet(topic)
    for i in numbers { try await outlet.publish(.make(i)) }
  }

  @Test func `an actor gets everything in order, numbered from one`() async throws {
    let topic = Topic<Tick>("t", capacity: 4)
    let listener = Listener()
    let token = topic.subscribe(listener)
    try await publish(1...20, to: topic)
    topic.close()
    await token.finished()
    #expect(await listener.numbers == Array(1...20))
    var next = 1
    for (delivery, batch) in zip(await listener.deliveries, await listener.batches) {
      #expect(delivery.sequence == next && !delivery.isInitial)
      #expect(batch.first == next)
      next += batch.count
    }
    #expect(token.counts.delivered == 20 && token.counts.residue == 0)
  }

  @Test func `the last values come first, then the event that follows them`() async throws {
    let topic = Topic<Tick>("t", keepsLatest: true)
    try await publish(1...7, to: topic)
    let listener = Listener()
    let token = topic.subscribe(listener, options: .initial)
    try await publish(8...9, to: topic)
    topic.close()
    await token.finished()
    #expect(await listener.numbers == [6, 7, 3, 4, 5, 8, 9])
    let deliveries = await listener.deliveries
    #expect(deliveries[0] == Delivery(sequence: 7, isInitial: true))
    #expect(deliveries[1] == Delivery(sequence: 8, isInitial: false))
  }

  @Test func `a subscription made later is numbered by the topic`() async throws {
    let topic = Topic<Tick>("t")
    try await publish(1...5, to: topic)
    let listener = Listener()
    let token = topic.subscribe(listener)
    try await publish(6...6, to: topic)
    topic.close()
    await token.finished()
    #expect(await listener.deliveries == [Delivery(sequence: 6, isInitial: false)])
    #expect(await listener.numbers == [6])
  }

  @Test func `cancelling twice is harmless, and nothing comes after it`() async throws {
    let topic = Topic<Tick>("t", capacity: 4)
    let notebook = Notebook()
    let token = topic.subscribe { notebook.note($0.number) }
    try await publish(1...3, to: topic)
    while notebook.all.count < 3 { await Task.yield() }
    token.cancel()
    token.cancel()
    await token.finished()
    token.cancel()
    try await publish(4...20, to: topic)  // no reader holds the producer back
    #expect(notebook.all == [1, 2, 3])
    #expect(token.counts.delivered == 3 && token.counts.dropped == 17 && token.counts.residue == 0)
  }

  @Test func `dropping the token cancels`() async throws {
    let topic = Topic<Tick>("t", capacity: 4)
    let notebook = Notebook()
    do {
      let token = topic.subscribe { notebook.note($0.number) }
      try await publish(1...3, to: topic)
      while notebook.all.count < 3 { await Task.yield() }
      _ = token
    }
    try await publish(4...50, to: topic)
    #expect(notebook.all == [1, 2, 3])
  }

  @Test func `an actor that cancels from inside is not called again`() async {
    let topic = Topic<Tick>("t", capacity: 4096)
    let listener = Listener()
    let token = await listener.subscribeAndPublish(3000, to: topic)
    await token.finished()
    // It cancels in its first batch, of 1,024 events, while two more wait.
    #expect(await listener.batches.map(\.count) == [1024])
    #expect(token.counts.delivered == 1024 && token.counts.dropped == 1976)
  }

  @Test func `an actor that is gone is never called, kept or revived`() async throws {
    let topic = Topic<Tick>("t", capacity: 4)
    let gone = Mutex(false)
    var listener: Listener? = Listener { gone.withLock { $0 = true } }
    let token = topic.subscribe(listener!)
    try await publish(1...3, to: topic)
    while await listener!.numbers.count < 3 { await Task.yield() }
    listener = nil
    try await publish(4...50, to: topic)  // more than the ring: it does not hold the producer back
    await token.finished()
    #expect(gone.withLock { $0 })
    #expect(token.counts.delivered == 3 && token.counts.residue == 0)
  }

  @Test func `a throw ends the subscription and counts what was in hand as dropped`() async throws {
    let topic = Topic<Tick>("t", capacity: 64)
    let listener = Listener(failingAt: 3)
    let token = topic.subscribe(listener)
    for i in 1...5 { try await publish(i...i, to: topic) }
    await token.finished()
    topic.close()
    let numbers = await listener.numbers
    #expect(numbers == Array(1...numbers.count) && numbers.contains(3))
    #expect(token.counts.delivered < 3)
    #expect(token.counts.residue == 0 && token.counts.inFlight == 0)
    #expect(token.counts.delivered + token.counts.dropped == 5)
  }

  @Test func `a closure of changes gets the event before of the same symbol`() async throws {
    let topic = Topic<Tick>("t")
    let notebook = Notebook()
    let token = topic.subscribeToChanges { notebook.note(($0.old?.number ?? 0) * 100 + $0.new.number) }
    try await publish(3...9, to: topic)
    topic.close()
    await token.finished()
    // Symbols repeat after five: 8 follows 3, 9 follows 4.
    #expect(notebook.all == [3, 4, 5, 6, 7, 308, 409])
  }

  @Test func `with initial, the first change after the snapshot has its old value`() async throws {
    let topic = Topic<Tick>("t", keepsLatest: true)
    try await publish(1...5, to: topic)
    let notebook = Notebook()
    let token = topic.subscribeToChanges(options: .initial) { notebook.note(($0.old?.number ?? 0) * 100 + $0.new.number) }
    try await publish(6...6, to: topic)
    topic.close()
    await token.finished()
    #expect(notebook.all == [1, 2, 3, 4, 5, 106])
  }

  @Test func `a sequence gives every event and ends with the topic`() async throws {
    let topic = Topic<Tick>("t", capacity: 2)
    let iterator = topic.events().makeAsyncIterator()
    async let producing: Void = produce(300, to: topic, seed: 1, pauses: 1)
    var numbers: [Int] = []
    while let event = await iterator.next() { numbers.append(event.number) }
    try await producing
    #expect(numbers == Array(1...300))
    #expect(await iterator.next() == nil)
  }

  @Test func `cancelling ends a sequence that waits`() async {
    let topic = Topic<Tick>("t")
    let waiting = Task {
      var count = 0
      for await _ in topic.events() { count += 1 }
      return count
    }
    while topic.attention.pointee.load(ordering: .relaxed) == 0 { await Task.yield() }
    waiting.cancel()
    #expect(await waiting.value == 0)
  }

  @Test func `cancelling ends a sequence though events keep coming`() async throws {
    let topic = Topic<Tick>("t", capacity: 1024)
    let events = topic.events()
    let iterator = events.makeAsyncIterator()
    try await publish(1...1000, to: topic)
    let reading = Task {
      let iterator = events.makeAsyncIterator()
      withUnsafeCurrentTask { $0?.cancel() }
      return await iterator.next()?.number
    }
    #expect(await reading.value == nil)
    #expect(await iterator.next()?.number == 1)
  }

  @Test func `an iterator that is dropped holds nobody back`() async throws {
    let topic = Topic<Tick>("t", capacity: 2)
    do {
      let iterator = topic.events().makeAsyncIterator()
      try await publish(1...2, to: topic)
      #expect(await iterator.next()?.number == 1)
    }
    try await publish(3...20, to: topic)
    #expect(topic.published == 20)
  }

  @Test func `subscriptions of all kinds come and go while a producer runs`() async throws {
    let topic = Topic<Tick>("t", capacity: 16, keepsLatest: true)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await produce(20_000, to: topic, seed: 1, pauses: 2) }
      for seed in 0..<3 {
        group.addTask {
          var random = SplitMix(seed)
          // Each reader that stays slows the producer down, so without a limit their number would grow on a busy machine.
          var staying = 0
          while !topic.isClosed {
            let options = SubscriptionOptions(
              overflow: Overflow.allCases.randomElement(using: &random)!, capacity: 4, initial: random.oneIn(2))
            let notebook = Notebook()
            let listener = Listener()
            let token =
              random.oneIn(2) ? topic.subscribe(listener, options: options) : topic.subscribe(options: options) { notebook.note($0.number) }
            await pause(&random, most: 20)
            if staying < 20, random.oneIn(3) {
              staying += 1
              continue
            }
            token.cancel()
            await token.finished()
            #expect(token.counts.residue == 0 && token.counts.inFlight == 0)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(topic.published == 20_000)
  }
}
