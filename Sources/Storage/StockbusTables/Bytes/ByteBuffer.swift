internal import LibC

/// Bytes that grow at their end.
///
/// Unsafe memory, since the writers fill it by pointer: `room` gives space, `advance` says how much of it was used.
struct ByteBuffer: ~Copyable {
  private(set) var base: UnsafeMutableRawPointer
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int = 1024) {
    self.capacity = max(16, capacity)
    base = .allocate(byteCount: self.capacity, alignment: 64)
  }

  deinit { base.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  mutating func clear() { count = 0 }
  mutating func truncate(to size: Int) { count = min(count, size) }

  /// Space for so many bytes behind the last one.
  @inline(__always)
  mutating func room(_ more: Int) -> UnsafeMutableRawPointer {
    if capacity - count < more { grow(more) }
    return base + count
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 64)
    memcpy(larger, base, count)
    base.deallocate()
    base = larger
  }

  @inline(__always)
  mutating func advance(_ more: Int) { count += more }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    room(1).storeBytes(of: byte, as: UInt8.self)
    count += 1
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    memcpy(room(bytes.count), start, bytes.count)
    count += bytes.count
  }

  mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

  /// Writes the lowest byte first.
  @inline(__always)
  mutating func put<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
    room(MemoryLayout<Number>.size).storeBytes(of: number.littleEndian, as: Number.self)
    count += MemoryLayout<Number>.size
  }

  mutating func zeros(_ number: Int) {
    memset(room(number), 0, number)
    count += number
  }

  mutating func pad(to multiple: Int) { zeros((multiple - count % multiple) % multiple) }

  /// Seven bits a byte, the lowest first (ULEB128).
  mutating func varint(_ number: UInt64) {
    var rest = number
    while rest > 127 {
      append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  mutating func zigzag(_ number: Int64) { varint(UInt64(bitPattern: number << 1 ^ number >> 63)) }

  /// Overwrites bytes that were written earlier.
  mutating func replace(at offset: Int, with bytes: [UInt8]) {
    precondition(offset + bytes.count <= count)
    bytes.withUnsafeBytes { if let start = $0.baseAddress { memcpy(base + offset, start, bytes.count) } }
  }

  /// Gives the buffer this size, with bytes that the caller sets.
  mutating func resize(to size: Int) {
    count = 0
    _ = room(size)
    count = size
  }

  var writable: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: base, count: count) }
}
