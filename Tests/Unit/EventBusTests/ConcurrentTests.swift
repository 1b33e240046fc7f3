import MarketData
import TestSupport
import Synchronization
import Testing

@testable import EventBus

/// Producers and readers on the default pool. A lost wake-up shows as a hang, which the time limit ends.
@Suite(.timeLimit(.minutes(15))) struct ConcurrentTests {
  private func sum(_ n: Int) -> Int { n * (n + 1) / 2 }

  @Test(arguments: [2, 4, 64, 4096], [0, 4]) func `one producer, one reader`(capacity: Int, pauses: Int) async throws {
    let count = 20_000
    let topic = Topic<Tick>("t", capacity: capacity)
    let inlet = topic.attach(Parker())
    async let producing: Void = produce(count, to: topic, seed: capacity, pauses: pauses)
    let seen = await consume(inlet, seed: pauses, pauses: pauses)
    try await producing
    #expect(seen.problem == nil)
    #expect(seen.count == count && seen.sum == sum(count))
    #expect(inlet.counts.residue == 0 && inlet.counts.delivered == count)
    inlet.detach()
  }

  @Test(arguments: [2, 4, 64, 4096]) func `one producer, three readers of different speeds`(capacity: Int) async throws {
    let count = 10_000
    let topic = Topic<Tick>("t", capacity: capacity)
    let inlets = (0..<3).map { _ in topic.attach(Parker()) }
    try await withThrowingTaskGroup(of: Seen?.self) { group in
      for (i, inlet) in inlets.enumerated() { group.addTask { await consume(inlet, seed: i, pauses: i * 3) } }
      group.addTask {
        try await produce(count, to: topic, seed: 9, pauses: 2)
        return nil
      }
      for try await seen in group {
        guard let seen else { continue }
        #expect(seen.problem == nil)
        #expect(seen.count == count && seen.sum == sum(count))
      }
    }
    for inlet in inlets {
      #expect(inlet.counts.residue == 0)
      inlet.detach()
    }
  }

  @Test(arguments: [2, 4, 64, 4096]) func `three stages that publish again`(capacity: Int) async throws {
    let count = 10_000
    let topics = (0..<4).map { Topic<Tick>("t\($0)", capacity: capacity) }
    // As in a component, the inlet and the outlet share one parker.
    let inlets = (0..<3).map { topics[$0].attach(topics[$0 + 1].producer) }
    let last = topics[3].attach(Parker())
    let seen = try await withThrowingTaskGroup(of: Seen?.self) { group in
      group.addTask {
        try await produce(count, to: topics[0], seed: 1, pauses: 2)
        return nil
      }
      for i in 0..<3 {
        group.addTask {
          try await relay(inlets[i], to: topics[i + 1], seed: i)
          return nil
        }
      }
      group.addTask { await consume(last, seed: 5, pauses: 2) }
      var result: Seen?
      for try await seen in group where seen != nil { result = seen }
      return result
    }
    #expect(seen?.problem == nil)
    #expect(seen?.count == count && seen?.sum == sum(count))
    for inlet in inlets + [last] {
      #expect(inlet.counts.residue == 0 && inlet.counts.delivered == count)
      inlet.detach()
    }
  }

  @Test func `single events go to and fro, both sides asleep for each`() async throws {
    let rounds = 5000
    let there = Topic<Tick>("there", capacity: 2)
    let back = Topic<Tick>("back", capacity: 2)
    let near = back.attach(Parker())
    let far = there.attach(Parker())
    async let echo: Void = relay(far, to: back, seed: 1)
    var outlet = Outlet(there)
    for i in 1...rounds {
      if i % 4 == 0 { await there.untilAnnounced([far]) }
      try await outlet.publish(.make(i))
      #expect(await near.waitUntilReady())
      let batch = near.nextBatch(limit: 9)
      near.begin(batch.count)
      if batch.map(\.number) != [i] { Issue.record("\(batch.map(\.number)) in round \(i)") }
      near.finish(batch.count)
    }
    there.close()
    try await echo
    #expect(far.counts.delivered == rounds && near.counts.delivered == rounds)
    near.detach()
    far.detach()
  }

  @Test(arguments: [70, 3]) func `readers about to sleep are all woken`(readers: Int) async throws {
    let rounds = readers > 10 ? 60 : 600
    let topic = Topic<Tick>("t", capacity: 4)
    let inlets = (0..<readers).map { _ in topic.attach(Parker()) }
    try await withThrowingTaskGroup(of: Seen.self) { group in
      for (i, inlet) in inlets.enumerated() { group.addTask { await consume(inlet, seed: i, pauses: 0) } }
      var outlet = Outlet(topic)
      for i in 1...rounds {
        await topic.untilAnnounced(inlets)
        try await outlet.publish(.make(i))
      }
      topic.close()
      for try await seen in group { #expect(seen.problem == nil && seen.count == rounds) }
    }
    for inlet in inlets { inlet.detach() }
  }

  @Test(arguments: [2, 16, 256]) func `readers come and go while the producer runs`(capacity: Int) async throws {
    let count = 20_000
    let topic = Topic<Tick>("t", capacity: capacity, keepsLatest: true)
    let steady = topic.attach(Parker())
    try await withThrowingTaskGroup(of: [String].self) { group in
      for i in 0..<3 { group.addTask { await visit(topic, seed: i) } }
      group.addTask {
        let seen = await consume(steady, seed: 3, pauses: 1)
        return seen.problem == nil && seen.count == count ? [] : ["the steady reader: \(seen)"]
      }
      group.addTask {
        try await produce(count, to: topic, seed: 4, pauses: 2)
        return []
      }
      for try await failures in group { #expect(failures == []) }
    }
    steady.detach()
  }

  /// Attaches with random options, reads a little and detaches, until the topic ends.
  private func visit(_ topic: Topic<Tick>, seed: Int) async -> [String] {
    var random = SplitMix(seed)
    var failures: [String] = []
    while !topic.isClosed, failures.isEmpty {
      let options = SubscriptionOptions(
        overflow: random.oneIn(2) ? .block : Overflow.allCases.randomElement(using: &random)!, capacity: 1 + random.upTo(8),
        initial: random.oneIn(2))
      let inlet = topic.attach(Parker(), options: options)
      var seen = Seen(inlet)
      for _ in 0..<random.upTo(20) {
        guard await inlet.waitUntilReady() else { break }
        let isSnapshot = inlet.hasSnapshot
        let batch = inlet.nextBatch(limit: 1 + random.upTo(9))
        inlet.begin(batch.count)
        if isSnapshot {
          if batch.contains(where: { $0.number > inlet.start }) { failures.append("the snapshot is too new") }
        } else {
          for event in batch { seen.see(event) }
        }
        if random.oneIn(4) { await Task.yield() }
        inlet.finish(batch.count)
      }
      if let problem = seen.problem { failures.append("\(problem), \(options)") }
      inlet.detach()
      if inlet.counts.residue != 0 { failures.append("residue: \(inlet.counts), \(options)") }
      await pause(&random, most: 3)
    }
    return failures
  }

  @Test(arguments: Overflow.allCases.filter { $0 != .block }) func `a lossy reader misses nothing of the end`(overflow: Overflow)
    async throws
  {
    for seed in 0..<40 {
      let topic = Topic<Tick>("t", capacity: 4)
      async let producing: Void = produce(200, to: topic, seed: seed, pauses: 2)
      let inlet = topic.attach(Parker(), options: SubscriptionOptions(overflow: overflow, capacity: 500))
      let seen = await consume(inlet, seed: seed, pauses: 1)
      try await producing
      let counts = inlet.counts
      #expect(seen.problem == nil && counts.residue == 0 && counts.inFlight == 0 && counts.dropped == 0)
      #expect(counts.delivered + counts.conflated == 200 - inlet.start)
      #expect(seen.count == 0 || seen.last == 200)
      inlet.detach()
    }
  }

  @Test func `being cut off ends the sleep of a reader and of a producer, and the topic goes on`() async throws {
    for _ in 0..<200 {
      let topic = Topic<Tick>("t", capacity: 2)
      let inlet = topic.attach(Parker())
      let reader = Task { await inlet.waitUntilReady() }
      await topic.untilAnnounced([inlet])
      reader.cancel()
      inlet.parker.wake()
      #expect(await reader.value == false)
      let stop = StopToken()
      let producer = Task {
        var outlet = Outlet(topic, waitsWhenCancelled: true, stop: stop)
        for i in 1...3 { outlet.send(.make(i)) }
        try await outlet.flush()
      }
      await topic.untilStarved()
      stop.cutOff()
      topic.producer.wake()
      await #expect(throws: CancellationError.self) { try await producer.value }
      #expect(topic.published == 2)
      // The next producer writes and waits with the same parker.
      let next = Task {
        guard var outlet = topic.claim(waitsWhenCancelled: true) else { throw CancellationError() }
        for i in 3...5 { outlet.send(.make(i)) }
        try await outlet.flush()
        topic.close()
      }
      let seen = await consume(inlet, seed: 0, pauses: 0)
      #expect(seen.count == 5 && seen.problem == nil)
      try await next.value
      inlet.detach()
    }
  }

  @Test func `closing ends the sleep of every reader`() async {
    for _ in 0..<200 {
      let topic = Topic<Tick>("t", capacity: 2)
      let inlets = Overflow.allCases.map { topic.attach(Parker(), options: SubscriptionOptions(overflow: $0)) }
      await withTaskGroup(of: Bool.self) { group in
        for inlet in inlets { group.addTask { await inlet.waitUntilReady() } }
        await topic.untilAnnounced(inlets)
        topic.close()
        for await more in group { #expect(!more) }
      }
      for inlet in inlets { inlet.detach() }
    }
  }

  @Test func `a detached reader lets the producer go on`() async throws {
    for _ in 0..<200 {
      let topic = Topic<Tick>("t", capacity: 2)
      let inlet = topic.attach(Parker())
      async let producing: Void = produce(10, to: topic, seed: 1, pauses: 0)
      await topic.untilStarved()
      inlet.detach()
      try await producing
      #expect(topic.published == 10 && inlet.counts.dropped == 10)
    }
  }

  @Test func `a cancelled producer stops waiting, or waits on and gives its thread back`() async throws {
    // More producers than the pool has threads: if one kept its thread while waiting, the readers would never run.
    let topics = (0..<64).map { _ in Topic<Tick>("t", capacity: 2) }
    let inlets = topics.map { $0.attach(Parker()) }
    let producers = topics.enumerated().map { i, topic in
      Task {
        var outlet = Outlet(topic, waitsWhenCancelled: i % 2 == 0)
        for i in 1...9 { outlet.send(.make(i)) }
        defer { topic.close() }
        try await outlet.flush()
      }
    }
    for topic in topics { await topic.untilStarved() }
    for producer in producers { producer.cancel() }
    for i in 0..<64 {
      let seen = await consume(inlets[i], seed: i, pauses: 0)
      // If it does not wait, only what fitted into the ring was published.
      #expect(seen.count == (i % 2 == 0 ? 9 : 2) && seen.problem == nil)
      await #expect(throws: CancellationError.self) { try await producers[i].value }
      inlets[i].detach()
    }
  }
}
