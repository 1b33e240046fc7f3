internal import CMemoryBarrier
public import Synchronization

/// The reading end of a topic for one component. Its position outlives the component's instances, so a new instance continues where the
/// last one ended.
///
/// Unchecked because it is used by one resident loop at a time, or by the supervisor between two instances; everything that other tasks
/// read is atomic.
@usableFromInline package final class Inlet<E: Event>: Reader, AnyInlet, WakeCause, @unchecked Sendable {
  @usableFromInline package let topic: Topic<E>
  @usableFromInline package let options: SubscriptionOptions
  let mailbox: Mailbox<E>?
  @usableFromInline let base: UnsafeMutablePointer<E>
  @usableFromInline let mask: Int
  @usableFromInline let head: Cell
  @usableFromInline let starved: Cell
  /// The number of the first event that this inlet may read.
  package let start: Int
  /// True if the last values for `initial` cover all events since the topic's first one; false if the topic began to keep them later. Of no
  /// meaning without `initial`.
  package let beginsComplete: Bool
  /// The snapshot of `initial`, delivered before everything else and then emptied.
  private var snapshot: ContiguousArray<E>
  private var snapshotBase: UnsafeMutablePointer<E>?
  let snapshotDone = Counter()
  let snapshotCount: Int
  /// The reasons for `isIndirect`, as bits; 0 if there is none. The reader changes the first and the third bit, other tasks the others.
  @usableFromInline let indirect: Register
  /// Batches do not come from the ring: a snapshot comes first, the inlet has a mailbox, or it has been detached.
  private static var ownBit: Int { 1 }
  /// `hold` is in effect.
  static var holdBit: Int { 2 }
  /// The reader follows the watermark.
  static var followBit: Int { 4 }
  /// The topic was cut: events from `end` on are not handed out.
  static var cutBit: Int { 8 }
  let end = Register(.max)
  let following = Following(receivedOffset: E.schema.receivedOffset)
  /// The size of the batch that is being processed.
  @usableFromInline let running = Register()
  /// Events of a batch that threw. They are delivered again one at a time, to find the one that throws.
  @usableFromInline let suspects = Register()
  @usableFromInline let delivered = Counter()
  @usableFromInline let filtered = Counter()
  let deadLettered = Counter()
  let attached = Atomic<Bool>(true)
  /// Between `announce` and `retract`. A shared bit does not say which of its readers sleep.
  private let isAnnounced = Atomic<Bool>(false)
  /// The final counts, once another inlet has taken this one's place.
  let final = Guarded(EdgeCounts?.none)
  /// Called when everything before a cut has been handed out.
  let done = Guarded((@Sendable () -> Void)?.none)

  init(
    _ topic: Topic<E>, _ parker: Parker, bit: Int, at position: Int, initial: ContiguousArray<E>, _ options: SubscriptionOptions,
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

  @usableFromInline package var source: any AnyTopic { topic }
  @usableFromInline package var name: String { topic.name }
  @usableFromInline package var eventType: any Event.Type { E.self }

  /// True if batches may not be read straight from the ring.
  @inlinable
  var isIndirect: Bool { @inline(__always) get { indirect.number != 0 } }

  func setIndirect(_ isIndirect: Bool) {
    if isIndirect {
      _ = indirect.value.bitwiseOr(Self.ownBit, ordering: .acquiringAndReleasing)
    } else {
      _ = indirect.value.bitwiseAnd(~Self.ownBit, ordering: .acquiringAndReleasing)
    }
  }

  private var isHeld: Bool { indirect.number & Self.holdBit != 0 }
  var isCut: Bool { indirect.number & Self.cutBit != 0 }

  // MARK: The resident loop's side

  /// The batch that waits now: contiguous events, at most `limit`; empty if there are none, or while the inlet is held. Valid until
  /// `finish` or `detach`.
  @inlinable @inline(__always)
  package func nextBatch(limit: Int) -> UnsafeBufferPointer<E> {
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

  /// Marks `n` events as being processed, so that `recover` finds them after a throw.
  @inlinable @inline(__always)
  package func begin(_ n: Int) { running.number = n }

  /// Ends the batch: `n` events are done, of which `filtered` were left out on purpose. `filtered` is limited to `n`.
  @inlinable @inline(__always)
  package func finish(_ n: Int, filtered count: Int = 0) {
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
    look()
    return isHeld ? UnsafeBufferPointer(start: nil, count: 0) : ownBatch(limit: limit)
  }

  func ownBatch(limit: Int) -> UnsafeBufferPointer<E> {
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
    return ringBatch(limit: min(limit, end.number &- cursor.pointee.load(ordering: .relaxed)))
  }

  /// Returns false if the batch came from the ring: the reader was detached while it processed that batch.
  @usableFromInline @inline(never)
  func indirectAdvance(_ n: Int) -> Bool {
    noteReceipt(n)
    if hasSnapshot {
      snapshotDone.add(n)
      if !hasSnapshot {
        freeSnapshot()
        setIndirect(mailbox != nil || !attached.load(ordering: .acquiring))
      }
    } else if let mailbox {
      mailbox.finish(n)
    } else if isCut {
      cursor.pointee.store(cursor.pointee.load(ordering: .relaxed) &+ n, ordering: .sequentiallyConsistent)
      // The number that the producer waits for may be behind the end.
      topic.feedProducer()
    } else {
      return false
    }
    sayIfDone()
    return true
  }

  override func offer(upTo end: Int) -> Bool { mailbox?.offer(from: base, mask: mask, upTo: end) ?? false }

  func freeSnapshot() {
    guard let memory = snapshotBase else { return }
    memory.deinitialize(count: snapshotCount)
    memory.deallocate()
    snapshotBase = nil
  }

  /// True while the last values that `initial` asked for are being delivered.
  var hasSnapshot: Bool { snapshotDone.total < snapshotCount }
  /// How many of those have been delivered.
  var snapshotDelivered: Int { snapshotDone.total }

  // MARK: Sleeping

  /// Called in every round of a wait awake: fetches the next event's cache lines while the head's is under way, not after it.
  @inlinable @inline(__always)
  package func prefetch() { stockbusPrefetch(UnsafePointer(base + (cursor.pointee.load(ordering: .relaxed) & mask))) }

  @inlinable
  package var isReady: Bool {
    @inline(__always) get {
      if isIndirect { return isIndirectReady }
      return head.pointee.load(ordering: .acquiring) != cursor.pointee.load(ordering: .relaxed)
    }
  }

  @usableFromInline @inline(never)
  var isIndirectReady: Bool {
    if isHeld { return false }
    let isHeeded =
      switch heeded {
      case .all: hasWaiting
      case .ifCrowded: isCrowded
      case .none: false
      }
    if isHeeded { return true }
    return isFollowing && topic.watermark.time >= following.wanted.number
  }

  /// True if events wait here, also while the inlet is held.
  var hasWaiting: Bool {
    guard attached.load(ordering: .acquiring) else { return false }
    if hasSnapshot { return true }
    if let mailbox { return mailbox.isReady(announcing: false) }
    return min(head.pointee.load(ordering: .acquiring), end.number) != cursor.pointee.load(ordering: .relaxed)
  }

  /// The order matters: `closed` is read before the last events are. Not `!isReady`: a hold that begins and ends between two loads would
  /// make an inlet with waiting events look finished.
  @usableFromInline package var isFinished: Bool { (topic.isClosed || isCut || !attached.load(ordering: .acquiring)) && !hasWaiting }

  @usableFromInline package func announce() {
    // The producer wakes a reader that holds its events back before it sleeps for room.
    if heeded != .all { return }
    if let mailbox {
      // A held inlet does not wake its reader, or the reader would never sleep. `letGo` wakes it.
      if mailbox.isReady(announcing: true), isIndirectReady { parker.wake() }
      return
    }
    isAnnounced.store(true, ordering: .relaxed)
    _ = topic.attention.pointee.bitwiseOr(bit, ordering: .sequentiallyConsistent)
  }

  /// Always false for a lossy reader, because its announcement and the publisher's check are both made under the mailbox's lock.
  var isUnheard: Bool {
    guard mailbox == nil, attached.load(ordering: .acquiring), isAnnounced.load(ordering: .acquiring) else { return false }
    return topic.attention.pointee.load(ordering: .acquiring) & bit != 0 && isReady
  }

  @usableFromInline package func retract() {
    isAnnounced.store(false, ordering: .relaxed)
    // A shared bit may be another reader's announcement too, so it stays set, at the cost of one spurious wake-up. After detaching, the bit
    // may belong to another reader.
    if bit != Topic<E>.sharedBit, attached.load(ordering: .acquiring) { _ = topic.attention.pointee.bitwiseAnd(~bit, ordering: .relaxed) }
  }

  override var isFollowing: Bool { indirect.number & Self.followBit != 0 }
}
