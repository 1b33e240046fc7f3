import Foundation
import MarketData
import TestSupport
import Synchronization
import Testing

@testable import EventBus

/// The duration in seconds from `STOCKBUS_STRESS`; without it the stress test is skipped.
private let seconds = ProcessInfo.processInfo.environment["STOCKBUS_STRESS"].flatMap { Int($0) } ?? 0

/// Random topologies of producers, relays, mergers and readers over tiny rings, round after round until the time is over. Each
/// round is checked: order, sums, balanced edges. A hang ends with the time limit.
@Suite(.enabled(if: seconds > 0), .timeLimit(.minutes(seconds / 60 + 2))) struct StressTests {
  /// One topic of a round's graph.
  private struct Station {
    let topic: Topic<Tick>
    /// False if several topics were merged: only sums are known then.
    let isOrdered: Bool
    let count: Int
    let sum: Int
  }

  @Test func `nothing is lost, doubled, disordered or asleep for ever`() async throws {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(seconds)
    var moved = 0
    var rounds = 0
    var nextReport = clock.now + .seconds(10)
    while clock.now < end {
      moved += try await round(seed: rounds)
      rounds += 1
      if clock.now >= nextReport {
        nextReport += .seconds(10)
        print("stress: \(rounds) rounds, \(moved) events handed over")
      }
    }
    print("stress: \(rounds) rounds, \(moved) events handed over in \(seconds) s")
    #expect(rounds > 0)
  }

  /// Builds a graph, runs it to its end, and returns the number of events that were delivered.
  private func round(seed: Int) async throws -> Int {
    var random = SplitMix(seed)
    var stations: [Station] = []
    var jobs: [@Sendable () async throws -> Void] = []
    var inlets: [Inlet<Tick>] = []
    func makeTopic() -> Topic<Tick> {
      Topic<Tick>("t\(stations.count)", capacity: [2, 2, 4, 4, 8, 64, 512].randomElement(using: &random)!, keepsLatest: random.oneIn(2))
    }
    for _ in 0...random.upTo(1) {
      let (topic, count, seed, pauses) = (makeTopic(), 1 + random.upTo(4000), random.upTo(1 << 30), random.upTo(6))
      stations.append(Station(topic: topic, isOrdered: true, count: count, sum: count * (count + 1) / 2))
      jobs.append { try await produce(count, to: topic, seed: seed, pauses: pauses) }
    }
    for _ in 0..<random.upTo(4) {
      let sources =
        random.oneIn(3)
        ? [stations.randomElement(using: &random)!, stations.randomElement(using: &random)!] : [stations.randomElement(using: &random)!]
      let (topic, seed) = (makeTopic(), random.upTo(1 << 30))
      let inputs = sources.map { $0.topic.attach(topic.producer) }
      inlets += inputs
      stations.append(
        Station(
          topic: topic, isOrdered: sources.count == 1 && sources[0].isOrdered, count: sources.reduce(0) { $0 + $1.count },
          sum: sources.reduce(0) { $0 + $1.sum }))
      jobs.append { try await merge(inputs, to: topic, seed: seed) }
    }
    for station in stations {
      for _ in 0..<random.upTo(3) {
        let overflow = random.oneIn(3) ? Overflow.allCases.randomElement(using: &random)! : .block
        let inlet = station.topic.attach(Parker(), options: SubscriptionOptions(overflow: overflow, capacity: 1 + random.upTo(9)))
        inlets.append(inlet)
        let (seed, pauses) = (random.upTo(1 << 30), random.upTo(8))
        jobs.append { try await check(station, inlet, seed, pauses, naps: seed % 4 == 0) }
      }
      if random.oneIn(2) {
        let seed = random.upTo(1 << 30)
        jobs.append { await comeAndGo(station.topic, seed) }
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for job in jobs { group.addTask { try await job() } }
      try await group.waitForAll()
    }
    var moved = 0
    for inlet in inlets {
      let counts = inlet.counts
      moved += counts.delivered
      if counts.residue != 0 || counts.inFlight != 0 { Issue.record("seed \(seed): \(counts), \(inlet.options)") }
      inlet.detach()
    }
    return moved
  }

  private func check(_ station: Station, _ inlet: Inlet<Tick>, _ seed: Int, _ pauses: Int, naps: Bool) async throws {
    var random = SplitMix(seed)
    var seen = Seen(inlet)
    while await inlet.waitUntilReady() {
      let batch = inlet.nextBatch(limit: 1 + random.upTo(100))
      inlet.begin(batch.count)
      for event in batch { seen.see(event) }
      inlet.finish(batch.count)
      if random.oneIn(8) { await pause(&random, most: pauses) }
      if naps, random.oneIn(300) { try await Task.sleep(for: .microseconds(random.upTo(300))) }
    }
    let isComplete = inlet.options.overflow != .block || (seen.count == station.count && seen.sum == station.sum)
    if !isComplete || (station.isOrdered && seen.problem != nil) { Issue.record("\(seen), of \(station.count), sum \(station.sum)") }
  }

  /// Publishes the events of several topics, with one parker for all of them and for room, as a component has.
  private func merge(_ inlets: [Inlet<Tick>], to topic: Topic<Tick>, seed: Int) async throws {
    var random = SplitMix(seed)
    var outlet = Outlet(topic, waitsWhenCancelled: true)
    while !inlets.allSatisfy(\.isFinished) {
      var worked = false
      for inlet in inlets {
        let batch = inlet.nextBatch(limit: 1 + random.upTo(64))
        if batch.isEmpty { continue }
        worked = true
        inlet.begin(batch.count)
        outlet.send(contentsOf: batch.span)
        try await outlet.flush()
        inlet.finish(batch.count)
      }
      if worked { continue }
      for inlet in inlets { inlet.announce() }
      topic.producer.fence()
      if !inlets.contains(where: { $0.isReady }), !inlets.allSatisfy(\.isFinished) { await topic.producer.sleep() }
      for inlet in inlets { inlet.retract() }
    }
    topic.close()
  }

  /// Subscribes in every way and cancels again, until the topic ends.
  private func comeAndGo(_ topic: Topic<Tick>, _ seed: Int) async {
    var random = SplitMix(seed)
    while !topic.isClosed {
      let options = SubscriptionOptions(
        overflow: Overflow.allCases.randomElement(using: &random)!, capacity: 1 + random.upTo(5), initial: random.oneIn(2))
      if random.oneIn(2) {
        let box = Box()
        let token = topic.subscribe(options: options) { box.sum.add($0.number, ordering: .relaxed) }
        await pause(&random, most: 30)
        token.cancel()
        if random.oneIn(2) { await token.finished() }
      } else {
        let iterator = topic.events(options: options).makeAsyncIterator()
        for _ in 0..<random.upTo(20) where await iterator.next() == nil { break }
      }
    }
  }

  private final class Box: Sendable {
    let sum = Atomic<Int>(0)
  }
}
