import EventBus
import MarketData
import TestSupport

/// One topic, driven by a seeded schedule on one task and compared with slow models after every step.
struct RingDriver<E: TestEvent>: ~Copyable {
  var random: SplitMix
  let topic: Topic<E>
  /// The first event that the table of last values has seen; nil if there is no table.
  var tableStart: Int?
  /// The budget for texts under way, in bytes.
  let memory: Int
  var outlet: Outlet<E>
  var readers: [ModelReader<E>] = []
  var gone: [ModelReader<E>] = []
  /// All visible events, and the events sent after these.
  var published: [E] = []
  var sent: [E] = []
  var number = 0
  var failures: [String] = []
  /// Counts of what the schedule did, so that a test can check that it tested something.
  var flushes = 0
  var asides = 0
  var cuts = 0
  var pauses = 0

  init(seed: Int, capacity: Int, hasTable: Bool, memory: Int = SubscriptionOptions.defaultMemory) {
    random = SplitMix(seed)
    tableStart = hasTable ? 0 : nil
    self.memory = memory
    topic = Topic("t", capacity: capacity, keepsLatest: hasTable, memory: memory)
    outlet = Outlet(topic)
  }

  mutating func run(steps: Int) async {
    for step in 0..<steps {
      await move()
      check()
      if !failures.isEmpty {
        failures.append("at step \(step)")
        return
      }
    }
    outlet.commit()
    notePublished()
    topic.close()
    for reader in readers where reader.pause != nil {
      reader.inlet.resume()
      reader.resume()
    }
    for reader in readers { finish(reader) }
    check()
  }

  private mutating func move() async {
    switch random.upTo(18) {
    case 0...3: send(random.upTo(5))
    case 4: sendSpan(random.upTo(topic.capacity + 2))
    case 5, 6:
      outlet.commit()
      notePublished()
    case 7: rollBack()
    case 8: await flush()
    case 9: if readers.count(where: { !$0.isDone }) < 4 || random.oneIn(20) { attach() }
    case 10: if random.oneIn(4) { detach() }
    case 11: if random.oneIn(8) { newLife() }
    case 12: if random.oneIn(3) { reattach() }
    case 13: if random.oneIn(3) { cut() }
    case 14: if random.oneIn(2) { resume() }
    default: read()
    }
  }

  private mutating func make() -> E {
    number += 1
    return E.make(number, five[random.upTo(4)])
  }

  private mutating func send(_ n: Int) {
    for _ in 0..<n {
      let event = make()
      sent.append(event)
      outlet.send(event)
      if random.oneIn(5) { _ = outlet.room() }
    }
  }

  private mutating func sendSpan(_ n: Int) {
    let batch = (0..<n).map { _ in make() }
    if random.oneIn(2) {
      sent += batch
      return outlet.send(contentsOf: batch.span)
    }
    let end = random.oneIn(4) ? random.upTo(n) : n
    sent += batch.prefix(end)
    do throws(Stop) {
      try outlet.send(n) { i throws(Stop) in
        if i == end { throw Stop() }
        return batch[i]
      }
      if end != n { failures.append("what an event's maker throws is not passed on") }
    } catch {}
  }

  private struct Stop: Error {}

  /// A prefix of the sent events has become visible; the rest is in the spill.
  private mutating func notePublished() {
    let n = topic.published - published.count
    guard n >= 0, n <= sent.count else {
      failures.append("\(n) events were published of \(sent.count)")
      return
    }
    for event in sent.prefix(n) {
      published.append(event)
      for reader in readers { reader.publish(event) }
    }
    sent.removeFirst(n)
    if !sent.isEmpty { asides += 1 }
    if outlet.published != published.count { failures.append("the outlet says \(outlet.published)") }
  }

  private mutating func rollBack() {
    outlet.rollback()
    sent = []
  }

  /// The position of the slowest lossless reader.
  private var slowest: Int { readers.compactMap { $0.bound(published: published.count) }.min() ?? published.count }

  /// The bytes of the events that the slowest lossless reader has not passed.
  private var underWay: Int { published[slowest...].reduce(0) { $0 + $1.weight } }

  /// Only if it does not have to wait, because no reader would read meanwhile.
  private mutating func flush() async {
    let quarter = max(1, topic.capacity / 4)
    let hasReader = readers.contains { $0.bound(published: published.count) != nil }
    let room = topic.capacity - (published.count - slowest)
    guard !hasReader || (sent.count + quarter <= room && sent.reduce(underWay) { $0 + $1.weight } < memory) else { return }
    do { try await outlet.flush() } catch { failures.append("\(error)") }
    flushes += 1
    notePublished()
    if !sent.isEmpty { failures.append("a flush left \(sent.count) events") }
  }

  private mutating func newLife() {
    Self.renew(&outlet, topic)
    sent = []
  }

  /// The old one ends before there is a new one: a topic has one writing end.
  private static func renew(_ outlet: inout Outlet<E>, _ topic: Topic<E>) {
    end(consume outlet)
    outlet = Outlet(topic)
  }

  private static func end(_ outlet: consuming Outlet<E>) {}

  private mutating func makeOptions() -> SubscriptionOptions {
    SubscriptionOptions(
      overflow: Overflow.allCases.randomElement(using: &random)!, capacity: 1 + random.upTo(6), initial: random.oneIn(2),
      memory: memory == SubscriptionOptions.defaultMemory ? memory : 20 + random.upTo(120))
  }

  private mutating func attach() {
    let options = makeOptions()
    // With the first reader that asks, the table begins with the events that cannot be overwritten.
    if options.initial, tableStart == nil { tableStart = slowest }
    readers.append(ModelReader(topic.attach(Parker(), options: options), options, after: published, tableStart: tableStart))
  }

  /// A reader gets other options, between two batches.
  private mutating func reattach() {
    guard
      let place = readers.indices.filter({ readers[$0].batch == nil && readers[$0].end == nil && readers[$0].pause == nil }).randomElement(
        using: &random)
    else { return }
    let options = makeOptions()
    let old = readers[place]
    guard let inlet = old.inlet.reattach(options: options) as? Inlet<E> else {
      failures.append("another type of inlet")
      return
    }
    readers[place] = old.handOver(to: inlet, options, published: published)
    gone.append(old)
    if !old.inlet.nextBatch(limit: 9).isEmpty || old.inlet.isReady || !old.inlet.isFinished {
      failures.append("an inlet that was replaced has something")
    }
  }

  /// Some readers end here, and others begin.
  private mutating func cut() {
    let readersHere = readers.filter { $0.batch == nil && $0.end == nil && $0.pause == nil }
    let ending = readersHere.filter { _ in random.oneIn(3) }
    let pausing = readersHere.filter { reader in
      reader.options.overflow == .block && !ending.contains { $0 === reader } && random.oneIn(2)
    }
    for reader in ending + pausing {
      let done = reader.done
      reader.inlet.whenDone { done.add(1) }
      reader.inlet.hold()
    }
    let options = (0..<random.upTo(2)).map { _ in makeOptions() }
    if tableStart == nil, options.contains(where: \.initial) { tableStart = slowest }
    let inlets = topic.cut(
      ending: ending.map(\.inlet), pausing: pausing.map(\.inlet), beginning: options.map { NewReader(Parker(), options: $0) })
    for reader in ending { reader.cut(after: published.count) }
    for reader in pausing { reader.pause = published.count }
    for (inlet, options) in zip(inlets, options) {
      guard let inlet = inlet as? Inlet<E> else {
        failures.append("another type of inlet")
        return
      }
      if !inlet.nextBatch(limit: 9).isEmpty || inlet.isReady || inlet.isFinished && inlet.counts.inFlight > 0 {
        failures.append("an inlet that begins at a cut is not held")
      }
      readers.append(ModelReader(inlet, options, after: published, tableStart: tableStart))
    }
    for inlet in (ending + pausing).map(\.inlet) + inlets.compactMap({ $0 as? Inlet<E> }) { inlet.release() }
    cuts += ending.count
    pauses += pausing.count
  }

  private mutating func resume() {
    for reader in readers where reader.pause != nil && reader.isDone {
      reader.inlet.resume()
      reader.resume()
      reader.said += 1
    }
  }

  private mutating func detach() {
    guard !readers.isEmpty else { return }
    let reader = readers.remove(at: random.upTo(readers.count - 1))
    let hand = reader.expected.count
    reader.inlet.detach()
    reader.inlet.detach()
    reader.isAttached = false
    gone.append(reader)
    if !reader.inlet.nextBatch(limit: 9).isEmpty || reader.inlet.isReady || !reader.inlet.isFinished {
      failures.append("a detached inlet has something")
    }
    // A reader that detaches during a batch may still finish it.
    if hand > 0, random.oneIn(2) { reader.finish(filtered: random.upTo(hand)) }
    reader.batch = nil
  }

  private mutating func read() {
    guard let reader = readers.randomElement(using: &random) else { return }
    if reader.batch == nil {
      if let problem = reader.take(limit: random.oneIn(10) ? 0 : 1 + random.upTo(topic.capacity)) { failures.append(problem) }
    } else if random.oneIn(6) {
      if let problem = reader.fail() { failures.append(problem) }
    } else {
      reader.finish(filtered: random.oneIn(3) ? random.upTo(reader.expected.count) : 0)
    }
  }

  private mutating func finish(_ reader: ModelReader<E>) {
    if reader.batch != nil { reader.finish(filtered: 0) }
    while !reader.inlet.isFinished, failures.isEmpty {
      if let problem = reader.take(limit: 1 + random.upTo(7)) { failures.append(problem) }
      if reader.batch == nil { failures.append("neither finished nor a batch") } else { reader.finish(filtered: 0) }
    }
    if reader.isReady { failures.append("finished with \(reader.waiting.count) waiting") }
  }

  private mutating func check() {
    if published.count - slowest > topic.capacity { failures.append("the producer has overtaken a reader") }
    // The last event is accepted while there is any room.
    if let last = published.last, underWay > 0, underWay - last.weight >= memory { failures.append("\(underWay) bytes are under way") }
    for reader in readers + gone {
      if let problem = reader.isAttached ? reader.compare() : nil { failures.append(problem) }
      let counts = reader.inlet.counts
      if counts.residue != 0 { failures.append("residue \(counts.residue): \(counts)") }
      let wanted = reader.counts(published: published.count)
      if counts != wanted { failures.append("\(counts), expected \(wanted), \(reader.options)") }
      if reader.isAttached, reader.inlet.isReady != reader.isReady { failures.append("isReady \(reader.inlet.isReady)") }
      if reader.isAttached, reader.end != nil || reader.pause != nil {
        if reader.inlet.isFinished != reader.isDone { failures.append("isFinished \(reader.inlet.isFinished) after a cut") }
        if reader.done.total != reader.said + (reader.isDone ? 1 : 0) { failures.append("said \(reader.done.total) times that it is done") }
      }
    }
  }
}
