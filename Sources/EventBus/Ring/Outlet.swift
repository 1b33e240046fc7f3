public import CMemoryBarrier
public import Synchronization

/// The writing end of a topic, for exactly one component.
///
/// `send` never waits: it writes into the ring, or aside where the ring is full. Nothing is seen downstream before `commit`, so
/// that a run that throws can be rolled back. `flush` and `publish` are where back-pressure suspends.
///
/// Unchecked because it writes the topic's raw memory; there is one of it at a time, as the topic gives its writing end out once, and gets
/// it back when the outlet ends.
public struct Outlet<E: Event>: ~Copyable, @unchecked Sendable {
  public let topic: Topic<E>
  @usableFromInline let base: UnsafeMutablePointer<E>
  @usableFromInline let mask: Int
  @usableFromInline let head: Cell
  @usableFromInline let attention: Cell
  /// What is written next, how far it may go, and what readers may see.
  @usableFromInline var next: Int
  @usableFromInline var limit: Int
  @usableFromInline var committed: Int
  /// When to look for a cancellation next: once a ring, also where nobody makes the producer wait.
  @usableFromInline var checkAt: Int
  /// What did not fit. While anything stands here `limit` stays at `next`, so that nothing overtakes it.
  @usableFromInline var spill = Spill<E>()
  /// How long a full ring is waited for awake.
  @usableFromInline var spinBudget: SpinBudget
  /// Events of the present run that the component has filtered out.
  @usableFromInline var filtered = 0

  /// True where a cancelled task still gets everything it sent into the ring before it is told: a graceful stop loses nothing.
  /// Only `stop` then ends the waiting.
  @usableFromInline let waitsWhenCancelled: Bool
  /// Ends the waiting for room; nil where nobody does.
  @usableFromInline let stop: StopToken?

  /// The writing end of `topic`. That there is no other is the caller's to know: a second one traps (`Topic.claim` asks).
  public init(_ topic: Topic<E>, waitsWhenCancelled: Bool = false, stop: StopToken? = nil) {
    if !topic.takeWritingEnd() { preconditionFailure("topic '\(topic.name)' is being written already") }
    self.init(taken: topic, waitsWhenCancelled, stop)
  }

  /// Of a topic whose writing end was taken for it.
  init(taken topic: Topic<E>, _ waitsWhenCancelled: Bool, _ stop: StopToken?) {
    self.topic = topic
    self.waitsWhenCancelled = waitsWhenCancelled
    self.stop = stop
    base = topic.base
    mask = topic.mask
    head = topic.head
    attention = topic.attention
    next = topic.head.pointee.load(ordering: .relaxed)
    // What an earlier life wrote and never published.
    topic.load?.remove(from: next)
    committed = next
    checkAt = next + topic.capacity
    limit = topic.limit(next: next)
    spinBudget = SpinBudget(topic.producer.waiting.strategy)
  }

  deinit { topic.giveWritingEndBack() }

  /// How many events were sent and may be seen.
  public var published: Int { committed }

  /// Free slots now; none while something stands aside.
  @inlinable
  public mutating func room() -> Int {
    if limit &- next < max(1, (mask &+ 1) / 4) { look() }
    return limit &- next
  }

  /// Sends one event; downstream sees it at the next commit.
  @inlinable @inline(__always)
  public mutating func send(_ event: E) {
    // The slow path answers a place and does not take the event, which would then be built in memory twice.
    let slot = next == limit ? placeAside() : slot()
    // Read before the event is written, which might for all the compiler knows change it: so a loop keeps it in a register.
    let number = next
    slot.initialize(to: event)
    next = number &+ 1
    if !_isPOD(E.self), spill.isEmpty { weigh(number) }
  }

  /// Event `number`, which may hold any amount of text, has been written into the ring: after so much, look before the next.
  @usableFromInline @inline(never)
  mutating func weigh(_ number: Int) {
    if topic.load?.add(number) == true { limit = next }
  }

  /// Sends a run.
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

  /// Sends `count` events, which `event` makes of their numbers, counted from 0: the fastest way to send many, because where the next
  /// one goes is kept in a register. Where `event` throws, those before it were sent.
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

  /// Says that `n` events of the present run were left out on purpose: the ledger counts them as filtered, not as delivered.
  @inlinable @inline(__always)
  public mutating func filter(_ n: Int = 1) { filtered &+= n }

  /// The next slot, which the caller initialises and counts.
  @inlinable @inline(__always)
  func slot() -> UnsafeMutablePointer<E> { base + (next & mask) }

  /// Where to write an event that found no room: in the ring after all, or aside.
  @inlinable @inline(never)
  mutating func placeAside() -> UnsafeMutablePointer<E> {
    look()
    if next != limit { return slot() }
    // The caller counts an event of the ring, which this is not yet.
    next &-= 1
    return spill.append()
  }

  /// Looks how far the readers are. While something stands aside nothing may overtake it.
  @inlinable @inline(never)
  mutating func look() {
    if spill.isEmpty { limit = topic.limit(next: next) }
  }

  /// Makes what was sent visible; what stands aside stays there.
  @inlinable @inline(__always)
  public mutating func commit() {
    if next == committed { return }
    committed = next
    head.pointee.store(next, ordering: .releasing)
    stockbus_light_barrier()
    if attention.pointee.load(ordering: .relaxed) != 0 { topic.attend() }
  }

  /// Forgets what was sent since the last commit.
  public mutating func rollback() {
    next = committed
    if !_isPOD(E.self) { topic.load?.remove(from: next) }
    spill.removeAll()
    filtered = 0
  }

  /// Events filtered since the last call.
  @inlinable @inline(__always)
  public mutating func takeFiltered() -> Int {
    let n = filtered
    filtered = 0
    return n
  }

  /// Commits, and waits until everything that was sent is in the ring; the thread is given back meanwhile.
  ///
  /// Throws `CancellationError` where the task is cancelled while waiting, or once a ring where it never waits.
  @inlinable @inline(__always)
  public nonisolated(nonsending) mutating func flush() async throws(CancellationError) {
    commit()
    stockbus_prefetch_for_writing(base + (next & mask))
    if next == limit { try await drainSpill() }
    if next >= checkAt { try noticeCancellation() }
  }

  /// Sends one event and makes it visible, waiting for room: the form of a source that sends one at a time.
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

  /// Moves what stands aside into the ring. What is left when this throws stands aside still, and nothing may overtake it.
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

  /// Commits, and suspends until a quarter of the ring is free, so that the other side is woken for a good run. What stands aside
  /// goes first.
  @inline(never)
  public nonisolated(nonsending) mutating func waitForRoom() async throws(CancellationError) {
    try await drainSpill()
    if !_isPOD(E.self) {
      // The limit may have been a mere call to look.
      look()
      if next != limit { return }
    }
    try await waitInRing()
  }

  @usableFromInline
  nonisolated(nonsending) mutating func waitInRing() async throws(CancellationError) {
    commit()
    let want = next + max(1, (mask + 1) / 4)
    while true {
      limit = topic.limit(next: next)
      if limit >= want { return spinBudget.hadLuck() }
      if stop?.isCutOff == true || (!waitsWhenCancelled && Task.isCancelled) { throw CancellationError() }
      // A quarter of a ring takes a reader longer than one event takes it.
      if spinBudget.spins(times: 8) { continue }
      let target = topic.goal(next: next)
      topic.starved.pointee.store(target, ordering: .sequentiallyConsistent)
      topic.producer.fence()
      let hasRoom = topic.haveAllReached(target)
      spinBudget.gaveUp(inVain: !hasRoom)
      if hasRoom { continue }
      let parker = topic.producer
      // A cancelled task that waits all the same must not be woken by its cancellation: it would never give the thread back.
      if waitsWhenCancelled { await parker.sleep() } else { await parker.sleepCancellably() }
    }
  }
}
