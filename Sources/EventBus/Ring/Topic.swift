public import MarketData
internal import Synchronization

/// A topic without its event type, for wiring.
@usableFromInline package protocol AnyTopic: AnyObject, Sendable {
  var name: String { get }
  var eventType: any Event.Type { get }
  /// How many events were published so far.
  var published: Int { get }
  /// Where its producer sleeps while the ring is full.
  var producer: Parker { get }
  /// True once a reader follows its watermark.
  var isFollowed: Bool { get }
  /// Tells the readers that everything received up to `time` was published. Only its producer may call, when nothing that it has received
  /// is unpublished. Times before the present watermark have no effect.
  func advance(to time: Timestamp)
  /// Whether its source waits for the outside.
  var idle: IdleMark { get }
  /// Adds a reader that begins with the next event; see `Topic.attach`.
  func attachReader(_ parker: Parker, options: SubscriptionOptions) -> any AnyInlet
  /// Lets readers end, pause and begin at one event; see `Topic.cut`.
  func cut(ending: [any AnyInlet], pausing: [any AnyInlet], beginning: [NewReader]) -> [any AnyInlet]
  /// Ends the topic: nothing is published any more, and readers end after the events that are there.
  func close()
}

/// One producer, one event type, and any number of readers over one ring; fan-out copies nothing.
///
/// Event number `n` stands in slot `n & mask`. The producer overwrites it only when every lossless reader has passed it, every lossy one
/// has its copy, and the table of latest values has it. Readers may be attached and detached at any time.
///
/// The producer releases events with references when it checks how far the readers are: at the latest one ring length later, and earlier if
/// they hold much text (`RingLoad`).
///
/// Unchecked because the ring is raw memory: slots below `published` are only read, slots from `published` on are used by the one producer
/// only, and the producer stops at its limit, which is computed under the `members` lock.
public final class Topic<E: Event>: AnyTopic, WakeCause, @unchecked Sendable {
  public let name: String
  /// How many events the ring holds; a power of two.
  public let capacity: Int
  @usableFromInline let base: UnsafeMutablePointer<E>
  @usableFromInline let mask: Int
  @usableFromInline let head = makeCell()
  /// Who must be woken at the next event: one bit for each inlet that is about to sleep, and one for all lossy inlets.
  @usableFromInline let attention = makeCell()
  /// The number that the slowest reader must reach for the sleeping producer to continue; 0 if it does not sleep.
  @usableFromInline let starved = makeCell()
  private let closed = makeCell()
  /// True while an outlet has the writing end.
  private let isWritten = Atomic(false)
  let members = Guarded(TopicMembers())
  /// The last event of every symbol, if they are kept; used under the lock of `members` only.
  var latest = LatestBySymbol<E>()
  /// What a ring of events with references holds; nil for events without references.
  @usableFromInline let load: RingLoad<E>?
  /// Where the producer sleeps while the ring is full.
  @usableFromInline package let producer: Parker
  let watermark = Watermark()
  @usableFromInline package let idle = IdleMark()

  static var mailboxBit: Int { TopicMembers.mailboxBit }
  static var sharedBit: Int { TopicMembers.sharedBit }
  static var timerBit: Int { TopicMembers.timerBit }

  public var eventType: any Event.Type { E.self }
  public var published: Int { head.pointee.load(ordering: .acquiring) }

  /// - Parameters:
  ///   - capacity: rounded up to a power of two, at least 2.
  ///   - keepsLatest: keeps the last event of every symbol from the start, so that `initial` is complete whenever it is asked for.
  ///   - memory: how many bytes of text its events may hold until every lossless reader has passed them; one may be larger.
  public convenience init(
    _ name: String, capacity: Int = 1 << 13, keepsLatest: Bool = false, memory: Int = SubscriptionOptions.defaultMemory
  ) {
    self.init(name, capacity: capacity, keepsLatest: keepsLatest, memory: memory, producer: Parker())
  }

  /// - Parameter producer: where the owner of the writing end sleeps.
  @usableFromInline package init(_ name: String, capacity: Int, keepsLatest: Bool, memory: Int, producer: Parker) {
    self.name = name
    self.producer = producer
    var size = 2
    while size < min(capacity, 1 << 28) { size *= 2 }
    self.capacity = size
    mask = size - 1
    base = .allocate(capacity: size)
    load = _isPOD(E.self) ? nil : RingLoad(base, mask: mask, budget: memory)
    members.withLock { $0.keepsLatest = keepsLatest && E.schema.hasKinds }
    producer.add(self)
  }

  deinit {
    load?.removeAll()
    base.deallocate()
    for cell in [head, attention, starved, closed] { cell.deallocate() }
  }

  /// The writing end, of which there is one at a time; nil while another outlet has it.
  public func claim() -> Outlet<E>? { claim(waitsWhenCancelled: false, stop: nil) }

  /// The writing end of a component, which `stop` ends; nil while another outlet has it.
  package func claim(waitsWhenCancelled: Bool, stop: StopToken? = nil) -> Outlet<E>? {
    takeWritingEnd() ? Outlet(taken: self, waitsWhenCancelled, stop) : nil
  }

  /// Returns false if another outlet has it. The next outlet sees everything that the one before has written.
  func takeWritingEnd() -> Bool { !isWritten.exchange(true, ordering: .acquiringAndReleasing) }

  @usableFromInline
  func giveWritingEndBack() { isWritten.store(false, ordering: .releasing) }

  public func close() {
    // The last events come before the end, so that a lossy reader that sees the end has everything.
    members.withLock { offerToMailboxes($0) }
    closed.pointee.store(1, ordering: .sequentiallyConsistent)
    wakeReaders(everybody: true)
  }

  public var isClosed: Bool { closed.pointee.load(ordering: .acquiring) != 0 }

  // MARK: Time

  @usableFromInline package var isFollowed: Bool { watermark.isFollowed }

  /// Called by a reader that follows the watermark from now on. A processor that sleeps is woken, so that it follows its own inputs.
  func follow() { if watermark.follow() { producer.wake() } }

  @usableFromInline package func advance(to time: Timestamp) {
    if watermark.isFollowed, watermark.advance(to: time.ns) { wakeFollowers() }
  }

  /// Wakes the readers that follow the watermark, when it has advanced, and before the producer sleeps for room: one of them may hold its
  /// events back.
  @usableFromInline
  func wakeFollowers() {
    var place = Int.max
    while let next = members.withLock({ $0.nextFollower(below: place) }) {
      next.parker.wake()
      place = next.place
    }
  }

  // MARK: The producer's side

  /// Ends the sleep of a producer that waits for room.
  @usableFromInline @inline(never)
  func feedProducer() {
    if starved.pointee.exchange(0, ordering: .sequentiallyConsistent) != 0 { producer.wake() }
  }

  /// How far the producer may write: one ring length past the slowest reader. `next` is the number of its next event.
  @usableFromInline
  func limit(next: Int) -> Int {
    let low = members.withLock { members in
      let published = head.pointee.load(ordering: .relaxed)
      offerToMailboxes(members)
      if members.keepsLatest { keep(&members, upTo: published) }
      var low = published
      for reader in members.readers where reader.isLossless { low = min(low, reader.bound) }
      return low
    }
    // Not under the lock, because nothing reads slots that all readers have passed, and a new reader begins at the published end.
    if let load {
      load.remove(upTo: low)
      if load.isFull, next > low { return next }
    }
    return low &+ capacity
  }

  /// The number that all lossless readers must reach so that a producer without room at `next` has some again: a quarter of the ring and of
  /// the byte budget.
  @usableFromInline
  func goal(next: Int) -> Int {
    let goal = next &+ max(1, capacity / 4) &- capacity
    return load.map { max(goal, $0.goal(next: next)) } ?? goal
  }

  /// True if the producer waits for room, and there is room.
  var isUnheard: Bool {
    let target = starved.pointee.load(ordering: .acquiring)
    return target != 0 && haveAllReached(target)
  }

  /// True if every lossless reader has reached `target`.
  func haveAllReached(_ target: Int) -> Bool {
    members.withLock { members in
      // A loop, because a closure that captures allocates, and this runs at every sleep.
      for reader in members.readers where reader.isLossless && reader.bound < target { return false }
      return true
    }
  }

  /// The slow path of publishing, taken when a reader has announced itself.
  @usableFromInline @inline(never)
  func attend() {
    let bits = attention.pointee.load(ordering: .relaxed)
    if bits & Self.timerBit != 0 { beginTimings() }
    if bits & Self.mailboxBit != 0 { members.withLock { offerToMailboxes($0) } }
    wakeReaders(everybody: false)
  }

  /// Before mailboxes are offered the event, and readers are woken for it. The bit is cleared with those of the readers.
  @inline(never)
  private func beginTimings() {
    let end = published
    members.withLock { members in for reader in members.readers { reader.beginTiming(upTo: end) } }
  }

  private func wakeReaders(everybody: Bool) {
    let bits = attention.pointee.bitwiseAnd(Self.mailboxBit, ordering: .sequentiallyConsistent).oldValue & ~Self.mailboxBit
    if bits == 0, !everybody { return }
    // One by one, because a wake-up may run other code, which must not run under the lock.
    var place = Int.max
    while let next = members.withLock({ $0.next(below: place, bits: everybody ? -1 : bits) }) {
      next.parker.wake()
      place = next.place
    }
  }

  func offerToMailboxes(_ members: borrowing TopicMembers) {
    let end = head.pointee.load(ordering: .acquiring)
    for reader in members.readers where !reader.isLossless && reader.offer(upTo: end) { reader.parker.wake() }
  }

  func keep(_ members: inout TopicMembers, upTo end: Int) {
    note(members.kept..<max(members.kept, end), in: &latest)
    members.kept = max(members.kept, end)
  }

  /// One call with `inout`, because Swift checks every access to a class's variable for exclusivity.
  private func note(_ numbers: Range<Int>, in latest: inout LatestBySymbol<E>) {
    let schema = E.schema
    guard schema.hasKinds else { return }
    for number in numbers {
      let event = base + (number & mask)
      latest.update(event.pointee, at: schema.kind(of: UnsafeRawPointer(event)))
    }
  }
}
