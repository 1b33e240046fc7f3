/// Events that found the ring full, in the order they were sent; empty but for moments of back-pressure.
///
/// It hands out places instead of taking events, so that whoever sends builds an event where it belongs, in the ring or here, and
/// nothing is copied on the way.
///
/// It has no limit of its own, because what stands here is what one run of a component has sent: nothing more is read before it has gone into
/// the ring (`flush`). A run is at most as many events as there was room for, and their texts at most its input's budget; a source is
/// held by its own `flush` and `publish`. What a component makes of one event is its own business, as the memory it takes is.
///
/// Inlinable, because in generic code each of its steps would look types up.
///
/// Unsafe because a place is handed out before it is written: the caller of `append` initialises it before anything else is asked.
@usableFromInline
struct Spill<E>: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<E>?
  @usableFromInline var capacity = 0
  /// Events before `first` were taken out again.
  @usableFromInline var first = 0
  @usableFromInline var end = 0

  @inlinable init() {}

  @inlinable
  deinit {
    guard let base else { return }
    (base + first).deinitialize(count: end - first)
    base.deallocate()
  }

  @inlinable var count: Int { end - first }
  @inlinable var isEmpty: Bool { first == end }

  /// The place of one more event, which the caller initialises.
  @inlinable
  mutating func append() -> UnsafeMutablePointer<E> {
    if end == capacity { grow() }
    end += 1
    return base.unsafelyUnwrapped + (end - 1)
  }

  /// Moves the oldest events, at most `count`, to where nothing is initialised. Answers how many.
  @inlinable
  mutating func move(to target: UnsafeMutablePointer<E>, atMost count: Int) -> Int {
    let n = min(count, end - first)
    guard n > 0, let base else { return 0 }
    target.moveInitialize(from: base + first, count: n)
    first += n
    if isEmpty { (first, end) = (0, 0) }
    return n
  }

  /// Forgets everything; the memory stays.
  @inlinable
  mutating func removeAll() {
    if let base { (base + first).deinitialize(count: end - first) }
    (first, end) = (0, 0)
  }

  @inlinable @inline(never)
  mutating func grow() {
    let bigger = UnsafeMutablePointer<E>.allocate(capacity: max(64, 2 * capacity))
    if let base {
      bigger.moveInitialize(from: base + first, count: end - first)
      base.deallocate()
    }
    (first, end) = (0, end - first)
    capacity = max(64, 2 * capacity)
    base = bigger
  }
}
