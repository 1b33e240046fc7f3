public import MarketData

/// Records on their way into a file: their bytes, and where each ends, so that a file that breaks off knows how many it has.
///
/// Unsafe inside: the ends are memory of its own. An array asks at every end whether somebody shares it, which took as long as writing
/// a field does. Unchecked because that memory belongs to this value alone, which cannot be copied: who has it is the only one to touch it.
public struct RecordText: ~Copyable, @unchecked Sendable {
  /// A record is written here, with its line end; then `endRecord` is called.
  public var bytes: ByteWriter
  @usableFromInline var ends: UnsafeMutablePointer<Int>
  @usableFromInline var room: Int
  @usableFromInline var ended = 0

  public init(capacity: Int = 4096) {
    bytes = ByteWriter(capacity: capacity)
    room = 16
    ends = .allocate(capacity: room)
  }

  deinit { ends.deallocate() }

  /// Whole records.
  public var count: Int { ended }

  /// What was written since the last record's end is a record.
  @inlinable
  public mutating func endRecord() {
    if ended == room { grow() }
    (ends + ended).initialize(to: bytes.count)
    ended &+= 1
  }

  /// Where the records end.
  var allEnds: UnsafeBufferPointer<Int> { UnsafeBufferPointer(start: ends, count: ended) }

  @usableFromInline @inline(never)
  mutating func grow() {
    let larger = UnsafeMutablePointer<Int>.allocate(capacity: room * 2)
    larger.moveInitialize(from: ends, count: ended)
    ends.deallocate()
    ends = larger
    room *= 2
  }

  /// Forgets what was written and keeps the memory.
  public mutating func clear() {
    bytes.clear()
    ended = 0
  }
}
