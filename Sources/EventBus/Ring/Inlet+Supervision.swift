public import MarketData
internal import Synchronization

// What the supervisor does with a reader between two instances of its component, and what the ledger asks of it.
extension Inlet {
  @usableFromInline package func recover(_ reason: String, component: String, at time: Timestamp) -> DeadLetter? {
    defer { running.number = 0 }
    if running.number == 0 { return nil }
    if running.number > 1 {
      suspects.number = running.number
      return nil
    }
    // Not `nextBatch`, because recovery must work while the inlet is held.
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

  @usableFromInline package func retry() { running.number = 0 }

  @usableFromInline package func hold() { _ = indirect.value.bitwiseOr(Self.holdBit, ordering: .sequentiallyConsistent) }

  @usableFromInline package func letGo() {
    _ = indirect.value.bitwiseAnd(~Self.holdBit, ordering: .sequentiallyConsistent)
    parker.wake()
  }

  /// Lets the inlet end before event `position`, for good or until `resume`; called by the topic, under its lock.
  func cut(at position: Int, leaves: Bool) {
    end.number = position
    if leaves { leavesAt.number = position }
    _ = indirect.value.bitwiseOr(Self.cutBit, ordering: .sequentiallyConsistent)
  }

  @usableFromInline package func resume() {
    _ = indirect.value.bitwiseAnd(~Self.cutBit, ordering: .sequentiallyConsistent)
    end.number = .max
    parker.wake()
  }

  @usableFromInline package func whenDone(_ body: @escaping @Sendable () -> Void) { done.withLock { $0 = body } }

  /// Says that everything before a cut has been handed out, if it has; once.
  func sayIfDone() {
    guard isCut, !hasWaiting else { return }
    let body = done.withLock { body in
      defer { body = nil }
      return body
    }
    body?()
  }

  @usableFromInline package func reattach(options: SubscriptionOptions) -> any AnyInlet { topic.replace(self, options: options) }

  /// Removes and returns the events that wait here outside the ring, and the number of the topic's event that follows them.
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

  /// Ends this inlet, whose waiting events `successor` has taken over.
  func handOver(to successor: Inlet<E>, _ counts: EdgeCounts) {
    successor.suspects.number = suspects.number
    final.withLock { $0 = counts }
    attached.store(false, ordering: .releasing)
    setIndirect(true)
  }

  @usableFromInline package func detach() {
    guard attached.exchange(false, ordering: .acquiringAndReleasing) else { return }
    setIndirect(true)  // later batches must not come from the ring, which the producer may overwrite now
    topic.detach(self)
  }

  /// Exact whenever the reader and the producer are idle. While they work, the parts are from slightly different moments.
  @usableFromInline package var counts: EdgeCounts {
    if let final = final.withLock({ $0 }) { return final }
    var counts = EdgeCounts()
    counts.delivered = delivered.total
    counts.filtered = filtered.total
    counts.deadLettered = deadLettered.total
    let snapshotLeft = snapshotCount - snapshotDone.total
    // The reader's position is read before the number of published events, so that no count is negative while events are published.
    if let mailbox {
      let mail = mailbox.counts
      let published = min(topic.published, leavesAt.number)
      counts.published = published - start + snapshotCount
      counts.dropped = mail.dropped
      counts.conflated = mail.conflated
      counts.inFlight = mail.waiting + (published - mail.position) + snapshotLeft
    } else {
      let reached = cursor.pointee.load(ordering: .acquiring)
      let published = min(topic.published, leavesAt.number)
      counts.published = published - start + snapshotCount
      counts.inFlight = published - reached + snapshotLeft
    }
    if !attached.load(ordering: .acquiring) {
      // No reader will read the events that wait, nor those still to come.
      counts.dropped += counts.inFlight
      counts.inFlight = 0
    }
    return counts
  }
}
