/// Bytes being written: `reserve` room for a whole record, then unchecked stores into it.
///
/// Unsafe inside because a checked append costs more than the digits it writes. Every `put` without its own `reserve` says how
/// many bytes the caller must have reserved.
public struct ByteWriter: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<UInt8>
  /// Bytes written so far; only the `put` functions move it.
  public var count = 0
  @usableFromInline var capacity: Int
  /// The last second of a time that was written.
  var second = SecondText()

  public init(capacity: Int = 4096) {
    base = .allocate(capacity: max(64, capacity))
    self.capacity = max(64, capacity)
  }

  deinit { base.deallocate() }

  /// Makes room for `n` more bytes.
  @inlinable @inline(__always)
  public mutating func reserve(_ n: Int) { if count &+ n > capacity { grow(n) } }

  @usableFromInline
  mutating func grow(_ n: Int) {
    let bigger = max(capacity * 2, count + n)
    let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: bigger)
    fresh.update(from: base, count: count)
    base.deallocate()
    base = fresh
    capacity = bigger
  }

  /// Forgets what was written and keeps the memory.
  public mutating func clear() { count = 0 }

  /// Forgets what was written after the first `count` bytes.
  public mutating func truncate(to count: Int) { self.count = max(0, min(self.count, count)) }

  /// Lends what was written.
  @inlinable
  public borrowing func withBytes<R, E: Error>(_ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R) throws(E) -> R {
    try body(UnsafeBufferPointer(start: base, count: count))
  }

  /// What was written, as text.
  public var string: String { String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self) }

  /// One byte; reserve 1.
  @inlinable @inline(__always)
  public mutating func put(_ byte: UInt8) {
    base[count] = byte
    count &+= 1
  }

  /// These bytes; reserve as many.
  @inlinable @inline(__always)
  public mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress else { return }
    (base + count).update(from: start, count: bytes.count)
    count &+= bytes.count
  }

  /// These bytes, copied in chunks of 16; reserve as many as there are, and 15 more.
  ///
  /// The memory they stand in must go on to the end of the last chunk, of one chunk at least: it is copied too, and written over by what
  /// comes next.
  @inlinable @inline(__always)
  public mutating func put(padded bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = UnsafeRawPointer(bytes.baseAddress) else { return }
    let target = UnsafeMutableRawPointer(base + count)
    var done = 0
    repeat {
      target.storeBytes(of: source.loadUnaligned(fromByteOffset: done, as: SIMD16<UInt8>.self), toByteOffset: done, as: SIMD16<UInt8>.self)
      done &+= 16
    } while done < bytes.count
    count &+= bytes.count
  }

  /// These bytes, with their own room.
  public mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    reserve(bytes.count)
    put(bytes)
  }

  /// What `body` writes from the pointer on, at most `n` bytes; it answers how many. Makes its own room.
  @inlinable
  public mutating func append(upTo n: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
    reserve(n)
    count &+= body(base + count)
  }

  /// This text, with its own room.
  public mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }
}

extension ByteWriter {
  /// Writes over a byte that was written before.
  @inlinable
  public mutating func replace(at index: Int, with byte: UInt8) {
    precondition(index >= 0 && index < count, "nothing was written there")
    base[index] = byte
  }

  /// Puts a byte before one that was written, or at the end; makes its own room.
  public mutating func insert(_ byte: UInt8, at index: Int) {
    precondition(index >= 0 && index <= count, "nothing was written there")
    reserve(1)
    (base + index + 1).update(from: base + index, count: count - index)
    base[index] = byte
    count &+= 1
  }
}
