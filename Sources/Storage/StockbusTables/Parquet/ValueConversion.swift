/// Makes words of stored values, exactly or not at all. Unsafe, because it reads and writes whole columns by pointer; callers check the sizes.
enum ValueConversion {
  /// Stands for a floating point value that is not a number: no double gives these units.
  static let notANumber = Int64.min

  private static let range = TableError("a value is out of range")

  /// Values of the column's fixed width.
  static func words(_ bytes: UnsafeRawBufferPointer, into out: UnsafeMutablePointer<Int64>, count: Int, _ column: ParquetColumn)
    throws(TableError)
  {
    switch column.physical {
    case .int32:
      for i in 0..<count { out[i] = Int64(bytes.loadUnaligned(fromByteOffset: i * 4, as: Int32.self)) }
      try scale(out, count: count, column)
    case .int64:
      for i in 0..<count { out[i] = bytes.loadUnaligned(fromByteOffset: i * 8, as: Int64.self) }
      try scale(out, count: count, column)
    case .float:
      for i in 0..<count {
        let value = bytes.loadUnaligned(fromByteOffset: i * 4, as: Float.self)
        out[i] = value.isNaN ? notANumber : try units(FloatUnits.units(value), value.description)
      }
    case .double:
      for i in 0..<count {
        let value = bytes.loadUnaligned(fromByteOffset: i * 8, as: Double.self)
        out[i] = value.isNaN ? notANumber : try units(FloatUnits.units(value), value.description)
      }
    case .int96:
      for i in 0..<count {
        // 2440588 is the Julian day of 1970-01-01.
        let day = Int64(bytes.loadUnaligned(fromByteOffset: i * 12 + 8, as: UInt32.self)) - 2_440_588
        let (start, overflow) = day.multipliedReportingOverflow(by: 86_400_000_000_000)
        let (time, more) = start.addingReportingOverflow(bytes.loadUnaligned(fromByteOffset: i * 12, as: Int64.self))
        if overflow || more { throw TableError("a time is outside of the years 1677 to 2262") }
        out[i] = time
      }
    case .fixed where column.width == Parquet.decimalWidth && column.conversion == .scaled(1):
      for i in 0..<count {
        let word = Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: i * Parquet.decimalWidth + 1, as: Int64.self))
        guard Int64(Int8(bitPattern: bytes[i * Parquet.decimalWidth])) == word >> 63 else {
          throw TableError("a decimal has more than 64 bits")
        }
        out[i] = word
      }
    case .fixed:
      for i in 0..<count {
        out[i] = try decimal(UnsafeRawBufferPointer(rebasing: bytes[i * column.width..<(i + 1) * column.width]), column)
      }
    case .boolean, .byteArray: throw TableError("a column of this type has no plain values")
    }
  }

  /// A value of bytes: a text or a decimal.
  static func word(_ bytes: UnsafeRawBufferPointer, _ column: ParquetColumn, _ texts: TextDictionary) throws(TableError) -> Int64 {
    column.conversion == .text ? try texts.number(checking: bytes) : try decimal(bytes, column)
  }

  /// Numbers in their unit.
  static func scale(_ out: UnsafeMutablePointer<Int64>, count: Int, _ column: ParquetColumn) throws(TableError) {
    switch column.conversion {
    case .scaled(1): return
    case .scaled(let factor):
      for i in 0..<count {
        let (word, overflow) = out[i].multipliedReportingOverflow(by: factor)
        if overflow { throw range }
        out[i] = word
      }
    case .unsigned:
      for i in 0..<count {
        if column.physical == .int32 { out[i] &= Int64(UInt32.max) }
        if out[i] < 0 { throw range }
      }
    case .divided(let divisor):
      for i in 0..<count { out[i] = try Wide.divided(out[i] >> 63, UInt64(bitPattern: out[i]), by: divisor) }
    case .flag, .float, .int96, .text: return
    }
  }

  /// The highest byte first, in two's complement, of any length.
  private static func decimal(_ bytes: UnsafeRawBufferPointer, _ column: ParquetColumn) throws(TableError) -> Int64 {
    guard let first = bytes.first else { throw TableError("a decimal has no digits") }
    let sign: UInt8 = first < 128 ? 0 : 255
    var value = Int128(first < 128 ? 0 : -1)
    for (i, byte) in bytes.enumerated() {
      if bytes.count - i > 16, byte != sign { throw TableError("a decimal has more than 128 bits") }
      value = value << 8 | Int128(byte)
    }
    if bytes.count > 16, (value < 0) != (sign != 0) { throw TableError("a decimal has more than 128 bits") }
    if case .divided(let divisor) = column.conversion {
      return try Wide.divided(Int64(truncatingIfNeeded: value >> 64), UInt64(truncatingIfNeeded: value), by: divisor)
    }
    guard let word = Int64(exactly: value) else { throw TableError("a decimal has more than 64 bits") }
    return word
  }

  private static func units(_ units: Int64?, _ text: String) throws(TableError) -> Int64 {
    guard let units else { throw TableError("\(text) is not a decimal with at most nine decimals that 64 bits hold") }
    return units
  }
}
