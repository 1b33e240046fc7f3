import EventBus
import MarketData

/// A slow and obvious model of what one inlet should return.
final class ModelReader<E: TestEvent> {
  let inlet: Inlet<E>
  let options: SubscriptionOptions
  /// Events that were published before the inlet was attached.
  let start: Int
  /// What is left of the snapshot.
  var snapshot: [E]
  let snapshotCount: Int
  /// Lossless: the waiting events. Lossy: the contents of the mailbox.
  var waiting: [E] = []
  /// Lossy: what the reader has swapped out.
  var front: [E] = []
  var dropped = 0
  var conflated = 0
  var delivered = 0
  var filtered = 0
  var dead = 0
  /// The current batch, and its expected contents.
  var batch: UnsafeBufferPointer<E>?
  var expected: [E] = []
  /// The number of events of a failed batch, which are delivered one by one.
  var suspects = 0
  var isAttached = true
  /// The number of events that were published before a cut ended it.
  var end: Int?
  /// The number of events before a cut at which it pauses.
  var pause: Int?
  /// Waiting events behind that.
  var behind: [E] = []
  /// How often it has said that everything before the cut was handed out.
  let done = Counter()
  /// How often it should have before the present cut.
  var said = 0
  /// The counts, if another reader has taken its place.
  var final: EdgeCounts?

  init(_ inlet: Inlet<E>, _ options: SubscriptionOptions, after published: [E], tableStart: Int?) {
    self.inlet = inlet
    self.options = options
    start = published.count
    snapshot = options.initial ? tableStart.map { Self.latest(Array(published[$0...])) } ?? [] : []
    snapshotCount = snapshot.count
  }

  /// A model that continues at event `start`, with `waiting` before it.
  private init(_ inlet: Inlet<E>, _ options: SubscriptionOptions, at start: Int, waiting: [E]) {
    self.inlet = inlet
    self.options = options
    self.start = start
    snapshot = waiting
    snapshotCount = waiting.count
  }

  /// The model of a reader with other options that takes its place: events that wait outside of the ring come first; events that wait in
  /// the ring are published to it.
  func handOver(to inlet: Inlet<E>, _ options: SubscriptionOptions, published: [E]) -> ModelReader {
    let isLossless = self.options.overflow == .block
    let start = isLossless ? published.count - waiting.count : published.count
    let next = ModelReader(inlet, options, at: start, waiting: snapshot + front + (isLossless ? [] : waiting))
    next.suspects = suspects
    for event in published[start...] { next.publish(event) }
    let open = snapshot.count + front.count + waiting.count
    var counts = counts(published: published.count)
    counts.published -= open
    counts.inFlight = 0
    final = counts
    isAttached = false
    return next
  }

  /// The last event of every symbol, in the order of first appearance.
  static func latest(_ events: [E]) -> [E] {
    var result: [E] = []
    for event in events {
      if let i = result.firstIndex(where: { $0.symbol == event.symbol }) { result[i] = event } else { result.append(event) }
    }
    return result
  }

  /// True if there is room for the texts of one more event.
  private func hasRoom(for event: E) -> Bool {
    waiting.isEmpty || event.weight == 0 || waiting.reduce(event.weight) { $0 + $1.weight } <= options.memory
  }

  func publish(_ event: E) {
    if end != nil { return }
    if pause != nil { return behind.append(event) }
    switch options.overflow {
    case .block: waiting.append(event)
    case .dropNewest: if waiting.count < options.capacity, hasRoom(for: event) { waiting.append(event) } else { dropped += 1 }
    case .dropOldest:
      while waiting.count == options.capacity || !hasRoom(for: event) {
        waiting.removeFirst()
        dropped += 1
      }
      waiting.append(event)
    case .conflate:
      if let i = waiting.firstIndex(where: { $0.symbol == event.symbol }) {
        // A longer event must have room beside the others; a single one always has.
        let others = waiting.reduce(0) { $0 + $1.weight } - waiting[i].weight
        if waiting.count == 1 || event.weight <= waiting[i].weight || others + event.weight <= options.memory {
          waiting[i] = event
          conflated += 1
        } else {
          dropped += 1
        }
      } else if hasRoom(for: event) {
        waiting.append(event)
      } else {
        dropped += 1
      }
    }
  }

  /// From now on nothing is published to it.
  func cut(after published: Int) {
    end = published
  }

  func resume() {
    pause = nil
    waiting += behind
    behind = []
  }

  /// True if everything before a cut has been handed out.
  var isDone: Bool { (end ?? pause) != nil && !isReady }

  /// What the producer must not overtake, for a lossless reader: the number of the first event that it has not finished.
  func bound(published: Int) -> Int? {
    if options.overflow != .block || end != nil && waiting.isEmpty { return nil }
    return (end ?? published) - waiting.count - behind.count
  }

  var isReady: Bool { !snapshot.isEmpty || !front.isEmpty || !waiting.isEmpty }

  /// Takes a batch of at most `limit` events and compares it; returns what is wrong.
  func take(limit: Int) -> String? {
    let batch = inlet.nextBatch(limit: limit)
    let bound = suspects > 0 ? min(1, limit) : limit
    if snapshot.isEmpty, front.isEmpty, options.overflow != .block { swap(&front, &waiting) }
    let source = !snapshot.isEmpty ? snapshot : options.overflow == .block ? waiting : front
    if batch.isEmpty { return source.isEmpty || limit == 0 ? nil : "an empty batch where \(source.count) wait" }
    guard batch.count <= bound, batch.count <= source.count else {
      return "a batch of \(batch.count), limit \(bound), \(source.count) wait"
    }
    expected = Array(source.prefix(batch.count))
    self.batch = batch
    inlet.begin(batch.count)
    return compare()
  }

  /// The current batch must not change, whatever happens meanwhile.
  func compare() -> String? {
    guard let batch, !batch.elementsEqual(expected) else { return nil }
    return "a batch holds \(batch.map(\.number)), expected \(expected.map(\.number))"
  }

  private func pass(_ n: Int) {
    if !snapshot.isEmpty {
      snapshot.removeFirst(n)
    } else if options.overflow == .block {
      waiting.removeFirst(n)
    } else {
      front.removeFirst(n)
    }
    batch = nil
    expected = []
  }

  func finish(filtered n: Int) {
    let count = expected.count
    inlet.finish(count, filtered: n)
    delivered += count - n
    filtered += n
    suspects = max(0, suspects - count)
    pass(count)
  }

  /// The instance throws in the current batch; returns what is wrong.
  func fail() -> String? {
    let letter = inlet.recover("a reason", component: "me", at: Timestamp(ns: 7))
    if expected.count > 1 {
      suspects = expected.count
      batch = nil
      expected = []
      return letter == nil ? nil : "a dead letter for a batch of several"
    }
    let live = options.overflow == .block && snapshot.isEmpty
    let sequence = live ? start + delivered + filtered + dead - snapshotCount + 1 : 0
    let wanted = DeadLetter(
      component: "me", origin: inlet.name, sequence: Int64(sequence), reason: "a reason", payload: E.schema.json(expected[0]),
      time: Timestamp(ns: 7))
    dead += 1
    suspects = max(0, suspects - 1)
    pass(1)
    return letter == wanted ? nil : "\(letter as Any), expected \(wanted)"
  }

  func counts(published: Int) -> EdgeCounts {
    if let final { return final }
    let published = end ?? published
    var counts = EdgeCounts()
    counts.published = published - start + snapshotCount
    counts.delivered = delivered
    counts.filtered = filtered
    counts.deadLettered = dead
    counts.conflated = conflated
    counts.dropped = dropped
    let open = counts.published - delivered - filtered - dead - conflated - dropped
    if isAttached { counts.inFlight = open } else { counts.dropped += open }
    return counts
  }
}
