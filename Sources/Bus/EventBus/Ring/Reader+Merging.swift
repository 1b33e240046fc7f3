internal import Synchronization

// Reading in the order of receipts. It runs for every event where inputs alternate, so it is not part of the generic inlet.
extension Reader {
  /// True if the reader follows and its events come straight from the ring.
  @usableFromInline package final var readsRing: Bool { indirect.number == Self.followBit }

  /// The watermark is read before the head, so that all events that it covers are below this head.
  func look() {
    if !isFollowing { return }
    following.seenTime.number = Int(ring.watermark.time)
    following.seenHead.number = ring.head.pointee.load(ordering: .acquiring)
  }

  /// True if the next batch comes straight from the ring although `isIndirect`, since the reader only follows; then the progress of time
  /// has been noted.
  @usableFromInline
  final func looksAtRing() -> Bool {
    if !readsRing { return false }
    look()
    return true
  }

  /// Finishes `n` events although `isIndirect`, up to advancing the cursor; true if that is not to be done.
  @usableFromInline
  final func finish(indirectly n: Int) -> Bool {
    if !readsRing { return indirectAdvance(n) }
    if n > 0 { noteReceipt(ring.received(cursor.pointee.load(ordering: .relaxed) &+ n &- 1)) }
    return false
  }

  /// Notes the receipt of the last of the events that are finished.
  func noteReceipt(_ receipt: Int) { following.last.number = max(following.last.number, receipt) }

  /// For a reader that follows: the next event's receipt; nil if none waits. A receipt that goes back counts as the largest one before it.
  package final func nextReceipt() -> Int? {
    if !readsRing { return ownNextReceipt }
    look()
    let low = cursor.pointee.load(ordering: .relaxed)
    return low == following.seenHead.number ? nil : max(following.last.number, ring.received(low))
  }

  /// For a reader that follows: how many of the next events, at most `limit`, were received up to `bound`.
  package final func count(receivedUpTo bound: Int, limit: Int) -> Int {
    // A receipt that goes back counts as the largest one before it.
    if following.last.number > bound { return 0 }
    if !readsRing || suspects.number != 0 { return ownCount(receivedUpTo: bound, limit: limit) }
    let low = cursor.pointee.load(ordering: .relaxed)
    let waiting = min(ring.head.pointee.load(ordering: .acquiring) &- low, ring.mask &+ 1 &- (low & ring.mask), limit)
    var count = 0
    while count < waiting, ring.received(low &+ count) <= bound { count &+= 1 }
    return count
  }

  /// For a reader that has looked at the ring: the time up to which every event is among its next `n`, at least one.
  @usableFromInline
  package final func complete(with n: Int) -> Int {
    let end = cursor.pointee.load(ordering: .relaxed) &+ n
    // An event received when the last one was may follow it.
    let before = max(following.last.number, ring.received(end &- 1)) &- 1
    return end >= following.seenHead.number ? max(before, following.seenTime.number) : before
  }

  /// The largest receipt of the events that are finished.
  @usableFromInline package final var lastReceipt: Int { following.last.number }
}
