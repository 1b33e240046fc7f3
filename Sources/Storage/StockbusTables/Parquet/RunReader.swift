/// Reads numbers of a fixed width in bits, in runs of equal ones or packed.
///
/// Source: Parquet format, Encodings: "Run Length Encoding / Bit-Packing Hybrid". Unsafe memory: it points into a page that its owner keeps.
struct RunReader {
  private var cursor: ByteCursor
  private let width: Int
  private var left = 0
  private var value: UInt32 = 0
  /// The bytes of a packed run, and the next bit in it.
  private var packed: UnsafeRawBufferPointer?
  private var bit = 0

  /// - Parameter width: 0 to 32.
  init(_ bytes: UnsafeRawBufferPointer, width: Int) {
    cursor = ByteCursor(bytes)
    self.width = width
  }

  /// The next numbers; throws if there are fewer.
  mutating func read(into out: UnsafeMutablePointer<UInt32>, count: Int) throws(TableError) {
    var done = 0
    while done < count {
      if left == 0 { try nextRun() }
      let part = min(left, count - done)
      if let packed {
        unpack(packed, into: out + done, count: part)
      } else {
        (out + done).update(repeating: value, count: part)
      }
      left -= part
      done += part
    }
  }

  /// Equal numbers, if the next so many are: saves writing them one by one.
  mutating func run(of count: Int) throws(TableError) -> UInt32? {
    if left == 0 { try nextRun() }
    guard packed == nil, left >= count else { return nil }
    left -= count
    return value
  }

  private mutating func nextRun() throws(TableError) {
    while left == 0 {
      let head = try cursor.varint()
      guard let count = Int(exactly: head >> 1), count <= 1 << 40 else { throw TableError("a run has too many numbers") }
      if head & 1 == 0 {
        packed = nil
        value = 0
        for i in 0..<(width + 7) / 8 { value |= UInt32(try cursor.byte()) << UInt32(8 * i) }
        left = count
      } else {
        // Some writers leave out the unused end of the last group.
        let bytes = try cursor.take(min(count * width, cursor.left))
        packed = bytes
        bit = 0
        left = width == 0 ? count * 8 : min(count * 8, bytes.count * 8 / width)
        if left == 0, count > 0 { throw ByteCursor.short }
      }
    }
  }

  private mutating func unpack(_ bytes: UnsafeRawBufferPointer, into out: UnsafeMutablePointer<UInt32>, count: Int) {
    let mask = width == 32 ? UInt64(UInt32.max) : 1 << UInt64(width) - 1
    var bit = bit
    for i in 0..<count {
      let at = bit >> 3
      var word: UInt64 = 0
      if at &+ 8 <= bytes.count {
        word = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      } else {
        for k in 0..<max(0, bytes.count - at) { word |= UInt64(bytes[at + k]) << UInt64(8 * k) }
      }
      out[i] = UInt32(truncatingIfNeeded: word &>> UInt64(bit & 7) & mask)
      bit &+= width
    }
    self.bit = bit
  }
}

/// Reads numbers that are stored as differences (DELTA_BINARY_PACKED). Sums wrap around, as the differences of the writer do.
struct DeltaReader {
  private(set) var cursor: ByteCursor
  /// The numbers, as the data says.
  let total: Int
  private let partSize: Int
  private var widths: UnsafeRawBufferPointer
  private let parts: Int
  private var part: Int
  private var packed: UnsafeRawBufferPointer
  private var width = 0
  private var bit = 0
  /// Numbers left in the part, and of all.
  private var partLeft = 0
  private var left: Int
  private var next: Int64
  private var smallest: Int64 = 0
  private var isFirst = true

  init(_ bytes: UnsafeRawBufferPointer) throws(TableError) {
    cursor = ByteCursor(bytes)
    let (block, parts) = (try cursor.varint(), try cursor.varint())
    let total = try cursor.varint()
    guard block > 0, block <= 1 << 20, parts > 0, parts <= block, block % parts == 0, block / parts % 8 == 0, total <= 1 << 40 else {
      throw TableError("the differences of a page are malformed")
    }
    self.parts = Int(parts)
    partSize = Int(block / parts)
    part = self.parts
    self.total = Int(total)
    left = self.total
    next = try cursor.zigzag()
    (widths, packed) = (UnsafeRawBufferPointer(start: nil, count: 0), UnsafeRawBufferPointer(start: nil, count: 0))
  }

  mutating func read(into out: UnsafeMutablePointer<Int64>, count: Int) throws(TableError) {
    guard count <= left else { throw ByteCursor.short }
    left -= count
    var done = 0
    if isFirst, count > 0 {
      isFirst = false
      out[0] = next
      done = 1
    }
    while done < count {
      if partLeft == 0 { try nextPart() }
      let size = min(partLeft, count - done)
      unpack(into: out + done, count: size)
      partLeft -= size
      done += size
    }
  }

  /// Moves behind all numbers, without their values.
  mutating func skipAll() throws(TableError) {
    var rest = left - (isFirst ? 1 : 0)
    rest -= partLeft
    while rest > 0 {
      try nextPart()
      rest -= partSize
    }
    left = 0
  }

  private mutating func nextPart() throws(TableError) {
    if part == parts {
      smallest = try cursor.zigzag()
      widths = try cursor.take(parts)
      part = 0
    }
    width = Int(widths[part])
    guard width <= 64 else { throw TableError("the differences of a page are malformed") }
    part += 1
    packed = try cursor.take(width * partSize / 8)
    (bit, partLeft) = (0, partSize)
  }

  private mutating func unpack(into out: UnsafeMutablePointer<Int64>, count: Int) {
    var (bit, next) = (bit, next)
    let mask = width == 64 ? UInt64.max : 1 << UInt64(width) - 1
    for i in 0..<count {
      let (at, shift) = (bit >> 3, UInt64(bit & 7))
      var word: UInt64 = 0
      if at &+ 9 <= packed.count {
        word = packed.loadUnaligned(fromByteOffset: at, as: UInt64.self) &>> shift
        // A number of more than 56 bits may reach into a ninth byte.
        if shift > 0 { word |= UInt64(packed[at + 8]) &<< (64 - shift) }
      } else {
        for k in 0..<min(9, max(0, packed.count - at)) {
          let byte = UInt64(packed[at + k])
          word |= k == 0 ? byte >> shift : byte << (UInt64(8 * k) - shift)
        }
      }
      next = next &+ smallest &+ Int64(bitPattern: word & mask)
      out[i] = next
      bit &+= width
    }
    (self.bit, self.next) = (bit, next)
  }
}
