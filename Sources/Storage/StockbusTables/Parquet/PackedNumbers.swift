/// Numbers packed into as few bits as the largest needs, the lowest bit first.
///
/// Source: Parquet format, Encodings: "Run Length Encoding / Bit-Packing Hybrid" and "Delta Encoding". Unsafe, because it writes by pointer
/// into space that was reserved for the worst case.
extension ByteBuffer {
  /// The bits that numbers up to `largest` need.
  static func width(of largest: UInt64) -> Int { 64 - largest.leadingZeroBitCount }

  /// Runs of equal numbers as one, others packed in groups of eight.
  mutating func putRuns(_ numbers: UnsafePointer<UInt32>, count: Int, width: Int) {
    var (start, at) = (0, 0)
    while at < count {
      let end = Self.runEnd(numbers, at, count)
      if end - at >= 8 {
        putPacked(numbers, start, at, width)
        varint(UInt64(end - at) << 1)
        putLittle(numbers[at], bytes: (width + 7) / 8)
        (at, start) = (end, end)
      } else {
        at += 8
      }
    }
    putPacked(numbers, start, count, width)
  }

  @inline(__always)
  private static func runEnd(_ numbers: UnsafePointer<UInt32>, _ start: Int, _ count: Int) -> Int {
    var end = start + 1
    while end < count, numbers[end] == numbers[start] { end += 1 }
    return end
  }

  private mutating func putLittle(_ number: UInt32, bytes: Int) {
    for i in 0..<bytes { append(UInt8(truncatingIfNeeded: number >> UInt32(8 * i))) }
  }

  /// The last group is filled up with zeros.
  private mutating func putPacked(_ numbers: UnsafePointer<UInt32>, _ start: Int, _ end: Int, _ width: Int) {
    guard end > start else { return }
    let groups = (end - start + 7) / 8
    varint(UInt64(groups) << 1 | 1)
    var out = room(groups * width + 8)
    var (word, bits) = (UInt64(0), UInt64(0))
    for i in start..<end {
      word |= UInt64(numbers[i]) &<< bits
      bits &+= UInt64(width)
      if bits >= 32 {
        out.storeBytes(of: UInt32(truncatingIfNeeded: word).littleEndian, as: UInt32.self)
        out += 4
        word &>>= 32
        bits &-= 32
      }
    }
    out.storeBytes(of: word.littleEndian, as: UInt64.self)
    // Zeros up to the end of the last group; the words above leave at most seven numbers of it.
    let written = ((end - start) * width + 7) / 8
    let size = groups * width
    let base = base + count
    for i in written..<max(written, size) { base.storeBytes(of: 0, toByteOffset: i, as: UInt8.self) }
    advance(size)
  }

  /// The definition levels of a page: 1 where a value is there.
  mutating func putLevels(_ present: UnsafePointer<UInt64>, rows: Int, missing: Int) {
    let head = count
    put(UInt32(0))
    if missing == 0 {
      varint(UInt64(rows) << 1)
      append(1)
    } else {
      varint(UInt64((rows + 7) / 8) << 1 | 1)
      putBits(UnsafeBufferPointer(start: present, count: (rows + 63) / 64), count: rows)
    }
    let size = UInt32(count - head - 4)
    replace(at: head, with: (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * UInt32($0))) })
  }

  private static let blockSize = 128
  private static let partSize = 32

  /// Differences from one number to the next, less the smallest of each block of 128, packed by 32 (DELTA_BINARY_PACKED).
  mutating func putDeltas(_ numbers: UnsafePointer<Int64>, count: Int) {
    varint(UInt64(Self.blockSize))
    varint(UInt64(Self.blockSize / Self.partSize))
    varint(UInt64(count))
    zigzag(count > 0 ? numbers[0] : 0)
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.blockSize) { deltas in
      guard let deltas = deltas.baseAddress else { return }
      var start = 1
      while start < count {
        let size = min(Self.blockSize, count - start)
        var smallest = Int64.max
        for i in 0..<size {
          // Differences wrap around, and so do the sums of the reader.
          let delta = numbers[start + i] &- numbers[start + i - 1]
          deltas[i] = UInt64(bitPattern: delta)
          smallest = min(smallest, delta)
        }
        for i in 0..<size { deltas[i] &-= UInt64(bitPattern: smallest) }
        for i in size..<Self.blockSize { deltas[i] = 0 }
        zigzag(smallest)
        putBlock(deltas, size)
        start += size
      }
    }
  }

  private mutating func putBlock(_ deltas: UnsafePointer<UInt64>, _ size: Int) {
    let parts = Self.blockSize / Self.partSize
    let widths = room(parts + Self.blockSize * 8 + 8)
    advance(parts)
    for part in 0..<parts {
      var all: UInt64 = 0
      for i in 0..<Self.partSize { all |= deltas[part * Self.partSize + i] }
      let width = Self.width(of: all)
      widths.storeBytes(of: UInt8(width), toByteOffset: part, as: UInt8.self)
      // Parts without numbers have no bytes; those with zeros only have none either.
      if part * Self.partSize < size { putWords(deltas + part * Self.partSize, UInt64(width)) }
    }
  }

  /// Packs 32 numbers of up to 64 bits into space that is there.
  @inline(__always)
  private mutating func putWords(_ numbers: UnsafePointer<UInt64>, _ width: UInt64) {
    var out = base + count
    var (word, bits) = (UInt64(0), UInt64(0))
    for i in 0..<Self.partSize {
      word |= numbers[i] &<< bits
      bits &+= width
      if bits >= 64 {
        out.storeBytes(of: word.littleEndian, as: UInt64.self)
        out += 8
        bits &-= 64
        // Not masked: the whole number was written if no bit of it is left.
        word = numbers[i] >> (width &- bits)
      }
    }
    out.storeBytes(of: word.littleEndian, as: UInt64.self)
    advance(Int(width) * Self.partSize / 8)
  }
}
