/// The descriptions of Arrow's messages as this module writes them.
///
/// Source: Arrow columnar format, "Serialization and Interprocess Communication (IPC)", and its Message.fbs and Schema.fbs. Every message has
/// in its metadata the XXH64 of its prefix, description and body, under `checksumKey`, computed as if the sixteen digits were zeros. It
/// is not in the schema's metadata, because other programs copy that to streams of their own.
enum ArrowMessage {
  static let checksumKey = "stockbus.xxh64"
  /// The end of a stream: a continuation mark, and a description of no bytes.
  static let end: [UInt8] = [255, 255, 255, 255, 0, 0, 0, 0]
  static let prefix = 8

  enum Kind: UInt8 {
    case schema = 1
    case dictionary, batch
  }

  /// Numbers of types in Schema.fbs.
  enum TypeNumber {
    static let (int, float, utf8, bool, decimal, date, time, timestamp) = (
      UInt8(2), UInt8(3), UInt8(5), UInt8(6), UInt8(7), UInt8(8), UInt8(9), UInt8(10)
    )
    static let (duration, largeUTF8, utf8View) = (UInt8(18), UInt8(20), UInt8(24))
  }

  static func schema(_ schema: TableSchema, metadata: [(String, String)], checked: Bool = true) -> [UInt8] {
    var flat = FlatBuilder()
    var fields: [Int] = []
    for (i, column) in schema.columns.enumerated() {
      let (number, type) = put(column.type, &flat)
      var dictionary = FlatBuilder.Field.none
      if column.type == .text {
        let index = flat.table([.int(32), .byte(1)])
        dictionary = .place(flat.table([.long(Int64(i)), .place(index)]))
      }
      let name = flat.text(column.name)
      let children = flat.list([])
      fields.append(
        flat.table([.place(name), .byte(column.isOptional ? 1 : 0), .byte(number), .place(type), dictionary, .place(children)]))
    }
    let list = flat.list(fields)
    let pairs = flat.pairs(metadata)
    let header = flat.table([.short(0), .place(list), .place(pairs)])
    return message(.schema, header, body: 0, checked: checked, &flat)
  }

  private static func put(_ type: ColumnType, _ flat: inout FlatBuilder) -> (UInt8, Int) {
    switch type {
    case .decimal(let decimals): return (TypeNumber.decimal, flat.table([.int(19), .int(Int32(decimals)), .int(128)]))
    case .integer: return (TypeNumber.int, flat.table([.int(64), .byte(1)]))
    case .timestamp:
      let zone = flat.text("UTC")
      return (TypeNumber.timestamp, flat.table([.short(3), .place(zone)]))
    case .duration: return (TypeNumber.duration, flat.table([.short(3)]))
    case .flag: return (TypeNumber.bool, flat.table([]))
    case .text: return (TypeNumber.utf8, flat.table([]))
    }
  }

  /// - Parameters:
  ///   - nodes: for each column its rows and how many values are missing.
  ///   - buffers: for each buffer its offset in the body and its length.
  ///   - metadata: names and values beside the checksum.
  static func batch(rows: Int, nodes: [Int64], buffers: [Int64], body: Int, metadata: [(String, String)]) -> [UInt8] {
    var flat = FlatBuilder()
    let header = put(rows, nodes, buffers, &flat)
    return message(.batch, header, body: body, checked: true, &flat, metadata: metadata)
  }

  static func dictionary(id: Int, texts: Int, buffers: [Int64], body: Int) -> [UInt8] {
    var flat = FlatBuilder()
    let data = put(texts, [Int64(texts), 0], buffers, &flat)
    let header = flat.table([.long(Int64(id)), .place(data), .byte(0)])
    return message(.dictionary, header, body: body, checked: true, &flat)
  }

  private static func put(_ rows: Int, _ nodes: [Int64], _ buffers: [Int64], _ flat: inout FlatBuilder) -> Int {
    let bufferList = flat.list(buffers, size: 2)
    let nodeList = flat.list(nodes, size: 2)
    return flat.table([.long(Int64(rows)), .place(nodeList), .place(bufferList)])
  }

  /// The prefix of a message and its description.
  private static func message(
    _ kind: Kind, _ header: Int, body: Int, checked: Bool, _ flat: inout FlatBuilder, metadata: [(String, String)] = []
  ) -> [UInt8] {
    let checksum = (checksumKey, String(decoding: Checksum.blank, as: UTF8.self))
    let pairs: FlatBuilder.Field = checked ? .place(flat.pairs([checksum] + metadata)) : .none
    let root = flat.table([.short(4), .byte(kind.rawValue), .place(header), .long(Int64(body)), pairs])
    let description = flat.finish(root)
    let size = UInt32(description.count)
    return [255, 255, 255, 255] + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * UInt32($0))) } + description
  }

  /// Where the digits of the checksum stand in a message that was made here; nil if it has none.
  static func checksumPlace(_ message: UnsafeRawBufferPointer) throws(TableError) -> Int? {
    let root = try FlatTable(root: UnsafeRawBufferPointer(rebasing: message[prefix...]))
    return try root.pairs(4).first { $0.name == checksumKey }.map { $0.start + prefix }
  }
}

extension FlatBuilder {
  mutating func pairs(_ pairs: [(String, String)]) -> Int {
    var places: [Int] = []
    for (name, value) in pairs {
      let (name, value) = (text(name), text(value))
      places.append(table([.place(name), .place(value)]))
    }
    return list(places)
  }
}
