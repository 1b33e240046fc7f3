internal import StockbusSystem

/// A Parquet file, or an Arrow stream in a file, which is open until the value and its source are gone.
package struct TableFile {
  package enum Format: Sendable {
    case parquet, arrow
  }

  package let format: Format
  package let source: TableSource

  private final class File {
    let descriptor: FileDescriptor

    init(_ path: String) throws(Errno) { descriptor = try FileDescriptor.opening(path, .readOnly, .nonBlocking) }

    deinit { try? descriptor.close() }
  }

  /// Throws `TableError` if the file cannot be opened, is no plain file, or does not begin as one of the two.
  package init(path: String) throws(TableError) {
    let file: File
    do { file = try File(path) } catch { throw TableError("\(error)") }
    guard isPlain(file.descriptor.rawValue) else { throw TableError("it is no plain file") }
    let source = TableSource(
      length: { Int(try file.descriptor.seek(offset: 0, from: .end)) },
      read: { buffer, offset in
        var count = 0
        while count < buffer.count {
          let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
          let read = try file.descriptor.read(fromAbsoluteOffset: Int64(offset + count), into: rest, retryOnInterrupt: true)
          if read == 0 { break }
          count += read
        }
        return count
      })
    var beginning = [UInt8](repeating: 0, count: 4)
    do {
      let count = try beginning.withUnsafeMutableBytes { bytes in try source.read(bytes, 0) }
      beginning.removeLast(4 - count)
    } catch { throw TableError("\(error)") }
    self.source = source
    switch beginning {
    case [0x50, 0x41, 0x52, 0x31]: format = .parquet
    case [0xff, 0xff, 0xff, 0xff]: format = .arrow
    case []: throw TableError("it is empty")
    default: throw TableError("it is neither a Parquet file nor an Arrow stream")
    }
  }

  /// Reads all of it; see `ParquetFile.check` and `ArrowStream.check`.
  package func check() throws -> TableReport {
    switch format {
    case .parquet: try ParquetFile.check(source)
    case .arrow: try ArrowStream.check(source)
    }
  }
}
