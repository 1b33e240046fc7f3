/// Memory for values that cannot be used in place. It moves only when `reserve` needs more room.
///
/// Unsafe inside because values in it are accessed by pointer, like those in the reader's block.
struct Scratch: ~Copyable {
  private(set) var base: UnsafeMutablePointer<UInt8>
  private(set) var count = 0
  private var capacity = 256

  init() { base = Self.allocate(256) }

  deinit { base.deallocate() }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UInt8> {
    let base = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + LineReader.slack)
    base.initialize(repeating: 10, count: capacity + LineReader.slack)
    return base
  }

  mutating func clear() { count = 0 }

  /// Makes room for `more` bytes; pointers into the memory are invalid afterwards.
  mutating func reserve(_ more: Int) {
    if count + more <= capacity { return }
    let bigger = max(capacity * 2, count + more)
    let fresh = Self.allocate(bigger)
    fresh.update(from: base, count: count)
    base.deallocate()
    base = fresh
    capacity = bigger
  }

  /// Appends the bytes that `body` writes at the pointer; `body` returns their number, for which there must be room.
  mutating func append(_ body: (UnsafeMutablePointer<UInt8>) -> Int) { count += body(base + count) }

  /// Appends one byte; there must be room.
  @inline(always)
  mutating func put(_ byte: UInt8) {
    base[count] = byte
    count += 1
  }
}
