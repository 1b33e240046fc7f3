internal import CMemoryBarrier

/// A growing array of plain values in its own memory. This is the only file of the plugin that reads or writes memory by address.
///
/// Every index is checked, as in an array; a wrong one stops the program. An array also checks at every store whether its memory is shared,
/// which this memory never is.
struct Table<Element: BitwiseCopyable>: ~Copyable {
  private var memory: UnsafeMutablePointer<Element>
  private var capacity = 0
  /// The number of slots; every index below it has a value.
  private(set) var count = 0

  init() { memory = Self.allocate(0) }

  deinit { UnsafeMutableRawPointer(memory).deallocate() }

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

  /// Prefetches the cache lines of a slot that will be read and written soon; a hint, for which any index is allowed.
  @inline(__always)
  func prefetch(_ index: Int) {
    guard has(index) else { return }
    let slot = UnsafeRawPointer(memory + index)
    for line in stride(from: 0, to: MemoryLayout<Element>.stride, by: 64) { stockbus_prefetch(slot + line) }
  }

  // One comparison is enough: as an unsigned number a negative index is above every count.
  @inline(__always)
  func has(_ index: Int) -> Bool { UInt(bitPattern: index) < UInt(bitPattern: count) }

  /// Adds slots with `value` until there are `newCount`; never shrinks. The capacity doubles, so that growing one by one takes amortised
  /// constant time.
  mutating func extend(to newCount: Int, filling value: Element) {
    if newCount <= count { return }
    if newCount > capacity {
      capacity = max(newCount, 2 * capacity, 16)
      let larger = Self.allocate(capacity)
      larger.update(from: memory, count: count)
      UnsafeMutableRawPointer(memory).deallocate()
      memory = larger
    }
    (memory + count).initialize(repeating: value, count: newCount - count)
    count = newCount
  }

  /// Puts a value before the slot `index`, or behind the last one.
  mutating func insert(_ value: Element, at index: Int) {
    extend(to: count + 1, filling: value)
    for slot in stride(from: count - 1, to: index, by: -1) { self[slot] = self[slot - 1] }
    self[index] = value
  }

  /// Takes the last slot away.
  mutating func removeLast() {
    precondition(count > 0, "a slot that does not exist is removed")
    count -= 1
  }

  // Aligned to cache lines, so that a bar's 128 bytes are two lines and not three.
  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Element> {
    let bytes = max(capacity, 1) * MemoryLayout<Element>.stride
    return UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64).bindMemory(to: Element.self, capacity: capacity)
  }
}
