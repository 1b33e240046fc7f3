import MarketData
import TestSupport
import Synchronization
import Testing

@testable import EventBus

/// What a reader got: consecutive numbers; with gaps if events may be dropped; only in order for each symbol if they are conflated.
struct Seen: Hashable, Sendable {
  let overflow: Overflow
  var count = 0
  var sum = 0
  var last: Int
  private var lasts: [Symbol: Int] = [:]
  /// The first violation of the order.
  var problem: String?

  init(_ inlet: Inlet<Tick>) {
    last = inlet.start
    overflow = inlet.options.overflow
  }

  mutating func see(_ event: Tick) {
    let number = event.number
    let before = overflow == .conflate ? lasts[event.symbol] ?? 0 : last
    if overflow == .block ? number != before + 1 : number <= before, problem == nil { problem = "\(number) after \(before)" }
    last = max(last, number)
    if overflow == .conflate { lasts[event.symbol] = number }
    count += 1
    sum &+= number
  }
}

/// Yields between 0 and `most` times.
func pause(_ random: inout SplitMix, most: Int) async {
  guard most > 0 else { return }
  for _ in 0..<random.upTo(most) { await Task.yield() }
}

/// Publishes the numbers from 1 to `count`: one by one, in batches, in batches longer than the ring, with some pauses. Closes the topic
/// also when it is cancelled, because its readers would otherwise wait for ever.
func produce(_ count: Int, to topic: Topic<Tick>, seed: Int, pauses: Int) async throws {
  defer { topic.close() }
  var random = SplitMix(seed)
  var outlet = Outlet(topic)
  var number = 0
  while number < count {
    if random.oneIn(3) {
      number += 1
      try await outlet.publish(.make(number))
    } else {
      let n = min(count - number, 1 + random.upTo(random.oneIn(4) ? topic.capacity * 2 : min(64, topic.capacity)))
      for _ in 0..<n {
        number += 1
        outlet.send(.make(number))
      }
      if random.oneIn(16) {
        outlet.rollback()
        number = topic.published
      }
      try await outlet.flush()
    }
    if random.oneIn(8) { await pause(&random, most: pauses) }
  }
}

/// Reads to the topic's end in batches of random lengths.
func consume(_ inlet: Inlet<Tick>, seed: Int, pauses: Int) async -> Seen {
  var random = SplitMix(seed)
  var seen = Seen(inlet)
  while await inlet.waitUntilReady() {
    let batch = inlet.nextBatch(limit: 1 + random.upTo(100))
    inlet.begin(batch.count)
    for event in batch { seen.see(event) }
    inlet.finish(batch.count)
    if random.oneIn(8) { await pause(&random, most: pauses) }
  }
  return seen
}

/// Publishes what it reads.
func relay(_ inlet: Inlet<Tick>, to topic: Topic<Tick>, seed: Int) async throws {
  var random = SplitMix(seed)
  var outlet = Outlet(topic)
  while await inlet.waitUntilReady() {
    let batch = inlet.nextBatch(limit: 1 + random.upTo(64))
    inlet.begin(batch.count)
    outlet.send(contentsOf: batch.span)
    try await outlet.flush()
    inlet.finish(batch.count)
  }
  topic.close()
}

extension Topic {
  /// Waits until every reader in `inlets` has announced that it is about to sleep.
  nonisolated(nonsending) func untilAnnounced(_ inlets: [Inlet<E>]) async {
    let bits = inlets.reduce(0) { $0 | $1.bit }
    while attention.pointee.load(ordering: .relaxed) & bits != bits { await Task.yield() }
  }

  /// Waits until the producer has announced that it waits for room.
  nonisolated(nonsending) func untilStarved() async {
    while starved.pointee.load(ordering: .relaxed) == 0 { await Task.yield() }
  }
}
