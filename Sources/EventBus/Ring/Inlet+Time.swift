internal import MarketData
internal import Synchronization

// How far the time of what was received has come at this reader.
extension Inlet {
  @usableFromInline package func follow() {
    if isFollowing { return }
    _ = indirect.value.bitwiseOr(Self.followBit, ordering: .sequentiallyConsistent)
    topic.follow()
  }

  /// The watermark is read before the head, so that all events that it covers are below this head.
  func look() {
    if !isFollowing { return }
    following.seenTime.number = Int(topic.watermark.time)
    following.seenHead.number = head.pointee.load(ordering: .acquiring)
  }

  /// Notes the receipt of the last of `n` events that are finished.
  func noteReceipt(_ n: Int) {
    guard isFollowing, let last = ownBatch(limit: n).last else { return }
    following.last.number = max(following.last.number, withUnsafePointer(to: last) { following.received($0) })
  }

  @usableFromInline package var reached: Int {
    if isFinished { return .max }
    var reached = following.reached.number
    // All that was received before the last event was published before it.
    if following.last.number != .min { reached = max(reached, following.last.number - 1) }
    if hasReadAllSeen { reached = max(reached, following.seenTime.number) }
    following.reached.number = reached
    return reached
  }

  /// True if every event was finished that `look` has seen.
  private var hasReadAllSeen: Bool {
    if hasSnapshot { return false }
    if let mailbox { return !mailbox.isReady(announcing: false) }
    return cursor.pointee.load(ordering: .relaxed) >= following.seenHead.number
  }

  @usableFromInline package func nextReceipt() -> Int? {
    guard let first = nextBatch(limit: 1).first else { return nil }
    return max(following.last.number, withUnsafePointer(to: first) { following.received($0) })
  }

  @usableFromInline package func count(receivedUpTo bound: Int, limit: Int) -> Int {
    // Receipts that go back count as the largest one before them.
    if following.last.number > bound { return 0 }
    let batch = nextBatch(limit: limit)
    guard let base = batch.baseAddress else { return 0 }
    var count = 0
    while count < batch.count, following.received(base + count) <= bound { count += 1 }
    return count
  }

  var heeded: HeededEvents { HeededEvents(rawValue: following.heeded.number) ?? .all }

  @usableFromInline package var isCrowded: Bool {
    if mailbox != nil || hasSnapshot { return false }
    let first = cursor.pointee.load(ordering: .relaxed)
    guard starved.pointee.load(ordering: .acquiring) > first else { return false }
    let end = head.pointee.load(ordering: .acquiring)
    return end != first && following.received(base + (first & mask)) >= following.received(base + ((end &- 1) & mask))
  }

  @usableFromInline package func sleepUntil(watermark: Int, heeding events: HeededEvents) {
    following.wanted.number = watermark
    following.heeded.number = events.rawValue
  }
}
