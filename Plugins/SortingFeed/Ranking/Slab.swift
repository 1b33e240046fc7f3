internal import CMemoryBarrier

/// A growing row of plain values: the only file of the ranking that touches memory by address.
///
/// Every index is checked, as in an array; a wrong one stops the program. What an array does besides, asking at every
/// store whether it shares its memory, was measured to make updates a fifth to a half slower, for nothing: this memory
/// belongs to this value alone and is freed with it.
struct Slab<Element: BitwiseCopyable>: ~Copyable {
  private var memory: UnsafeMutablePointer<Element>
  private var capacity = 0
  /// How many slots exist; every index below it holds a value.
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
    // Not `set`: changing one property of a slot then stores that one, not the whole slot.
    @inline(__always) _modify {
      precondition(has(index), "a slot that does not exist is written")
      yield &memory[index]
    }
  }

  /// The slot `index` of a row of 64: slots 0 to 63 are row 0, and so on. An index that leads out of the row wraps around within it, so
  /// that one check answers for all slots of a row.
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

  /// Asks for the cache line of a slot that will be wanted soon; a hint, for which any index will do.
  @inline(__always)
  func prefetch(_ index: Int) {
    if has(index) { stockbus_prefetch(memory + index) }
  }

  // One comparison: as an unsigned number a negative index is above every count.
  @inline(__always)
  private func has(_ index: Int) -> Bool { UInt(bitPattern: index) < UInt(bitPattern: count) }

  /// Adds slots holding `value` until there are `newCount` of them; never shrinks. The capacity doubles, so that growing
  /// one by one costs a constant each.
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

  /// Makes room for `newCapacity` slots, so that growing up to there moves nothing.
  mutating func reserve(_ newCapacity: Int) {
    guard newCapacity > capacity else { return }
    let larger = Self.allocate(newCapacity)
    larger.update(from: memory, count: count)
    UnsafeMutableRawPointer(memory).deallocate()
    memory = larger
    capacity = newCapacity
  }

  /// Copies `length` values from `source` on to `target` on; the two stretches may overlap.
  @inline(__always)
  mutating func move(_ length: Int, from source: Int, to target: Int) {
    precondition(length >= 0 && min(source, target) >= 0 && max(source, target) <= count - length, "a move leaves the slab")
    (memory + target).update(from: memory + source, count: length)
  }

  // Whole cache lines: a page of a power of two slots then never begins in the middle of one.
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

  /// The last index of `range` whose value is at most `value`; the values rise along `range` and the first is at most
  /// `value`.
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
