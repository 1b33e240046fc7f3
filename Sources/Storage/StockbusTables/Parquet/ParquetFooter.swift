/// A file's footer: its columns, and where the pages of each row group are.
///
/// Source: parquet.thrift, `FileMetaData`.
struct ParquetFooter {
  struct Element {
    var physical: Parquet.Physical?
    var length = 0
    var repetition: Int32 = 0
    var name = ""
    var children = 0
    var converted: Int32?
    var scale = 0
    var logical = Logical.none
  }

  enum Logical: Hashable {
    case none, text, date
    case decimal(scale: Int)
    /// With the nanoseconds of a unit.
    case time(Int64), timestamp(Int64)
    case integer(isSigned: Bool)
    /// Another one, by its number.
    case other(Int)
  }

  struct Chunk {
    var codec: Int32 = 0
    var values = 0
    var offset = 0
    var dictionaryOffset = 0
    var size = 0
    var isElsewhere = false
  }

  struct Group {
    var chunks: [Chunk] = []
    var rows = 0
  }

  /// The most columns, and row groups: the footer may say more in a few bytes than memory holds.
  private static let limit = 1 << 16

  private(set) var elements: [Element] = []
  private(set) var rows = 0
  private(set) var groups: [Group] = []
  private(set) var pairs: [(name: String, value: String)] = []
  private(set) var createdBy = ""
  /// Where the pages end, and the footer begins.
  let start: Int

  /// True if the file says that `ParquetWriter` made it. Either sign remains if the other one is damaged.
  var isOwn: Bool { createdBy.hasPrefix(Parquet.createdBy) || sums?.first.map { $0 == String(start) } == true }

  /// The offset of the footer, the checksums of the row groups, and that of the footer.
  private var sums: [Substring]? { pairs.last { $0.name == Parquet.checksumKey }?.value.split(separator: " ") }

  /// The checksums of the row groups, and that of the footer; nil if there is not one for each.
  var checksums: [Substring]? {
    guard let sums, sums.count == groups.count + 2, sums.dropFirst().allSatisfy({ $0.utf8.count == Checksum.size }) else { return nil }
    return Array(sums.dropFirst())
  }

  /// Reads the footer, and checks it if it has a checksum.
  init(_ source: TableSource, _ limits: TableLimits) throws {
    let length = try source.length()
    guard length >= 12 else { throw TableError("the file is too short for Parquet", offset: 0) }
    var head = ByteBuffer()
    try Self.fill(&head, 4, source, at: 0)
    guard head.bytes.elementsEqual(Parquet.magic) else {
      throw TableError(
        head.bytes.elementsEqual(Array("PARE".utf8)) ? "the file is encrypted" : "the file does not begin as Parquet does", offset: 0)
    }
    var buffer = ByteBuffer()
    try Self.fill(&buffer, 8, source, at: length - 8)
    guard UnsafeRawBufferPointer(rebasing: buffer.bytes[4...]).elementsEqual(Parquet.magic), let size = buffer.bytes.little(0, UInt32.self)
    else {
      throw TableError("the file does not end as Parquet does: it may not be finished", offset: length - 4)
    }
    guard Int(size) <= limits.metadata, Int(size) <= length - 12 else {
      throw TableError("the footer has \(size) bytes", offset: length - 8)
    }
    start = length - 8 - Int(size)
    try Self.fill(&buffer, Int(size) + 8, source, at: start)
    do throws(TableError) {
      var reader = ThriftReader(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<Int(size)]))
      var place: Int?
      try read(&reader, &place)
      guard reader.at == Int(size) else { throw TableError("the footer ends before its length") }
      if isOwn {
        guard checksums != nil, let place,
          Checksum.holds(in: buffer.writable, rest: UnsafeRawBufferPointer(start: nil, count: 0), at: place)
        else {
          throw TableError("the footer differs from its checksum")
        }
      }
    } catch { throw error.located(offset: start) }
  }

  static func fill(_ buffer: inout ByteBuffer, _ size: Int, _ source: TableSource, at offset: Int) throws {
    buffer.resize(to: size)
    guard try source.read(buffer.writable, offset) == size else { throw TableError("the file ends too early", offset: offset) }
  }

  /// - Parameter place: gets the place of the footer's checksum.
  private mutating func read(_ reader: inout ThriftReader, _ place: inout Int?) throws(TableError) {
    // Closures that throw cannot take `self` and a parameter at once.
    var footer = self
    defer { self = footer }
    var digits: Int?
    var chunks = 0
    try reader.structure { (reader, id, kind) throws(TableError) in
      switch id {
      case 2:
        try reader.list(kind) { (reader, _) throws(TableError) in
          guard footer.elements.count < Self.limit else { throw TableError("the schema has more than \(Self.limit) columns") }
          footer.elements.append(try Element(&reader))
        }
      case 3: footer.rows = try reader.size(kind)
      case 4:
        try reader.list(kind) { (reader, _) throws(TableError) in
          footer.groups.append(try Group(&reader))
          chunks += footer.groups[footer.groups.count - 1].chunks.count
          guard chunks <= 16 * Self.limit, footer.groups.count <= Self.limit else { throw TableError("there are too many row groups") }
        }
      case 5:
        try reader.list(kind) { (reader, _) throws(TableError) in
          var (name, value) = ("", "")
          try reader.structure { (reader, id, kind) throws(TableError) in
            if id == 1 { name = try reader.text(kind) }
            if id == 2 {
              value = try reader.text(kind)
              if name == Parquet.checksumKey { digits = reader.at - Checksum.size }
            }
            return id == 1 || id == 2
          }
          footer.pairs.append((name, value))
        }
      case 6: footer.createdBy = try reader.text(kind)
      case 8: throw TableError("the file is encrypted")
      default: return false
      }
      return true
    }
    place = digits
  }
}

extension ParquetFooter.Element {
  init(_ reader: inout ThriftReader) throws(TableError) {
    self.init()
    var element = self
    try reader.structure { (reader, id, kind) throws(TableError) in
      switch id {
      case 1:
        guard let physical = Parquet.Physical(rawValue: try reader.int(kind)) else { throw TableError("a column has an unknown type") }
        element.physical = physical
      case 2: element.length = try reader.size(kind)
      case 3: element.repetition = try reader.int(kind)
      case 4: element.name = try reader.text(kind)
      case 5: element.children = try reader.size(kind)
      case 6: element.converted = try reader.int(kind)
      case 7: element.scale = try reader.long(kind)
      case 10: element.logical = try Self.logical(&reader)
      default: return false
      }
      return true
    }
    self = element
  }

  private static func logical(_ reader: inout ThriftReader) throws(TableError) -> ParquetFooter.Logical {
    var logical = ParquetFooter.Logical.none
    try reader.structure { (reader, id, kind) throws(TableError) in
      var (first, flag, unit) = (0, true, Int64(1))
      try reader.structure { (reader, field, kind) throws(TableError) in
        switch (id, field) {
        case (5, 1), (10, 1): first = try reader.long(kind)
        case (10, 2): flag = try reader.flag(kind)
        case (7, 2), (8, 2):
          try reader.structure { (_, id, _) throws(TableError) in
            guard (1...3).contains(id) else { throw TableError("the unit of time is unknown") }
            unit = [1_000_000, 1_000, 1][id - 1]
            return false
          }
        default: return false
        }
        return true
      }
      switch id {
      // Texts, names of choices, JSON.
      case 1, 4, 12: logical = .text
      case 5: logical = .decimal(scale: first)
      case 6: logical = .date
      case 7: logical = .time(unit)
      case 8: logical = .timestamp(unit)
      case 10: logical = .integer(isSigned: flag)
      default: logical = .other(id)
      }
      return true
    }
    return logical
  }
}

extension ParquetFooter.Group {
  init(_ reader: inout ThriftReader) throws(TableError) {
    self.init()
    var group = self
    try reader.structure { (reader, id, kind) throws(TableError) in
      switch id {
      case 1:
        try reader.list(kind) { (reader, _) throws(TableError) in
          guard group.chunks.count < ParquetFooter.limit else { throw TableError("a row group has too many columns") }
          group.chunks.append(try ParquetFooter.Chunk(&reader))
        }
      case 3: group.rows = try reader.size(kind)
      default: return false
      }
      return true
    }
    self = group
  }
}

extension ParquetFooter.Chunk {
  init(_ reader: inout ThriftReader) throws(TableError) {
    self.init()
    var chunk = self
    // Nothing is said about an encrypted column, or its pages are in another file.
    chunk.isElsewhere = true
    try reader.structure { (reader, id, kind) throws(TableError) in
      switch id {
      case 1: throw TableError("a column is in another file")
      case 3:
        chunk.isElsewhere = false
        try reader.structure { (reader, id, kind) throws(TableError) in
          switch id {
          case 4: chunk.codec = try reader.int(kind)
          case 5: chunk.values = try reader.size(kind)
          case 7: chunk.size = try reader.size(kind)
          case 9: chunk.offset = try reader.size(kind)
          case 11: chunk.dictionaryOffset = try reader.size(kind)
          default: return false
          }
          return true
        }
      default: return false
      }
      return true
    }
    self = chunk
  }
}
