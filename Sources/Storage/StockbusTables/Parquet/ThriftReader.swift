/// Reads structures in Thrift's compact protocol.
///
/// Source: Apache Thrift, "Compact protocol encoding". Every element has at least a byte, so no count of a file makes a loop longer than the file.
struct ThriftReader {
  enum Kind: UInt8 {
    case yes = 1
    case no, byte, short, int, long, double, text, list, set, map, structure
  }

  private var cursor: ByteCursor
  private var depth = 0
  private static let depthLimit = 32
  private static let wrong = TableError("a structure is malformed")

  init(_ bytes: UnsafeRawBufferPointer) { cursor = ByteCursor(bytes) }

  /// Bytes that were read.
  var at: Int { cursor.at }

  /// Reads a structure: `field` gets each field, and returns false for one that is to be skipped.
  mutating func structure(_ field: (inout ThriftReader, _ id: Int, _ kind: Kind) throws(TableError) -> Bool) throws(TableError) {
    depth += 1
    guard depth <= Self.depthLimit else { throw TableError("structures are nested too deeply") }
    var id = 0
    while true {
      let head = try cursor.byte()
      if head == 0 { break }
      guard let kind = Kind(rawValue: head & 15) else { throw Self.wrong }
      if head >> 4 == 0 {
        guard let next = Int16(exactly: try cursor.zigzag()) else { throw Self.wrong }
        id = Int(next)
      } else {
        id += Int(head >> 4)
      }
      if try !field(&self, id, kind) { try skip(kind) }
    }
    depth -= 1
  }

  func flag(_ kind: Kind) throws(TableError) -> Bool {
    guard kind == .yes || kind == .no else { throw Self.wrong }
    return kind == .yes
  }

  mutating func long(_ kind: Kind) throws(TableError) -> Int {
    if kind == .byte { return Int(Int8(bitPattern: try cursor.byte())) }
    guard kind == .short || kind == .int || kind == .long else { throw Self.wrong }
    return Int(try cursor.zigzag())
  }

  mutating func int(_ kind: Kind) throws(TableError) -> Int32 {
    guard let value = Int32(exactly: try long(kind)) else { throw Self.wrong }
    return value
  }

  /// A size or a count.
  mutating func size(_ kind: Kind) throws(TableError) -> Int {
    let value = try long(kind)
    guard value >= 0 else { throw TableError("a size is below zero") }
    return value
  }

  mutating func bytes(_ kind: Kind) throws(TableError) -> UnsafeRawBufferPointer {
    guard kind == .text, let size = Int(exactly: try cursor.varint()) else { throw Self.wrong }
    return try cursor.take(size)
  }

  mutating func text(_ kind: Kind) throws(TableError) -> String { String(decoding: try bytes(kind), as: UTF8.self) }

  mutating func list(_ kind: Kind, _ element: (inout ThriftReader, Kind) throws(TableError) -> Void) throws(TableError) {
    guard kind == .list || kind == .set else { throw Self.wrong }
    let head = try cursor.byte()
    guard let elements = Kind(rawValue: head & 15) else { throw Self.wrong }
    var count = Int(head >> 4)
    if count == 15 {
      guard let long = Int(exactly: try cursor.varint()) else { throw Self.wrong }
      count = long
    }
    guard count <= cursor.left else { throw ByteCursor.short }
    for _ in 0..<count { try element(&self, elements) }
  }

  /// Skips a field; an element of a list of flags has a byte.
  private mutating func skip(_ kind: Kind, inList: Bool = false) throws(TableError) {
    switch kind {
    case .yes, .no: if inList { _ = try cursor.byte() }
    case .byte: _ = try cursor.byte()
    case .short, .int, .long: _ = try cursor.varint()
    case .double: _ = try cursor.take(8)
    case .text: _ = try bytes(kind)
    case .structure: try structure { _, _, _ throws(TableError) in false }
    case .list, .set:
      depth += 1
      guard depth <= Self.depthLimit else { throw TableError("lists are nested too deeply") }
      try list(kind) { (reader, element) throws(TableError) in try reader.skip(element, inList: true) }
      depth -= 1
    case .map:
      guard let count = Int(exactly: try cursor.varint()), count <= cursor.left else { throw Self.wrong }
      if count == 0 { return }
      depth += 1
      guard depth <= Self.depthLimit else { throw TableError("maps are nested too deeply") }
      let kinds = try cursor.byte()
      guard let key = Kind(rawValue: kinds >> 4), let value = Kind(rawValue: kinds & 15) else { throw Self.wrong }
      for _ in 0..<count {
        try skip(key, inList: true)
        try skip(value, inList: true)
      }
      depth -= 1
    }
  }
}
