public import CMemoryBarrier
public import Synchronization

/// The writing end of a topic, for exactly one component.
///
/// `send` never waits: it writes into the ring, or aside where the ring is full. Nothing is seen downstream before `commit`, so
/// that a run that throws can be rolled back. `flush` and `publish` are where back-pressure suspends.
///
/// Unchecked because it writes the topic's raw memory; being non-copyable and lent, there is one of it at a time.
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
  @usableFromInline var spill: ContiguousArray<E> = []
  /// Events of the present run that the component has filtered out.
  @usableFromInline var filtered = 0

  /// True where a cancelled task still gets everything it sent into the ring before it is told: a graceful stop loses nothing.
  /// Only the parker's `release` then ends the waiting.
  @usableFromInline let waitsWhenCancelled: Bool

  /// The writing end of `topic`; there must be no other at the same time.
  public init(_ topic: Topic<E>, waitsWhenCancelled: Bool = false) {
    self.topic = topic
    self.waitsWhenCancelled = waitsWhenCancelled
    base = topic.base
    mask = topic.mask
    head = topic.head
    attention = topic.attention
    next = topic.head.pointee.load(ordering: .relaxed)
    committed = next
    checkAt = next + topic.capacity
    limit = topic.limit(next: next)
  }

  /// How many events were sent and may be seen.
  public var published: Int { committed }

  /// Free slots now; none while something stands aside.
  @inlinable
  public mutating func room() -> Int {
    if limit &- next < max(1, (mask &+ 1) / 4), spill.isEmpty { limit = topic.limit(next: next) }
    return limit &- next
  }

  /// Sends one event; downstream sees it at the next commit.
  @inlinable @inline(__always)
  public mutating func send(_ event: E) {
    if next == limit { return sendAside(event) }
    write(event)
  }

  /// Sends a run.
  @inlinable
  public mutating func send(contentsOf run: Span<E>) {
    var done = 0
    if _isPOD(E.self) {
      run.withUnsafeBufferPointer { source in
        while done < source.count, next < limit {
          let i = next & mask
          let k = min(source.count &- done, mask &+ 1 &- i, limit &- next)
          (base + i).update(from: source.baseAddress.unsafelyUnwrapped + done, count: k)
          next &+= k
          done &+= k
        }
      }
    }
    while done < run.count {
      send(run[done])
      done &+= 1
    }
  }

  /// Says that `n` events of the present run were left out on purpose: the ledger counts them as filtered, not as delivered.
  @inlinable @inline(__always)
  public mutating func filter(_ n: Int = 1) { filtered &+= n }

  @inlinable @inline(__always)
  mutating func write(_ event: E) {
    let slot = base + (next & mask)
    if _isPOD(E.self) {
      slot.initialize(to: event)
    } else if next < topic.initialized {
      slot.pointee = event
    } else {
      slot.initialize(to: event)
      topic.initialized = next < mask ? next &+ 1 : Int.max
    }
    next &+= 1
  }

  @usableFromInline @inline(never)
  mutating func sendAside(_ event: E) {
    if spill.isEmpty {
      limit = topic.limit(next: next)
      if next != limit { return write(event) }
    }
    spill.append(event)
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
    spill.removeAll(keepingCapacity: true)
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
    if !spill.isEmpty { try await drainSpill() }
    if next >= checkAt { try noticeCancellation() }
  }

  /// Sends one event and makes it visible, waiting for room: the form of a source that sends one at a time.
  @inlinable @inline(__always)
  public nonisolated(nonsending) mutating func publish(_ event: E) async throws(CancellationError) {
    if next == limit { try await waitForRoom() }
    write(event)
    commit()
    if next >= checkAt { try noticeCancellation() }
  }

  @usableFromInline @inline(never)
  mutating func noticeCancellation() throws(CancellationError) {
    checkAt = next &+ mask &+ 1
    if Task.isCancelled { throw CancellationError() }
  }

  @usableFromInline @inline(never)
  nonisolated(nonsending) mutating func drainSpill() async throws(CancellationError) {
    var i = 0
    while i < spill.count {
      if next == limit {
        do { try await waitInRing() } catch {
          // What is in the ring was sent; the rest stands aside still, and nothing may overtake it.
          spill.removeFirst(i)
          limit = next
          throw error
        }
      }
      write(spill[i])
      i += 1
    }
    spill.removeAll(keepingCapacity: true)
    commit()
  }

  /// Commits, and suspends until a quarter of the ring is free, so that the other side is woken for a good run. What stands aside
  /// goes first.
  @inline(never)
  public nonisolated(nonsending) mutating func waitForRoom() async throws(CancellationError) {
    if !spill.isEmpty { try await drainSpill() }
    try await waitInRing()
  }

  private nonisolated(nonsending) mutating func waitInRing() async throws(CancellationError) {
    commit()
    let want = next + max(1, (mask + 1) / 4)
    let target = want - mask - 1
    var spins = 0
    while true {
      limit = topic.limit(next: next)
      if limit >= want { return }
      if topic.producer.isReleased || (!waitsWhenCancelled && Task.isCancelled) { throw CancellationError() }
      spins += 1
      if spins < 50 {
        for _ in 0..<8 { stockbus_pause() }
        continue
      }
      topic.starved.pointee.store(target, ordering: .sequentiallyConsistent)
      topic.producer.fence()
      if topic.haveAllReached(target) { continue }
      let parker = topic.producer
      // A cancelled task that waits all the same must not be woken by its cancellation: it would never give the thread back.
      if waitsWhenCancelled {
        await parker.sleep()
        continue
      }
      await withTaskCancellationHandler {
        await parker.sleep()
      } onCancel: {
        parker.wake()
      }
    }
  }
}
