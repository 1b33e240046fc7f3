internal import CMemoryBarrier
public import MarketData
public import Synchronization

/// The reading end of a topic, for one component: its place outlives the component's lives, so a restart goes on where the last
/// life ended.
///
/// Unchecked because it is used by one resident loop at a time, or by the supervisor between two lives; what others read are
/// atomics.
public final class Inlet<E: Event>: Reader, AnyInlet, WakeCause, @unchecked Sendable {
  public let topic: Topic<E>
  public let options: InletOptions
  let mailbox: Mailbox<E>?
  @usableFromInline let base: UnsafeMutablePointer<E>
  @usableFromInline let mask: Int
  @usableFromInline let head: Cell
  @usableFromInline let starved: Cell
  /// Where this inlet began: the number of the first event it may see.
  public let start: Int
  /// False where `initial` was asked for and the topic has not kept the last values from its first event on.
  public let beginsComplete: Bool
  /// The snapshot of `initial`, delivered before everything else; emptied when it was.
  private var snapshot: ContiguousArray<E>
  private var snapshotBase: UnsafeMutablePointer<E>?
  private let snapshotDone = Counter()
  private let snapshotCount: Int
  /// Not 0 where `isIndirect`. Two bits, as the reader changes the first and others the second.
  @usableFromInline let indirect: Register
  /// A snapshot comes first, a mailbox stands between, or nothing comes any more.
  private static var ownBit: Int { 1 }
  /// Nothing is handed out for now.
  private static var holdBit: Int { 2 }
  /// Events handed over and not yet done with.
  @usableFromInline let running = Register()
  /// Events of a run that threw; they come again one at a time, so that the poisoned one is found.
  @usableFromInline let suspects = Register()
  @usableFromInline let delivered = Counter()
  @usableFromInline let filtered = Counter()
  private let deadLettered = Counter()
  private let attached = Atomic<Bool>(true)
  /// What became of its events, where another inlet has taken its place.
  private let final = Guarded(EdgeCounts?.none)

  init(
    _ topic: Topic<E>, _ parker: Parker, bit: Int, at position: Int, initial: ContiguousArray<E>, _ options: InletOptions,
    beginsComplete: Bool = true
  ) {
    self.beginsComplete = beginsComplete
    self.topic = topic
    self.options = options
    start = position
    base = topic.base
    mask = topic.mask
    head = topic.head
    starved = topic.starved
    mailbox = options.overflow == .block ? nil : Mailbox(options, position: position)
    snapshot = initial
    snapshotCount = initial.count
    indirect = Register(mailbox != nil || !initial.isEmpty ? Self.ownBit : 0)
    super.init(parker, bit: bit, isLossless: options.overflow == .block, at: position)
  }

  deinit { freeSnapshot() }

  public var source: any AnyTopic { topic }
  public var name: String { topic.name }
  public var eventType: any Event.Type { E.self }

  /// True where runs do not come straight from the ring.
  @inlinable
  var isIndirect: Bool { @inline(__always) get { indirect.number != 0 } }

  private func setIndirect(_ isIndirect: Bool) {
    if isIndirect {
      _ = indirect.value.bitwiseOr(Self.ownBit, ordering: .acquiringAndReleasing)
    } else {
      _ = indirect.value.bitwiseAnd(~Self.ownBit, ordering: .acquiringAndReleasing)
    }
  }

  private var isHeld: Bool { indirect.number & Self.holdBit != 0 }

  // MARK: The resident loop's side

  /// The contiguous run that waits now, at most `limit` events; empty where there is none. Valid until `finish` or `detach`.
  @inlinable @inline(__always)
  public func nextBatch(limit: Int) -> UnsafeBufferPointer<E> {
    let limit = suspects.number == 0 ? limit : min(limit, 1)
    if isIndirect { return indirectBatch(limit: limit) }
    return ringBatch(limit: limit)
  }

  @inlinable @inline(__always)
  func ringBatch(limit: Int) -> UnsafeBufferPointer<E> {
    let low = cursor.pointee.load(ordering: .relaxed)
    let n = head.pointee.load(ordering: .acquiring) &- low
    if n == 0 { return UnsafeBufferPointer(start: nil, count: 0) }
    let i = low & mask
    return UnsafeBufferPointer(start: base + i, count: min(n, mask &+ 1 &- i, limit))
  }

  /// The run is being worked on; a throw from here on makes `recover` find it.
  @inlinable @inline(__always)
  public func begin(_ n: Int) { running.number = n }

  /// The run is done with, `filtered` of its events on purpose without effect; a component that says more than there were is not
  /// believed.
  @inlinable @inline(__always)
  public func finish(_ n: Int, filtered count: Int = 0) {
    running.number = 0
    if suspects.number != 0 { suspects.number &-= n }
    let count = min(max(0, count), n)
    delivered.add(n &- count)
    if count != 0 { filtered.add(count) }
    advance(n)
  }

  @inlinable @inline(__always)
  func advance(_ n: Int) {
    if isIndirect, indirectAdvance(n) { return }
    let position = cursor.pointee.load(ordering: .relaxed) &+ n
    cursor.pointee.store(position, ordering: .releasing)
    stockbusLightBarrier()
    let target = starved.pointee.load(ordering: .relaxed)
    if target != 0, position >= target { topic.feedProducer() }
  }

  @usableFromInline @inline(never)
  func indirectBatch(limit: Int) -> UnsafeBufferPointer<E> {
    isHeld ? UnsafeBufferPointer(start: nil, count: 0) : ownBatch(limit: limit)
  }

  private func ownBatch(limit: Int) -> UnsafeBufferPointer<E> {
    guard attached.load(ordering: .acquiring) else { return UnsafeBufferPointer(start: nil, count: 0) }
    if hasSnapshot {
      if snapshotBase == nil {
        let memory = UnsafeMutablePointer<E>.allocate(capacity: snapshotCount)
        _ = UnsafeMutableBufferPointer(start: memory, count: snapshotCount).initialize(from: snapshot)
        snapshotBase = memory
        snapshot = []
      }
      let done = snapshotDone.total
      return UnsafeBufferPointer(start: snapshotBase! + done, count: min(limit, snapshotCount - done))
    }
    if let mailbox { return mailbox.nextBatch(limit: limit) }
    setIndirect(false)
    return ringBatch(limit: limit)
  }

  /// Answers false where the run came from the ring: it was in hand when its reader detached.
  @usableFromInline @inline(never)
  func indirectAdvance(_ n: Int) -> Bool {
    if hasSnapshot {
      snapshotDone.add(n)
      if !hasSnapshot {
        freeSnapshot()
        setIndirect(mailbox != nil || !attached.load(ordering: .acquiring))
      }
      return true
    }
    mailbox?.finish(n)
    return mailbox != nil
  }

  override func offer(upTo end: Int) -> Bool { mailbox?.offer(from: base, mask: mask, upTo: end) ?? false }

  private func freeSnapshot() {
    guard let memory = snapshotBase else { return }
    memory.deinitialize(count: snapshotCount)
    memory.deallocate()
    snapshotBase = nil
  }

  /// True while the last values that `initial` asked for are being handed over.
  var hasSnapshot: Bool { snapshotDone.total < snapshotCount }
  /// How many of those were handed over.
  var snapshotDelivered: Int { snapshotDone.total }

  // MARK: Sleeping

  /// Called in every round of a wait awake: fetches the next event's cache lines while the head's is under way, not after it.
  @inlinable @inline(__always)
  public func prefetch() { stockbusPrefetch(UnsafePointer(base + (cursor.pointee.load(ordering: .relaxed) & mask))) }

  @inlinable
  public var isReady: Bool {
    @inline(__always) get {
      if isIndirect { return isIndirectReady }
      return head.pointee.load(ordering: .acquiring) != cursor.pointee.load(ordering: .relaxed)
    }
  }

  @usableFromInline @inline(never)
  var isIndirectReady: Bool {
    guard attached.load(ordering: .acquiring), !isHeld else { return false }
    if hasSnapshot { return true }
    if let mailbox { return mailbox.isReady(announcing: false) }
    return head.pointee.load(ordering: .acquiring) != cursor.pointee.load(ordering: .relaxed)
  }

  /// In this order: closed is looked at before the last events are.
  public var isFinished: Bool { (topic.isClosed || !attached.load(ordering: .acquiring)) && !isReady && !isHeld }

  public func announce() {
    if let mailbox {
      // What is held wakes nobody, or its reader would never sleep; letting it go does.
      if mailbox.isReady(announcing: true), !isHeld { parker.wake() }
      return
    }
    _ = topic.attention.pointee.bitwiseOr(bit, ordering: .sequentiallyConsistent)
  }

  /// A lossy reader never is: its announcement and the publisher's look stand under the mailbox's lock.
  var isUnheard: Bool {
    guard mailbox == nil, attached.load(ordering: .acquiring) else { return false }
    return topic.attention.pointee.load(ordering: .acquiring) & bit != 0 && isReady
  }

  public func retract() {
    // A shared bit may be somebody else's announcement too: it stays, and costs one wake-up without cause.
    // After detaching, the bit may be another reader's.
    if bit != Topic<E>.sharedBit, attached.load(ordering: .acquiring) { _ = topic.attention.pointee.bitwiseAnd(~bit, ordering: .relaxed) }
  }

  // MARK: The supervisor's side

  public func recover(_ reason: String, component: String, at time: Timestamp) -> DeadLetter? {
    defer { running.number = 0 }
    if running.number == 0 { return nil }
    if running.number > 1 {
      suspects.number = running.number
      return nil
    }
    // Also where nothing is handed out for now.
    let batch = ownBatch(limit: 1)
    guard let event = batch.first else { return nil }
    let isLive = mailbox == nil && !hasSnapshot
    let sequence = isLive ? cursor.pointee.load(ordering: .relaxed) + 1 : 0
    suspects.number = max(0, suspects.number - 1)
    deadLettered.add(1)
    advance(1)
    return DeadLetter(
      component: component, origin: name, sequence: Int64(sequence), reason: reason, payload: E.schema.json(event), time: time)
  }

  public func retry() { running.number = 0 }

  public func hold() { _ = indirect.value.bitwiseOr(Self.holdBit, ordering: .sequentiallyConsistent) }

  public func letGo() {
    _ = indirect.value.bitwiseAnd(~Self.holdBit, ordering: .sequentiallyConsistent)
    parker.wake()
  }

  public func reattach(options: InletOptions) -> any AnyInlet { topic.replace(self, options: options) }

  /// Takes out what waits here and not in the ring, and says which event of the topic comes after it.
  func takeWaiting() -> (events: ContiguousArray<E>, next: Int) {
    var events: ContiguousArray<E> = []
    if hasSnapshot {
      let left = ownBatch(limit: .max)
      events.append(contentsOf: left)
      snapshotDone.add(left.count)
      freeSnapshot()
    }
    guard let mailbox else { return (events, cursor.pointee.load(ordering: .relaxed)) }
    let (waiting, next) = mailbox.takeAll()
    events.append(contentsOf: waiting)
    return (events, next)
  }

  /// Ends it where `successor` goes on with what waited.
  func handOver(to successor: Inlet<E>, _ counts: EdgeCounts) {
    successor.suspects.number = suspects.number
    final.withLock { $0 = counts }
    attached.store(false, ordering: .releasing)
    setIndirect(true)
  }

  public func detach() {
    guard attached.exchange(false, ordering: .acquiringAndReleasing) else { return }
    setIndirect(true)  // so that no later run touches the ring, which nobody guards for this reader any more
    topic.detach(self)
  }

  /// Exact whenever the reader and the producer rest; while they run its parts are from slightly different moments.
  public var counts: EdgeCounts {
    if let final = final.withLock({ $0 }) { return final }
    var counts = EdgeCounts()
    counts.delivered = delivered.total
    counts.filtered = filtered.total
    counts.deadLettered = deadLettered.total
    let snapshotLeft = snapshotCount - snapshotDone.total
    // What was reached is looked at before what was published, so that nothing comes out negative while the bus is running.
    if let mailbox {
      let mail = mailbox.counts
      let published = topic.published
      counts.published = published - start + snapshotCount
      counts.dropped = mail.dropped
      counts.conflated = mail.conflated
      counts.inFlight = mail.waiting + (published - mail.position) + snapshotLeft
    } else {
      let reached = cursor.pointee.load(ordering: .acquiring)
      let published = topic.published
      counts.published = published - start + snapshotCount
      counts.inFlight = published - reached + snapshotLeft
    }
    if !attached.load(ordering: .acquiring) {
      // Nobody will ever read what waits, nor what is still to come.
      counts.dropped += counts.inFlight
      counts.inFlight = 0
    }
    return counts
  }
}
