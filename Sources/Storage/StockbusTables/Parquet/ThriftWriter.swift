/// Writes structures in Thrift's compact protocol, the format of Parquet's headers and footer.
struct ThriftWriter: ~Copyable {
  var out = ByteBuffer()
  /// The last field of each structure that is open.
  private var last: [Int] = [0]

  private enum Kind: UInt8 {
    case yes = 1
    case no, byte, short, int, long, double, text, list, set, map, structure
  }

  /// - Parameter isAbsolute: writes the field's number, and not its distance to the one before.
  private mutating func field(_ id: Int, _ kind: Kind, isAbsolute: Bool = false) {
    let step = id - last[last.count - 1]
    if step > 0, step < 16, !isAbsolute {
      out.append(UInt8(step) << 4 | kind.rawValue)
    } else {
      out.append(kind.rawValue)
      out.zigzag(Int64(id))
    }
    last[last.count - 1] = id
  }

  mutating func flag(_ id: Int, _ value: Bool) { field(id, value ? .yes : .no) }

  mutating func byte(_ id: Int, _ value: UInt8) {
    field(id, .byte)
    out.append(value)
  }

  mutating func int(_ id: Int, _ value: Int32) {
    field(id, .int)
    out.zigzag(Int64(value))
  }

  mutating func long(_ id: Int, _ value: Int) {
    field(id, .long)
    out.zigzag(Int64(value))
  }

  mutating func text(_ id: Int, _ value: String) { text(id, Array(value.utf8)) }

  mutating func text(_ id: Int, _ value: [UInt8], isAbsolute: Bool = false) {
    field(id, .text, isAbsolute: isAbsolute)
    out.varint(UInt64(value.count))
    out.append(value)
  }

  mutating func structure(_ id: Int, _ fields: (inout ThriftWriter) -> Void) {
    field(id, .structure)
    element(fields)
  }

  /// A structure in a list, or the outermost.
  mutating func element(_ fields: (inout ThriftWriter) -> Void) {
    last.append(0)
    fields(&self)
    last.removeLast()
    out.append(0)
  }

  mutating func structures<Element>(_ id: Int, _ elements: [Element], _ fields: (inout ThriftWriter, Element) -> Void) {
    list(id, .structure, elements.count)
    for element in elements { self.element { fields(&$0, element) } }
  }

  mutating func ints(_ id: Int, _ values: [Int32]) {
    list(id, .int, values.count)
    for value in values { out.zigzag(Int64(value)) }
  }

  mutating func texts(_ id: Int, _ values: [String]) {
    list(id, .text, values.count)
    for value in values {
      out.varint(UInt64(value.utf8.count))
      out.append(Array(value.utf8))
    }
  }

  private mutating func list(_ id: Int, _ kind: Kind, _ count: Int) {
    field(id, .list)
    if count < 15 {
      out.append(UInt8(count) << 4 | kind.rawValue)
    } else {
      out.append(0xf0 | kind.rawValue)
      out.varint(UInt64(count))
    }
  }
}
