internal import CMemoryBarrier

/// A queue of entries of some words each, the first of which is a time. It has memory of its own, which doubles; the owner frees it.
struct Queue: BitwiseCopyable {
  private(set) var memory: UnsafeMutablePointer<Int64>?
  private(set) var capacity: UInt32 = 0
  private var head: UInt32 = 0
  private(set) var count: UInt32 = 0

  init() {}

  /// The words of the entry at a place.
  @inline(__always)
  func entry(_ place: UInt32, _ words: Int) -> UnsafeMutablePointer<Int64> {
    memory.unsafelyUnwrapped + Int((head &+ place) & (capacity &- 1)) &* words
  }

  /// The time of the entry at a place.
  @inline(__always)
  func time(_ place: UInt32, _ words: Int) -> Int64 { entry(place, words).pointee }

  /// Fetches the first entry and the place of the next one.
  @inline(__always)
  func prefetch(_ words: Int) {
    guard capacity > 0 else { return }
    stockbus_prefetch_for_writing(entry(0, words))
    stockbus_prefetch_for_writing(entry(count, words))
  }

  @inline(__always)
  mutating func dropFirst(_ entries: UInt32 = 1) {
    head = (head &+ entries) & (capacity &- 1)
    count &-= entries
  }

  @inline(__always)
  mutating func dropLast() { count &-= 1 }

  mutating func removeAll() { (head, count) = (0, 0) }

  @inline(__always) var isFull: Bool { count == capacity }

  /// The bytes by which the memory grows when the queue is full.
  func growth(_ words: Int) -> Int { Int(max(4, capacity)) * words * 8 }

  mutating func grow(_ words: Int) {
    let larger = capacity == 0 ? 4 : capacity * 2
    let fresh = UnsafeMutablePointer<Int64>.allocate(capacity: Int(larger) * words)
    // What leaves a sum without a branch reads behind the last entry too.
    fresh.initialize(repeating: 0, count: Int(larger) * words)
    for i in 0..<count { (fresh + Int(i) * words).update(from: entry(i, words), count: words) }
    memory?.deallocate()
    (memory, capacity, head) = (fresh, larger, 0)
  }

  /// Opens a gap before a place; the queue is not full.
  @inline(__always)
  mutating func insert(at place: UInt32, _ words: Int) -> UnsafeMutablePointer<Int64> {
    count &+= 1
    if place < count &- 1 { shift(from: place, words) }
    return entry(place, words)
  }

  /// Opens a gap for an entry by its time, behind those of the same time; the queue is not full.
  @inline(__always)
  mutating func insert(_ time: Int64, _ words: Int) -> UnsafeMutablePointer<Int64> {
    if count > 0, self.time(count &- 1, words) > time { return insertLate(time, words) }
    count &+= 1
    return entry(count &- 1, words)
  }

  @inline(never)
  private mutating func insertLate(_ time: Int64, _ words: Int) -> UnsafeMutablePointer<Int64> {
    insert(at: latePlace(for: time, words), words)
  }

  /// Moves the entries from `place` on by one, in runs of adjacent ones.
  @inline(never)
  private func shift(from place: UInt32, _ words: Int) {
    let memory = memory.unsafelyUnwrapped
    var to = count - 1
    while to > place {
      let (last, target) = ((head &+ to &- 1) & (capacity &- 1), (head &+ to) & (capacity &- 1))
      let run = min(to - place, last + 1, target + 1)
      (memory + Int(target + 1 - run) * words).update(from: memory + Int(last + 1 - run) * words, count: Int(run) * words)
      to -= run
    }
  }

  /// The place behind the entries that are not later than `time`.
  @inline(__always)
  func place(for time: Int64, _ words: Int) -> UInt32 {
    if count == 0 || self.time(count &- 1, words) <= time { return count }
    return latePlace(for: time, words)
  }

  @inline(never)
  private func latePlace(for time: Int64, _ words: Int) -> UInt32 {
    // Most late events are not very late.
    var (low, high) = (UInt32(0), count - 1)
    var step: UInt32 = 1
    while high > step {
      if self.time(high - step, words) <= time {
        low = high - step + 1
        break
      }
      high -= step
      step *= 2
    }
    while low < high {
      let middle = (low + high) / 2
      if self.time(middle, words) <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Removes `entries` entries before `place`.
  mutating func remove(_ entries: UInt32, before place: UInt32, _ words: Int) {
    var i = place
    while i < count {
      entry(i &- entries, words).update(from: entry(i, words), count: words)
      i &+= 1
    }
    count &-= entries
  }
}
