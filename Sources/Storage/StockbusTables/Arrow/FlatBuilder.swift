/// Builds a FlatBuffer, the format of Arrow's descriptions: from its end to its begin, since a table stands before what it refers to.
///
/// The bytes are kept in reverse order, and a place is the number of bytes from the end.
struct FlatBuilder {
  private var reversed: [UInt8] = []
  private var alignment = 4

  enum Field {
    case none
    case byte(UInt8)
    case short(Int16)
    case int(Int32)
    case long(Int64)
    /// The place of a table, a text or a list.
    case place(Int)
  }

  /// Fills up so that the next `size` bytes are aligned when another `more` bytes were written before them.
  private mutating func align(_ size: Int, more: Int = 0) {
    alignment = max(alignment, size)
    while (reversed.count + more) % size != 0 { reversed.append(0) }
  }

  private mutating func put<Number: FixedWidthInteger>(_ number: Number) {
    for i in 1...Number.bitWidth / 8 { reversed.append(UInt8(truncatingIfNeeded: number >> Number(Number.bitWidth - 8 * i))) }
  }

  private mutating func put(place: Int) {
    align(4)
    put(UInt32(reversed.count + 4 - place))
  }

  mutating func text(_ text: String) -> Int { self.text(Array(text.utf8)) }

  mutating func text(_ bytes: [UInt8]) -> Int {
    align(4, more: bytes.count + 1)
    reversed.append(0)
    reversed.append(contentsOf: bytes.reversed())
    put(UInt32(bytes.count))
    return reversed.count
  }

  mutating func list(_ places: [Int]) -> Int {
    align(4, more: 4 * places.count)
    for place in places.reversed() { put(place: place) }
    put(UInt32(places.count))
    return reversed.count
  }

  /// A list of structures of `size` 64-bit numbers.
  mutating func list(_ numbers: [Int64], size: Int) -> Int {
    align(4, more: 8 * numbers.count)
    align(8, more: 8 * numbers.count)
    for number in numbers.reversed() { put(number) }
    put(UInt32(numbers.count / size))
    return reversed.count
  }

  mutating func table(_ fields: [Field]) -> Int {
    let end = reversed.count
    var places = [Int](repeating: 0, count: fields.count)
    for (i, field) in fields.enumerated().reversed() {
      switch field {
      case .none: continue
      case .byte(let value): put(value)
      case .short(let value):
        align(2)
        put(value)
      case .int(let value):
        align(4)
        put(value)
      case .long(let value):
        align(8)
        put(value)
      case .place(let place): put(place: place)
      }
      places[i] = reversed.count
    }
    align(4)
    // The table of places stands directly before the table; the distance to it comes first.
    let distance = 4 + 2 * fields.count
    put(Int32(distance))
    let table = reversed.count
    for place in places.reversed() { put(UInt16(place == 0 ? 0 : table - place)) }
    put(UInt16(table - end))
    put(UInt16(distance))
    return table
  }

  /// The finished bytes, a multiple of eight.
  mutating func finish(_ root: Int) -> [UInt8] {
    align(max(8, alignment), more: 4)
    put(place: root)
    return reversed.reversed()
  }
}
