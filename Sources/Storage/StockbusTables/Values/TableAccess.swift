/// A file that is read.
package struct TableSource {
  /// The bytes of the file; asked for again when a reader is, since a stream may grow.
  package let length: () throws -> Int
  /// Fills the buffer with the bytes from `offset` on; returns their number, which is less only at the file's end.
  package let read: (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) throws -> Int

  package init(length: @escaping () throws -> Int, read: @escaping (UnsafeMutableRawBufferPointer, Int) throws -> Int) {
    self.length = length
    self.read = read
  }

  /// Bytes in memory.
  package init(_ bytes: [UInt8]) {
    length = { bytes.count }
    read = { buffer, offset in
      let count = max(0, min(buffer.count, bytes.count - offset))
      if count > 0 { bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count])) } }
      return count
    }
  }
}

/// Takes all of the bytes, which are valid during the call only, behind those that it took before.
package typealias TableSink = (_ bytes: UnsafeRawBufferPointer) throws -> Void

/// The most that a reader takes from a file on the word of the file.
package struct TableLimits: Sendable {
  /// Bytes of a footer, or of a message's description.
  package var metadata = 16 << 20
  /// Bytes of a page, or of a message's body, after decompression.
  package var block = 256 << 20
  /// Rows of a Parquet file: a few bytes may stand for any number of equal values.
  package var fileRows = 1 << 33
  /// Rows of a batch of a stream, and texts of the dictionaries that are in use.
  package var rows = 16 << 20
  /// Bytes of the texts that are known at a time: of a stream's dictionaries, of a file's column.
  package var text = 256 << 20

  package init() {}
}
