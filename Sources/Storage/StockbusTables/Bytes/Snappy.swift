/// Reads Snappy's block format, which many Parquet files use.
///
/// Source: Snappy format description. Unsafe, because it copies by pointer; every length is checked against both ends.
enum Snappy {
  private static let wrong = TableError("the compressed data is malformed")

  /// Fills `out`; throws if the data has not exactly its size.
  static func decompress(_ bytes: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer) throws(TableError) {
    var cursor = ByteCursor(bytes)
    guard try cursor.varint() == UInt64(out.count) else { throw wrong }
    var at = 0
    while cursor.left > 0 {
      let tag = Int(try cursor.byte())
      var (length, distance) = (tag >> 2 + 1, 0)
      switch tag & 3 {
      case 0:
        if length > 60 {
          // The length itself, less one, in the next one to four bytes.
          let size = length - 60
          length = 0
          for i in 0..<size { length |= Int(try cursor.byte()) << (8 * i) }
          length += 1
        }
        let literal = try cursor.take(length)
        guard length <= out.count - at else { throw wrong }
        UnsafeMutableRawBufferPointer(rebasing: out[at..<at + length]).copyMemory(from: literal)
        at += length
        continue
      case 1:
        length = (tag >> 2 & 7) + 4
        distance = (tag >> 5) << 8 | Int(try cursor.byte())
      case 2: distance = Int(try cursor.little(UInt16.self))
      default: distance = Int(try cursor.little(UInt32.self))
      }
      guard distance > 0, distance <= at, length <= out.count - at else { throw wrong }
      // Byte by byte where the copy overlaps what it copies, which repeats it.
      for i in at..<at + length { out[i] = out[i - distance] }
      at += length
    }
    guard at == out.count else { throw wrong }
  }
}
