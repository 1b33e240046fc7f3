/// A growing row of plain values: the only file of the ranking that touches memory by address.
///
/// An array would do the same, but checks bounds and uniqueness at every store; an update makes some hundred stores, and
/// those checks double its cost. Here the bounds are asserted in debug builds, where the tests run, and left out in
/// release. The memory belongs to this value alone and is freed with it.
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
      assert(index >= 0 && index < count, "a slot that does not exist is read")
      return memory[index]
    }
    @inline(__always) set {
      assert(index >= 0 && index < count, "a slot that does not exist is written")
      memory[index] = newValue
    }
  }

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
    assert(length >= 0 && min(source, target) >= 0 && max(source, target) + length <= count, "a move leaves the slab")
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
