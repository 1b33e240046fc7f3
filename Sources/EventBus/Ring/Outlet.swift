public import CMemoryBarrier
public import MarketData
public import Synchronization

/// The writing end of a topic, for exactly one component.
///
/// `send` never waits: it writes into the ring, or into a `Spill` if the ring is full. Readers see nothing before `commit`, so that a batch
/// that throws can be rolled back. `flush` and `publish` suspend under back-pressure.
///
/// Unchecked because it writes the topic's raw memory. There is only one at a time: the topic gives its writing end to one outlet, which
/// returns it when it is destroyed.
public struct Outlet<E: Event>: ~Copyable, @unchecked Sendable {
  @usableFromInline package let topic: Topic<E>
  @usableFromInline let base: UnsafeMutablePointer<E>
  @usableFromInline let mask: Int
  @usableFromInline let head: Cell
  @usableFromInline let attention: Cell
  /// The number of the next event to write, the number before which writing must stop, and the number before which readers may read.
  @usableFromInline var next: Int
  @usableFromInline var limit: Int
  @usableFromInline var committed: Int
  /// The number at which to check for cancellation next: once per ring length, even if the producer never has to wait.
  @usableFromInline var checkAt: Int
  /// Events that did not fit. While it holds any, `limit` stays at `next`, so that no later event overtakes them.
  @usableFromInline var spill = Spill<E>()
  /// How long to wait for a full ring before going to sleep.
  @usableFromInline var spinBudget: SpinBudget
  /// How many events of the present batch the component has filtered out.
  @usableFromInline var filtered = 0

  /// If true, a cancelled task still waits until everything it sent is in the ring, so that a graceful stop loses nothing. Only `stop` then
  /// ends the waiting.
  @usableFromInline let waitsWhenCancelled: Bool
  /// Ends the waiting for room when it is cut off; nil if nothing but cancellation does.
  @usableFromInline let stop: StopToken?

  /// Takes the writing end of `topic`. Traps if another outlet has it; `Topic.claim` returns nil instead.
  @usableFromInline package init(_ topic: Topic<E>, waitsWhenCancelled: Bool = false, stop: StopToken? = nil) {
    if !topic.takeWritingEnd() { preconditionFailure("topic '\(topic.name)' is being written already") }
    self.init(taken: topic, waitsWhenCancelled, stop)
  }

  /// For a topic whose writing end the caller has already taken.
  init(taken topic: Topic<E>, _ waitsWhenCancelled: Bool, _ stop: StopToken?) {
    self.topic = topic
    self.waitsWhenCancelled = waitsWhenCancelled
    self.stop = stop
    base = topic.base
    mask = topic.mask
    head = topic.head
    attention = topic.attention
    next = topic.head.pointee.load(ordering: .relaxed)
    // Releases what an earlier instance wrote and never published.
    topic.load?.remove(from: next)
    committed = next
    checkAt = next + topic.capacity
    limit = topic.limit(next: next)
    spinBudget = SpinBudget(topic.producer.waiting.strategy)
  }

  deinit { topic.giveWritingEndBack() }

  /// How many events have been committed.
  public var published: Int { committed }

  /// Free slots now; none while the spill holds events.
  @inlinable
  public mutating func room() -> Int {
    if limit &- next < max(1, (mask &+ 1) / 4) { look() }
    return limit &- next
  }

  /// Sends one event; readers see it after the next commit.
  @inlinable @inline(__always)
  public mutating func send(_ event: E) {
    // The slow path returns a slot instead of taking the event, which would otherwise be built in memory twice.
    let slot = next == limit ? placeAside() : slot()
    // Read before the event is written: otherwise the compiler assumes that the write may change it, and a loop cannot keep it in a
    // register.
    let number = next
    slot.initialize(to: event)
    next = number &+ 1
    if !_isPOD(E.self), spill.isEmpty { weigh(number) }
  }

  /// Accounts for event `number`, just written into the ring, which may hold any amount of text. When it is time to check the readers, it
  /// sets `limit` so that the next `send` checks them.
  @usableFromInline @inline(never)
  mutating func weigh(_ number: Int) {
    if topic.load?.add(number) == true { limit = next }
  }

  /// Sends a batch.
  @inlinable
  public mutating func send(contentsOf batch: Span<E>) {
    var done = 0
    if _isPOD(E.self) {
      batch.withUnsafeBufferPointer { source in
        while done < source.count, next < limit {
          let i = next & mask
          let k = min(source.count &- done, mask &+ 1 &- i, limit &- next)
          (base + i).update(from: source.baseAddress.unsafelyUnwrapped + done, count: k)
          next &+= k
          done &+= k
        }
      }
    }
    while done < batch.count {
      send(batch[done])
      done &+= 1
    }
  }

  /// Sends `count` events that `event` makes from their numbers, counted from 0. This is the fastest way to send many, because the write
  /// position is kept in a register. If `event` throws, the events before it have been sent.
  @inlinable @inline(__always)
  public mutating func send<Failure>(_ count: Int, _ event: (Int) throws(Failure) -> E) throws(Failure) {
    var done = 0
    if _isPOD(E.self) {
      while done < count, next < limit {
        let first = done
        let i = next & mask
        let end = done &+ min(count &- done, mask &+ 1 &- i, limit &- next)
        do {
          while done < end {
            (base + (i &+ done &- first)).initialize(to: try event(done))
            done &+= 1
          }
        } catch {
          next &+= done &- first
          throw error
        }
        next &+= done &- first
      }
    }
    while done < count {
      send(try event(done))
      done &+= 1
    }
  }

  /// Counts `n` events of the present batch as left out on purpose: in the ledger they are filtered, not delivered.
  @inlinable @inline(__always)
  public mutating func filter(_ n: Int = 1) { filtered &+= n }

  /// The next slot; the caller initialises it and advances `next`.
  @inlinable @inline(__always)
  func slot() -> UnsafeMutablePointer<E> { base + (next & mask) }

  /// The place for an event that found no room: in the ring if there is room by now, otherwise in the spill.
  @inlinable @inline(never)
  mutating func placeAside() -> UnsafeMutablePointer<E> {
    look()
    if next != limit { return slot() }
    // The caller advances `next`, but an event in the spill has no number yet.
    next &-= 1
    return spill.append()
  }

  /// Reads how far the readers are and sets the limit, unless the spill holds events, which nothing may overtake.
  @inlinable @inline(never)
  mutating func look() {
    if spill.isEmpty { limit = topic.limit(next: next) }
  }

  /// Makes what was sent visible to readers, except the events in the spill.
  @inlinable @inline(__always)
  public mutating func commit() {
    if next == committed { return }
    committed = next
    head.pointee.store(next, ordering: .releasing)
    stockbus_light_barrier()
    if attention.pointee.load(ordering: .relaxed) != 0 { topic.attend() }
  }

  /// Discards what was sent since the last commit.
  @usableFromInline package mutating func rollback() {
    next = committed
    if !_isPOD(E.self) { topic.load?.remove(from: next) }
    spill.removeAll()
    filtered = 0
  }

  /// Returns how many events were filtered since the last call.
  @inlinable @inline(__always)
  package mutating func takeFiltered() -> Int {
    let n = filtered
    filtered = 0
    return n
  }

  /// Commits, and suspends until everything that was sent is in the ring.
  ///
  /// Throws `CancellationError` if the task is cancelled while waiting; the outlet of a component first waits until everything is in the
  /// ring, unless the component is cut off. Without waiting, cancellation is checked once per ring length.
  @inlinable @inline(__always)
  public nonisolated(nonsending) mutating func flush() async throws(CancellationError) {
    commit()
    stockbus_prefetch_for_writing(base + (next & mask))
    if next == limit { try await drainSpill() }
    if next >= checkAt { try noticeCancellation() }
  }

  /// Sends one event and commits it, suspending while there is no room. For sources that send one event at a time.
  @inlinable @inline(__always)
  public nonisolated(nonsending) mutating func publish(_ event: E) async throws(CancellationError) {
    if next == limit { try await waitForRoom() }
    let number = next
    slot().initialize(to: event)
    next = number &+ 1
    if !_isPOD(E.self) { weigh(number) }
    commit()
    if next >= checkAt { try noticeCancellation() }
  }

  @usableFromInline @inline(never)
  mutating func noticeCancellation() throws(CancellationError) {
    checkAt = next &+ mask &+ 1
    if Task.isCancelled { throw CancellationError() }
  }

  /// Moves the spill into the ring. If this throws, the rest stays in the spill, and nothing may overtake it.
  @inlinable @inline(never)
  nonisolated(nonsending) mutating func drainSpill() async throws(CancellationError) {
    while !spill.isEmpty {
      if next == limit {
        do { try await waitInRing() } catch {
          limit = next
          throw error
        }
      }
      let i = next & mask
      if !_isPOD(E.self) {
        next &+= spill.move(to: base + i, atMost: 1)
        weigh(next &- 1)
        continue
      }
      let free = min(mask &+ 1 &- i, limit &- next)
      next &+= spill.move(to: base + i, atMost: free)
    }
    commit()
  }

  /// Commits, and suspends until a quarter of the ring is free, so that a wake-up yields a long batch. The spill goes into the ring first.
  @inline(never)
  @usableFromInline package nonisolated(nonsending) mutating func waitForRoom() async throws(CancellationError) {
    try await drainSpill()
    if !_isPOD(E.self) {
      // The limit may only have been set to make the producer check the readers.
      look()
      if next != limit { return }
    }
    try await waitInRing()
  }

  @usableFromInline
  nonisolated(nonsending) mutating func waitInRing() async throws(CancellationError) {
    commit()
    let want = next + max(1, (mask + 1) / 4)
    var isAnnounced = false
    while true {
      // Cleared before every check, because a word that stays set would make the watch wake this component again and again during its next
      // sleep.
      if isAnnounced { topic.starved.pointee.store(0, ordering: .relaxed) }
      limit = topic.limit(next: next)
      if limit >= want { return spinBudget.hadLuck() }
      if stop?.isCutOff == true || (!waitsWhenCancelled && Task.isCancelled) { throw CancellationError() }
      // Eight times longer, because a reader needs longer for a quarter of the ring than for one event.
      if spinBudget.spins(times: 8) { continue }
      let target = topic.goal(next: next)
      topic.starved.pointee.store(target, ordering: .sequentiallyConsistent)
      isAnnounced = true
      topic.producer.fence()
      let hasRoom = topic.haveAllReached(target)
      spinBudget.gaveUp(inVain: !hasRoom)
      if hasRoom { continue }
      let parker = topic.producer
      // Cancellation must not wake a task that waits although it is cancelled: it would wake again and again and never give up its thread.
      if waitsWhenCancelled { await parker.sleep() } else { await parker.sleepCancellably() }
    }
  }
}

extension Outlet {
  /// Commits, and tells the readers that everything received up to `time` was sent: no event sent later has an earlier receipt. Readers that
  /// wait for time, such as bars that end, go on. Costs nothing where no reader does.
  public mutating func advance(to time: Timestamp) {
    commit()
    if spill.isEmpty { topic.advance(to: time) }
  }

  /// True if a reader waits for time, so that `advance` has an effect.
  public var isFollowed: Bool { topic.isFollowed }

  /// Awaits something from outside; everything received so far is published first. While it waits, time goes on for the readers: the
  /// watermark follows the clock. To be used by live sources, which take the receipts of what comes then from `receipt(_:)`.
  @inlinable
  public nonisolated(nonsending) mutating func whileIdle<R>(_ wait: () async throws -> R) async throws -> R {
    try await flush()
    beginIdle()
    defer { endIdle() }
    return try await wait()
  }

  /// The source waits for the outside from now on, also in functions that do not have the outlet; everything received is published.
  @inlinable package func beginIdle() { topic.idle.begin() }

  /// Something has come from outside, and is not published yet.
  @inlinable package func endIdle() { topic.idle.end() }

  /// The receipt of something that has come now: `now`, or just after the watermark if the clock was set back.
  public func receipt(_ now: Timestamp) -> Timestamp {
    let watermark = topic.watermark.time
    return now.ns > watermark ? now : Timestamp(ns: watermark + 1)
  }
}
