internal import CMemoryBarrier
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
  /// Ends the topic: nothing is published any more, and readers end after the events that are there.
  func close()
}

/// A topic's readers, and how far its table of last values is up to date; all behind one lock.
private struct Members {
  /// The bit shared by all lossy readers, and the one shared by lossless readers that found no free bit.
  static var mailboxBit: Int { 1 << 62 }
  static var sharedBit: Int { 1 << 61 }

  var readers: [Reader] = []
  var keepsLatest = false
  /// The next event to enter the table of last values, and the first one that entered it.
  var kept = 0
  var keptFrom = 0

  /// The last reader before `place` whose bit is among `bits`; -1 means any. It goes from the end, because a reader that leaves meanwhile
  /// moves the later ones forward: one may be visited twice, none is left out.
  func next(below place: Int, bits: Int) -> (parker: Parker, place: Int)? {
    var place = min(place, readers.count)
    while place > 0 {
      place -= 1
      if bits == -1 || bits & readers[place].bit != 0 { return (readers[place].parker, place) }
    }
    return nil
  }

  /// The last reader before `place` that follows the watermark.
  func nextFollower(below place: Int) -> (parker: Parker, place: Int)? {
    var place = min(place, readers.count)
    while place > 0 {
      place -= 1
      if readers[place].isFollowing { return (readers[place].parker, place) }
    }
    return nil
  }
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
  private let members = Guarded(Members())
  /// The last event of every symbol, if they are kept; used under the lock of `members` only.
  private var latest = LatestBySymbol<E>()
  /// What a ring of events with references holds; nil for events without references.
  @usableFromInline let load: RingLoad<E>?
  /// Where the producer sleeps while the ring is full.
  @usableFromInline package let producer: Parker
  let watermark = Watermark()
  @usableFromInline package let idle = IdleMark()

  static var mailboxBit: Int { Members.mailboxBit }
  static var sharedBit: Int { Members.sharedBit }

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

  // MARK: Readers

  /// Adds a reader that begins with the next event and sleeps at `parker`. The topic keeps it, and waits for it if it is lossless, until it
  /// is detached.
  ///
  /// If `initial` is asked for and the topic does not keep the last values, it keeps them from now on, beginning with the events that some
  /// lossless reader has yet to pass; `Inlet.beginsComplete` says whether those were all. Traps if `initial` is asked for and the events
  /// are not about a symbol.
  package func attach(_ parker: Parker, options: SubscriptionOptions = SubscriptionOptions()) -> Inlet<E> {
    let inlet = members.withLock { members in
      // Under the lock the producer's limit is not recomputed, so the slots from `published` on are safe from here on.
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
    // Not under the lock: `Parker.lookAgain` takes the two locks in the other order.
    parker.add(inlet)
    hear(inlet)
    return inlet
  }

  /// Keeps the last event of every symbol from now on, beginning with the events that the producer cannot overwrite yet.
  private func keepLatest(_ members: inout Members) {
    if members.keepsLatest { return }
    precondition(E.schema.hasKinds, "'\(E.eventName)' is about no symbol, of which there is no last event")
    var low = published
    for reader in members.readers where reader.isLossless { low = min(low, reader.cursor.pointee.load(ordering: .acquiring)) }
    members.keepsLatest = true
    members.kept = low
    members.keptFrom = low
  }

  @usableFromInline package func attachReader(_ parker: Parker, options: SubscriptionOptions) -> any AnyInlet {
    attach(parker, options: options)
  }

  /// Puts a new inlet in the place of `old`, at the same event and with the events that wait in `old` first. Only the reader itself may
  /// call, between two batches, or a caller that knows that the reader does not work.
  func replace(_ old: Inlet<E>, options: SubscriptionOptions) -> Inlet<E> {
    old.retract()
    let inlet = members.withLock { members in
      // Under the lock the producer cannot pass the limit that `old` sets; after that the new inlet sets it.
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

  /// Makes the producer offer events to a lossy inlet, which must be among the readers already.
  private func hear(_ inlet: Inlet<E>) {
    guard inlet.mailbox != nil else { return }
    // The producer may be publishing without having seen the bit, so what it published meanwhile is offered here.
    _ = attention.pointee.bitwiseOr(Self.mailboxBit, ordering: .sequentiallyConsistent)
    stockbus_heavy_barrier()
    members.withLock { offerToMailboxes($0) }
  }

  /// A bit that no attached reader has, or else the shared one. A lossy reader needs none: its mailbox knows that it waits.
  private func freeBit(_ members: borrowing Members) -> Int {
    let taken = members.readers.reduce(0) { $0 | $1.bit }
    return (0..<61).first { taken & (1 << $0) == 0 }.map { 1 << $0 } ?? Self.sharedBit
  }

  /// Removes a reader, so that the producer no longer waits for it. Only the reader itself may call, or a caller that knows that the reader
  /// does not work.
  func detach(_ inlet: Inlet<E>) {
    members.withLock { members in
      members.readers.removeAll { $0 === inlet }
      forgetMailboxes(members)
    }
    feedProducer()
  }

  /// Clears the lossy readers' bit when none is left. A lossy reader sets the bit after it is listed, so its bit is not lost here.
  private func forgetMailboxes(_ members: borrowing Members) {
    if members.readers.contains(where: { !$0.isLossless }) { return }
    _ = attention.pointee.bitwiseAnd(~Self.mailboxBit, ordering: .sequentiallyConsistent)
  }

  /// Ends the sleep of a producer that waits for room.
  @usableFromInline @inline(never)
  func feedProducer() {
    if starved.pointee.exchange(0, ordering: .sequentiallyConsistent) != 0 { producer.wake() }
  }

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

  /// How far the producer may write: one ring length past the slowest reader. `next` is the number of its next event.
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
      for reader in members.readers where reader.isLossless && reader.cursor.pointee.load(ordering: .acquiring) < target { return false }
      return true
    }
  }

  /// The slow path of publishing, taken when a reader has announced itself.
  @usableFromInline @inline(never)
  func attend() {
    if attention.pointee.load(ordering: .relaxed) & Self.mailboxBit != 0 { members.withLock { offerToMailboxes($0) } }
    wakeReaders(everybody: false)
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

  private func offerToMailboxes(_ members: borrowing Members) {
    let end = head.pointee.load(ordering: .acquiring)
    for reader in members.readers where !reader.isLossless && reader.offer(upTo: end) { reader.parker.wake() }
  }

  private func keep(_ members: inout Members, upTo end: Int) {
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
