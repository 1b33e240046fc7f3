internal import CMemoryBarrier
internal import MarketData
internal import Synchronization

/// A topic seen without its event type: what a wiring passes around.
public protocol AnyTopic: AnyObject, Sendable {
  var name: String { get }
  var eventType: any Event.Type { get }
  /// How many events were published so far.
  var published: Int { get }
  /// Where its producer sleeps while the ring is full.
  var producer: Parker { get }
  /// A new reader, from the next event on: see `Topic.attach`.
  func attachReader(_ parker: Parker, options: InletOptions) -> any AnyInlet
  /// Nothing will be published any more; readers end after what is there.
  func close()
}

/// Who reads a topic, and how far its last values go: all behind one lock.
private struct Members {
  /// The bit of all lossy readers together, and the one that late comers share.
  static var mailboxBit: Int { 1 << 62 }
  static var sharedBit: Int { 1 << 61 }

  var readers: [Reader] = []
  var keepsLatest = false
  /// The next event that the table of last values does not have yet, and the first that it has.
  var kept = 0
  var keptFrom = 0

  /// The last reader before `place` whose bit is among `bits`, or any for -1. From the end, because a reader that leaves meanwhile moves
  /// those behind it forward: one may come twice, none is left out.
  func next(below place: Int, bits: Int) -> (parker: Parker, place: Int)? {
    var place = min(place, readers.count)
    while place > 0 {
      place -= 1
      if bits == -1 || bits & readers[place].bit != 0 { return (readers[place].parker, place) }
    }
    return nil
  }
}

/// One producer, one event type, any number of readers over one ring; fan-out copies nothing.
///
/// The event numbered `n` stands in slot `n & mask`. The producer overwrites it only when every lossless reader has passed it,
/// every lossy one has its copy, and the table of latest values has it. Readers may come and go at any time.
///
/// Events with references are released by the producer where it looks how far the readers are: at the latest a ring later, and where they
/// hold much text, soon (`RingLoad`).
///
/// Unchecked because the ring is raw memory: slots below `published` are only read, slots from `published` on are touched by the
/// one producer only, and the producer goes no further than its limit, which is computed under the `members` lock.
public final class Topic<E: Event>: AnyTopic, WakeCause, @unchecked Sendable {
  public let name: String
  /// How many events the ring holds: a power of two.
  public let capacity: Int
  @usableFromInline let base: UnsafeMutablePointer<E>
  @usableFromInline let mask: Int
  @usableFromInline let head = makeCell()
  /// Who wants to be told of the next event: a bit an inlet that is about to sleep, and one for the lossy inlets together.
  @usableFromInline let attention = makeCell()
  /// Where a slow reader must get to for the waiting producer to go on, or 0.
  @usableFromInline let starved = makeCell()
  private let closed = makeCell()
  /// True while an outlet writes.
  private let isWritten = Atomic(false)
  private let members = Guarded(Members())
  /// The last event of every symbol, where they are kept; touched under the lock of `members` only.
  private var latest = LatestBySymbol<E>()
  /// What a ring of events with references holds; nil for plain bytes, which hold nothing but their place.
  @usableFromInline let load: RingLoad<E>?
  /// Where the producer sleeps while the ring is full.
  public let producer: Parker

  static var mailboxBit: Int { Members.mailboxBit }
  static var sharedBit: Int { Members.sharedBit }

  public var eventType: any Event.Type { E.self }
  public var published: Int { head.pointee.load(ordering: .acquiring) }

  /// - Parameters:
  ///   - capacity: rounded up to a power of two, at least 2.
  ///   - keepsLatest: keeps the last event of every symbol from the start, so that inlets may ask for `initial`.
  ///   - memory: how many bytes of text its events may hold until every lossless reader has passed them; one may be larger.
  public init(
    _ name: String, capacity: Int = 1 << 13, keepsLatest: Bool = false, memory: Int = InletOptions.defaultMemory,
    producer: Parker = Parker()
  ) {
    self.name = name
    self.producer = producer
    var size = 2
    while size < min(capacity, 1 << 28) { size *= 2 }
    self.capacity = size
    mask = size - 1
    base = .allocate(capacity: size)
    load = _isPOD(E.self) ? nil : RingLoad(base, mask: mask, budget: memory)
    members.withLock { $0.keepsLatest = keepsLatest && E.schema.keyOffset != nil }
    producer.add(self)
  }

  deinit {
    load?.removeAll()
    base.deallocate()
    for cell in [head, attention, starved, closed] { cell.deallocate() }
  }

  /// The writing end, of which there is one at a time; nil while another outlet has it.
  public func claim(waitsWhenCancelled: Bool = false, stop: StopToken? = nil) -> Outlet<E>? {
    takeWritingEnd() ? Outlet(taken: self, waitsWhenCancelled, stop) : nil
  }

  /// False where another outlet has it. The next outlet sees what the one before it has written.
  func takeWritingEnd() -> Bool { !isWritten.exchange(true, ordering: .acquiringAndReleasing) }

  @usableFromInline
  func giveWritingEndBack() { isWritten.store(false, ordering: .releasing) }

  public func close() {
    // First the last events, then the end: a lossy reader that sees the end has everything.
    members.withLock { offerToMailboxes($0) }
    closed.pointee.store(1, ordering: .sequentiallyConsistent)
    wakeReaders(everybody: true)
  }

  public var isClosed: Bool { closed.pointee.load(ordering: .acquiring) != 0 }

  // MARK: Readers

  /// A new reader, from the next event on; `parker` is where it sleeps. Until it is detached the topic keeps it, and its room.
  ///
  /// Where `initial` is asked for and the last values are not kept, they are from now on, beginning with the events that not every lossless
  /// reader has passed: `Inlet.beginsComplete` says whether that was all. Events about no symbol have none; asking for them traps.
  public func attach(_ parker: Parker, options: InletOptions = InletOptions()) -> Inlet<E> {
    let inlet = members.withLock { members in
      // Under the lock nobody recomputes the producer's limit, so the slots from `published` on are safe from here on.
      let position = published
      var initial: ContiguousArray<E> = []
      if options.initial {
        keepLatest(&members)
        keep(&members, upTo: position)
        initial = latest.values
      }
      let bit = options.overflow == .block ? freeBit(members) : 0
      let inlet = Inlet(self, parker, bit: bit, at: position, initial: initial, options, beginsComplete: members.keptFrom == 0)
      members.readers.append(inlet)
      return inlet
    }
    // Not under the lock: who looks again takes the two locks the other way round.
    parker.add(inlet)
    hear(inlet)
    return inlet
  }

  /// Keeps the last event of every symbol from now on, beginning with those that the producer cannot overwrite now.
  private func keepLatest(_ members: inout Members) {
    if members.keepsLatest { return }
    precondition(E.schema.keyOffset != nil, "'\(E.eventName)' is about no symbol, of which there is no last event")
    var low = published
    for reader in members.readers where reader.isLossless { low = min(low, reader.cursor.pointee.load(ordering: .acquiring)) }
    members.keepsLatest = true
    members.kept = low
    members.keptFrom = low
  }

  public func attachReader(_ parker: Parker, options: InletOptions) -> any AnyInlet { attach(parker, options: options) }

  /// Puts a new inlet in the place of `old`: at the same event, with what waits in `old` before it. Only the reader itself may call, between
  /// two runs.
  func replace(_ old: Inlet<E>, options: InletOptions) -> Inlet<E> {
    old.retract()
    let inlet = members.withLock { members in
      // Under the lock the producer goes no further than `old` allows; then the new inlet has its place.
      offerToMailboxes(members)
      let counts = old.counts.settled
      let (waiting, next) = old.takeWaiting()
      let bit = options.overflow != .block ? 0 : old.isLossless ? old.bit : freeBit(members)
      let inlet = Inlet(self, old.parker, bit: bit, at: next, initial: waiting, options)
      old.handOver(to: inlet, counts)
      members.readers.removeAll { $0 === old }
      members.readers.append(inlet)
      forgetMailboxes(members)
      offerToMailboxes(members)
      return inlet
    }
    inlet.parker.add(inlet)
    hear(inlet)
    feedProducer()
    return inlet
  }

  /// Sees to it that a lossy inlet, which is a reader already, is told of what comes.
  private func hear(_ inlet: Inlet<E>) {
    guard inlet.mailbox != nil else { return }
    // The producer may just be publishing without having seen the bit: what it published meanwhile is offered here.
    _ = attention.pointee.bitwiseOr(Self.mailboxBit, ordering: .sequentiallyConsistent)
    stockbus_heavy_barrier()
    members.withLock { offerToMailboxes($0) }
  }

  /// A bit that no attached reader has, or the one that late comers share. A lossy reader needs none: its mailbox knows that it
  /// waits.
  private func freeBit(_ members: borrowing Members) -> Int {
    let taken = members.readers.reduce(0) { $0 | $1.bit }
    return (0..<61).first { taken & (1 << $0) == 0 }.map { 1 << $0 } ?? Self.sharedBit
  }

  /// The reader is gone: it holds nobody back any more. Only the reader itself, or whoever knows that it does not run, may call.
  func detach(_ inlet: Inlet<E>) {
    members.withLock { members in
      members.readers.removeAll { $0 === inlet }
      forgetMailboxes(members)
    }
    feedProducer()
  }

  /// Clears the producer's bit when no lossy reader is left. Adding a lossy reader sets the bit after the reader is listed, so it is not lost here.
  private func forgetMailboxes(_ members: borrowing Members) {
    if members.readers.contains(where: { !$0.isLossless }) { return }
    _ = attention.pointee.bitwiseAnd(~Self.mailboxBit, ordering: .sequentiallyConsistent)
  }

  /// Ends the sleep of a producer that waits for room.
  @usableFromInline @inline(never)
  func feedProducer() {
    if starved.pointee.exchange(0, ordering: .sequentiallyConsistent) != 0 { producer.wake() }
  }

  // MARK: The producer's side

  /// How far the producer may write: a ring's length past the slowest reader. `next` is what it publishes next.
  @usableFromInline
  func limit(next: Int) -> Int {
    let low = members.withLock { members in
      let published = head.pointee.load(ordering: .relaxed)
      offerToMailboxes(members)
      if members.keepsLatest { keep(&members, upTo: published) }
      var low = published
      for reader in members.readers where reader.isLossless { low = min(low, reader.cursor.pointee.load(ordering: .acquiring)) }
      return low
    }
    // Not under the lock: nobody looks at what all have passed, and whoever comes begins at what is published.
    if let load {
      load.remove(upTo: low)
      if load.isFull, next > low { return next }
    }
    return low &+ capacity
  }

  /// Where all lossless readers must get to for a producer that found no room at `next` to have some: a quarter of the ring, and of the
  /// budget of bytes.
  @usableFromInline
  func goal(next: Int) -> Int {
    let goal = next &+ max(1, capacity / 4) &- capacity
    return load.map { max(goal, $0.goal(next: next)) } ?? goal
  }

  /// The producer waits for room that there is.
  var isUnheard: Bool {
    let target = starved.pointee.load(ordering: .acquiring)
    return target != 0 && haveAllReached(target)
  }

  /// True where every lossless reader has reached `target`.
  func haveAllReached(_ target: Int) -> Bool {
    members.withLock { members in
      // A loop, because a closure that captures allocates, and this runs at every sleep.
      for reader in members.readers where reader.isLossless && reader.cursor.pointee.load(ordering: .acquiring) < target { return false }
      return true
    }
  }

  /// Somebody wants to be told: the slow half of publishing.
  @usableFromInline @inline(never)
  func attend() {
    if attention.pointee.load(ordering: .relaxed) & Self.mailboxBit != 0 { members.withLock { offerToMailboxes($0) } }
    wakeReaders(everybody: false)
  }

  private func wakeReaders(everybody: Bool) {
    let bits = attention.pointee.bitwiseAnd(Self.mailboxBit, ordering: .sequentiallyConsistent).oldValue & ~Self.mailboxBit
    if bits == 0, !everybody { return }
    // One by one, because nobody else's code, which a wake-up may run, belongs under the lock.
    var place = Int.max
    while let next = members.withLock({ $0.next(below: place, bits: everybody ? -1 : bits) }) {
      next.parker.wake()
      place = next.place
    }
  }

  private func offerToMailboxes(_ members: borrowing Members) {
    let end = head.pointee.load(ordering: .acquiring)
    for reader in members.readers where !reader.isLossless && reader.offer(upTo: end) { reader.parker.wake() }
  }

  private func keep(_ members: inout Members, upTo end: Int) {
    note(members.kept..<max(members.kept, end), in: &latest)
    members.kept = max(members.kept, end)
  }

  /// As one call, because every access to a class's variable is checked.
  private func note(_ numbers: Range<Int>, in latest: inout LatestBySymbol<E>) {
    guard let keyOffset = E.schema.keyOffset else { return }
    for number in numbers {
      let event = base + (number & mask)
      latest.update(event.pointee, for: UnsafeRawPointer(event).load(fromByteOffset: keyOffset, as: Symbol.self))
    }
  }
}
