public import MarketData

/// Records on their way into a file: their bytes, and where each ends, so that a file that breaks off knows how many it has.
public struct RecordText: ~Copyable {
  /// A record is written here, with its line end; then `endRecord` is called.
  public var bytes: ByteWriter
  @usableFromInline var ends: [Int] = []

  public init(capacity: Int = 4096) { bytes = ByteWriter(capacity: capacity) }

  /// Whole records.
  public var count: Int { ends.count }

  /// What was written since the last record's end is a record.
  @inlinable
  public mutating func endRecord() { ends.append(bytes.count) }

  /// Forgets what was written and keeps the memory.
  @inlinable
  public mutating func clear() {
    bytes.clear()
    ends.removeAll(keepingCapacity: true)
  }
}
