/// Memory for values that cannot be taken as they lie; it keeps what it has and moves only when asked to make room.
///
/// Unsafe inside because values in it are handed out by pointer, like those in the reader's block.
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

  /// Makes room for `more` bytes; pointers into it are void afterwards.
  mutating func reserve(_ more: Int) {
    if count + more <= capacity { return }
    let bigger = max(capacity * 2, count + more)
    let fresh = Self.allocate(bigger)
    fresh.update(from: base, count: count)
    base.deallocate()
    base = fresh
    capacity = bigger
  }

  /// What `body` writes from the pointer on, for which room must have been made; it answers how many bytes.
  mutating func append(_ body: (UnsafeMutablePointer<UInt8>) -> Int) { count += body(base + count) }

  /// One byte; room must have been made.
  @inline(always)
  mutating func put(_ byte: UInt8) {
    base[count] = byte
    count += 1
  }
}
