/// Takes the pages of a column of a row group from the file, checked and decompressed.
///
/// Source: Parquet format, "Data Pages", parquet.thrift `PageHeader`. Unsafe memory: a page points into buffers that stay until the next one.
final class PageReader {
  struct Page {
    var kind = Parquet.Page.data
    var values = 0
    var encoding: Int32 = 0
    /// The encoding of the levels of a page of version 1.
    var levelEncoding = Parquet.Encoding.runLengths.rawValue
    /// Bytes of the levels of a page of version 2, of which the first are those of repetition.
    var (repetitionSize, definitionSize) = (0, 0)
    var isCompressed = true
    var (rawSize, size) = (0, 0)
    var checksum: Int32?
    /// Where the page begins in the file.
    var offset = 0
  }

  private let source: TableSource
  private let limits: TableLimits
  private let decompressor: Decompressor
  private let codec: Int32
  private let end: Int
  private(set) var offset: Int
  private var head = ByteBuffer()
  private var stored = ByteBuffer()
  private var raw = ByteBuffer()

  /// - Parameter end: where the pages of all columns end.
  init(_ source: TableSource, _ limits: TableLimits, _ decompressor: Decompressor, codec: Int32, from start: Int, end: Int) {
    self.source = source
    self.limits = limits
    self.decompressor = decompressor
    self.codec = codec
    self.end = end
    offset = start
  }

  /// The next page, whose values and levels `content` has.
  func next() throws -> Page {
    var (page, length) = try header()
    page.offset = offset
    guard page.rawSize <= limits.block, page.size <= limits.block else {
      throw TableError("the page has more than \(limits.block) bytes", offset: offset)
    }
    guard page.size <= end - offset - length else { throw TableError("the page does not end before the footer", offset: offset) }
    try ParquetFooter.fill(&stored, page.size, source, at: offset + length)
    if let checksum = page.checksum, UInt32(bitPattern: checksum) != Checksum.crc32(stored.bytes) {
      throw TableError("the page differs from its checksum", offset: offset)
    }
    do throws(TableError) { try unpack(page) } catch { throw error.located(offset: offset) }
    offset += length + page.size
    return page
  }

  /// The content of the page that was read last.
  var content: UnsafeRawBufferPointer { raw.bytes }

  private func unpack(_ page: Page) throws(TableError) {
    guard page.kind == .dataV2 else {
      raw.resize(to: page.rawSize)
      return try decompressor.decompress(stored.bytes, codec, into: raw.writable)
    }
    // Levels are never compressed in a page of version 2.
    let (levels, overflow) = page.repetitionSize.addingReportingOverflow(page.definitionSize)
    guard !overflow, let first = stored.bytes.part(0, levels), let rest = stored.bytes.part(levels, stored.count - levels),
      levels <= page.rawSize
    else {
      throw TableError("the levels of a page are longer than the page")
    }
    raw.resize(to: page.rawSize)
    UnsafeMutableRawBufferPointer(rebasing: raw.writable[..<levels]).copyMemory(from: first)
    // A page without values may have no compressed data.
    if rest.isEmpty, page.rawSize == levels { return }
    try decompressor.decompress(
      rest, page.isCompressed ? codec : Parquet.Codec.none.rawValue, into: UnsafeMutableRawBufferPointer(rebasing: raw.writable[levels...]))
  }

  /// The next header and its length: read in steps, since only its end says how long it is.
  private func header() throws -> (Page, Int) {
    var window = 256
    while true {
      let size = min(window, end - offset)
      guard size > 0 else { throw TableError("a column has fewer values than its row group", offset: offset) }
      try ParquetFooter.fill(&head, size, source, at: offset)
      do throws(TableError) {
        var reader = ThriftReader(head.bytes)
        return (try Page(&reader), reader.at)
      } catch {
        guard error == ByteCursor.short, size == window, window < limits.metadata else { throw error.located(offset: offset) }
        window *= 16
      }
    }
  }
}

extension PageReader.Page {
  init(_ reader: inout ThriftReader) throws(TableError) {
    self.init()
    var (page, hasDetails) = (self, false)
    try reader.structure { (reader, id, kind) throws(TableError) in
      switch id {
      case 1:
        guard let known = Parquet.Page(rawValue: try reader.int(kind)) else { throw TableError("a page is of an unknown kind") }
        page.kind = known
      case 2: page.rawSize = try reader.size(kind)
      case 3: page.size = try reader.size(kind)
      case 4: page.checksum = try reader.int(kind)
      case 5, 7, 8:
        hasDetails = true
        try reader.structure { (reader, field, kind) throws(TableError) in
          switch (id, field) {
          case (_, 1): page.values = try reader.size(kind)
          case (5, 2), (7, 2), (8, 4): page.encoding = try reader.int(kind)
          case (5, 3): page.levelEncoding = try reader.int(kind)
          case (8, 5): page.definitionSize = try reader.size(kind)
          case (8, 6): page.repetitionSize = try reader.size(kind)
          case (8, 7): page.isCompressed = try reader.flag(kind)
          default: return false
          }
          return true
        }
      default: return false
      }
      return true
    }
    if !hasDetails, page.kind != .index { throw TableError("a page's header says nothing about its values") }
    guard page.values <= 1 << 31 else { throw TableError("a page has \(page.values) values") }
    self = page
  }
}
