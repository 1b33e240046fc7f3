/// A table of a FlatBuffer that comes from a file: every place is checked before it is read.
struct FlatTable {
  let bytes: UnsafeRawBufferPointer
  private let at: Int
  private let places: Int
  private let placesSize: Int

  private static let wrong = TableError("the description of a message is malformed")

  /// The table that the buffer is about.
  init(root bytes: UnsafeRawBufferPointer) throws(TableError) { try self.init(bytes, referredAt: 0) }

  private init(_ bytes: UnsafeRawBufferPointer, referredAt place: Int) throws(TableError) {
    self.bytes = bytes
    guard let distance = bytes.little(place, UInt32.self) else { throw Self.wrong }
    at = place + Int(distance)
    guard let back = bytes.little(at, Int32.self) else { throw Self.wrong }
    places = at - Int(back)
    guard let size = bytes.little(places, UInt16.self), size >= 4, bytes.part(places, Int(size)) != nil else { throw Self.wrong }
    placesSize = Int(size)
  }

  /// Where a field stands; nil if it is not written.
  private func place(_ field: Int) -> Int? {
    let slot = 4 + 2 * field
    guard slot + 2 <= placesSize, let offset = bytes.little(places + slot, UInt16.self), offset != 0 else { return nil }
    return at + Int(offset)
  }

  func number<Number: FixedWidthInteger & BitwiseCopyable>(_ field: Int, default value: Number) throws(TableError) -> Number {
    guard let place = place(field) else { return value }
    guard let number = bytes.little(place, Number.self) else { throw Self.wrong }
    return number
  }

  func flag(_ field: Int) throws(TableError) -> Bool { try number(field, default: UInt8(0)) != 0 }

  func table(_ field: Int) throws(TableError) -> FlatTable? {
    guard let place = place(field) else { return nil }
    return try FlatTable(bytes, referredAt: place)
  }

  /// The first byte and the number of elements of a list; nil if it is not written.
  func list(_ field: Int, size: Int) throws(TableError) -> (start: Int, count: Int)? {
    guard let place = place(field) else { return nil }
    guard let distance = bytes.little(place, UInt32.self), let count = bytes.little(place + Int(distance), UInt32.self),
      bytes.part(place + Int(distance) + 4, Int(count) * size) != nil
    else { throw Self.wrong }
    return (place + Int(distance) + 4, Int(count))
  }

  func tables(_ field: Int) throws(TableError) -> [FlatTable] {
    guard let (start, count) = try list(field, size: 4) else { return [] }
    var tables: [FlatTable] = []
    for i in 0..<count { tables.append(try FlatTable(bytes, referredAt: start + 4 * i)) }
    return tables
  }

  /// Where a text stands; nil if it is not written.
  /// - Parameter limit: its most bytes, since any number of texts may stand at one place.
  func text(_ field: Int, limit: Int = 1 << 16) throws(TableError) -> (start: Int, text: String)? {
    guard let (start, count) = try list(field, size: 1), let part = bytes.part(start, count) else { return nil }
    guard count <= limit else { throw TableError("a text in the description of a message is too long") }
    return (start, String(decoding: part, as: UTF8.self))
  }

  /// Pairs of names and values, and where the values stand.
  func pairs(_ field: Int) throws(TableError) -> [(name: String, value: String, start: Int)] {
    var pairs: [(String, String, Int)] = []
    var left = bytes.count
    for pair in try tables(field) {
      let name = try pair.text(0, limit: left)?.text ?? ""
      left -= name.utf8.count / 3
      let value = try pair.text(1, limit: max(0, left))
      left = max(0, left - (value?.text.utf8.count ?? 0) / 3)
      pairs.append((name, value?.text ?? "", value?.start ?? 0))
    }
    return pairs
  }
}
