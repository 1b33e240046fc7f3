/// Which groups of a row's numbers a frame has.
struct RowFields: OptionSet {
  let rawValue: UInt8
  static let price = RowFields(rawValue: 1)
  static let reference = RowFields(rawValue: 2)
  static let volume = RowFields(rawValue: 4)
  static let quote = RowFields(rawValue: 8)
  static let range = RowFields(rawValue: 16)
  static let rank = RowFields(rawValue: 32)
  static let shape = RowFields(rawValue: 64)
  static let name = RowFields(rawValue: 128)

  static let all = RowFields(rawValue: 255)

  /// Marks the fields that changed after the frame `cursor`.
  init(_ stamps: RowStamps, after cursor: UInt32) {
    var raw: UInt8 = 0
    raw |= stamps.price > cursor ? 1 : 0
    raw |= stamps.reference > cursor ? 2 : 0
    raw |= stamps.volume > cursor ? 4 : 0
    raw |= stamps.quote > cursor ? 8 : 0
    raw |= stamps.range > cursor ? 16 : 0
    raw |= stamps.rank > cursor ? 32 : 0
    raw |= stamps.shape > cursor ? 64 : 0
    rawValue = raw
  }

  init(rawValue: UInt8) { self.rawValue = rawValue }
}

extension FrameBytes {
  /// - Parameters:
  ///   - previous: the number of the row before this one in the pane; 0 before the first.
  ///   - time: the frame's time, in milliseconds since 1970.
  mutating func append(_ row: Int32, after previous: Int32, _ numbers: RowNumbers, _ fields: RowFields, name: String, time: Int64) {
    append(svarint: Int64(row) - Int64(previous))
    append(fields.rawValue)
    append(varint: numbers.updates)
    append(svarint: time &- numbers.time / 1_000_000)
    if fields.contains(.shape) {
      append(numbers.priceDecimals)
      append(numbers.sizeDecimals)
      append(numbers.marks.rawValue)
    }
    if fields.contains(.name) { append(name: name) }
    let unit = RowNumbers.units[Int(numbers.priceDecimals)]
    if fields.contains(.price) { append(svarint: numbers.price / unit) }
    if fields.contains(.reference) { append(svarint: numbers.reference / unit) }
    if fields.contains(.volume) { append(svarint: numbers.volume / RowNumbers.units[Int(numbers.sizeDecimals)]) }
    if fields.contains(.quote) {
      append(svarint: numbers.bid / unit)
      append(svarint: numbers.ask / unit)
    }
    if fields.contains(.range) {
      append(svarint: numbers.low / unit)
      append(svarint: numbers.high / unit)
    }
    if fields.contains(.rank) { append(varint: UInt64(max(0, numbers.rank))) }
  }

  /// The values of the columns beside a row's last event; none if they are known.
  mutating func append(columns: ArraySlice<Int64>) {
    append(varint: UInt64(columns.count))
    // Zigzag, plus one: the largest value of 64 bits is `ColumnLayout.missing`, which becomes 0.
    for value in columns { append(varint: UInt64(bitPattern: (value << 1) ^ (value >> 63)) &+ 1) }
  }
}
