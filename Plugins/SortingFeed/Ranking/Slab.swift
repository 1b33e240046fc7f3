internal import CMemoryBarrier

/// A growing array of plain values. This is the only file of the ranking that accesses memory by address.
///
/// Every index is checked, as in an array; a wrong one stops the program. An array also checks at every store whether its memory is shared,
/// which was measured to make updates a fifth to a half slower. That check is not needed here: this memory belongs to this value alone and
/// is freed with it.
struct Slab<Element: BitwiseCopyable>: ~Copyable {
  private var memory: UnsafeMutablePointer<Element>
  private var capacity = 0
  /// The number of slots; every index below it has a value.
  private(set) var count = 0

  init() {
    memory = Self.allocate(0)
  }

  deinit {
    UnsafeMutableRawPointer(memory).deallocate()
  }

  subscript(index: Int) -> Element {
    @inline(__always) get {
      precondition(has(index), "a slot that does not exist is read")
      return memory[index]
    }
    // `_modify` and not `set`, so that changing one property of a slot stores only that property.
    @inline(__always) _modify {
      precondition(has(index), "a slot that does not exist is written")
      yield &memory[index]
    }
  }

  /// The slot `index` of a row of 64: slots 0 to 63 are row 0, and so on. An index outside of the row wraps around within it, so that one
  /// check is enough for all slots of a row.
  subscript(row row: UInt32, index: Int) -> Element {
    @inline(__always) get {
      let first = Int(row) &* 64
      precondition(has(first &+ 63), "a row that does not exist is read")
      return memory[first &+ (index & 63)]
    }
    @inline(__always) _modify {
      let first = Int(row) &* 64
      precondition(has(first &+ 63), "a row that does not exist is written")
      yield &memory[first &+ (index & 63)]
    }
  }

  /// Prefetches the cache line of a slot; a hint, for which any index is allowed.
  @inline(__always)
  func prefetch(_ index: Int) {
    if has(index) { stockbus_prefetch(memory + index) }
  }

  // One comparison is enough: as an unsigned number a negative index is above every count.
  @inline(__always)
  private func has(_ index: Int) -> Bool { UInt(bitPattern: index) < UInt(bitPattern: count) }

  /// Adds slots with `value` until there are `newCount`; never shrinks. The capacity doubles, so that growing one by one takes amortised
  /// constant time.
  @inline(__always)
  mutating func extend(to newCount: Int, filling value: Element) {
    if newCount > count { grow(to: newCount, filling: value) }
  }

  @inline(never)
  private mutating func grow(to newCount: Int, filling value: Element) {
    reserve(newCount > capacity ? max(newCount, 2 * capacity) : capacity)
    (memory + count).initialize(repeating: value, count: newCount - count)
    count = newCount
  }

  /// Makes room for `newCapacity` slots, so that growing up to that number does not copy.
  mutating func reserve(_ newCapacity: Int) {
    guard newCapacity > capacity else { return }
    let larger = Self.allocate(newCapacity)
    larger.update(from: memory, count: count)
    UnsafeMutableRawPointer(memory).deallocate()
    memory = larger
    capacity = newCapacity
  }

  /// Copies `length` values from `source` on to `target` on; the two ranges may overlap.
  @inline(__always)
  mutating func move(_ length: Int, from source: Int, to target: Int) {
    precondition(length >= 0 && min(source, target) >= 0 && max(source, target) <= count - length, "a move leaves the slab")
    (memory + target).update(from: memory + source, count: length)
  }

  // Aligned to cache lines, so that a page whose size is a power of two never begins in the middle of one.
  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Element> {
    let bytes = max(capacity, 1) * MemoryLayout<Element>.stride
    return UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64).bindMemory(to: Element.self, capacity: capacity)
  }
}

extension Slab where Element: FixedWidthInteger {
  /// Adds `amount` to every slot of `range`, wrapping around.
  @inline(__always)
  mutating func add(_ amount: Element, to range: Range<Int>) {
    for index in range { self[index] &+= amount }
  }

  /// The last index of `range` whose value is at most `value`; the values ascend in `range`, and the first is at most `value`.
  func last(atMost value: Element, in range: Range<Int>) -> Int {
    var low = range.lowerBound
    var high = range.upperBound
    while high - low > 1 {
      let middle = (low + high) / 2
      if self[middle] <= value { low = middle } else { high = middle }
    }
    return low
  }
}
