package import MarketData

/// Records to be written to a file: their bytes and the end of each, which show how many records an incomplete write has written.
///
/// Unsafe inside: the ends are in memory of its own, because an array checks at every append whether it is shared, which took as long as
/// writing a field. Unchecked because that memory belongs to this value alone, which cannot be copied.
package struct RecordText: ~Copyable, @unchecked Sendable {
  /// The buffer into which each record is written, with its line end, and then ended by `endRecord`.
  package var bytes: ByteWriter
  @usableFromInline var ends: UnsafeMutablePointer<Int>
  @usableFromInline var room: Int
  @usableFromInline var ended = 0

  package init(capacity: Int = 4096) {
    bytes = ByteWriter(capacity: capacity)
    room = 16
    ends = .allocate(capacity: room)
  }

  deinit { ends.deallocate() }

  /// The number of complete records.
  package var count: Int { ended }

  /// Ends a record: it consists of the bytes since the end of the previous one.
  @inlinable @inline(__always)
  package mutating func endRecord() {
    if ended == room { grow() }
    (ends + ended).initialize(to: bytes.count)
    ended &+= 1
  }

  /// The positions at which the records end.
  var allEnds: UnsafeBufferPointer<Int> { UnsafeBufferPointer(start: ends, count: ended) }

  @usableFromInline @inline(never)
  mutating func grow() {
    let larger = UnsafeMutablePointer<Int>.allocate(capacity: room * 2)
    larger.moveInitialize(from: ends, count: ended)
    ends.deallocate()
    ends = larger
    room *= 2
  }

  /// Discards the records and keeps the memory.
  package mutating func clear() {
    bytes.clear()
    ended = 0
  }
}
